package report

import (
	"fmt"
	"strings"
)

// chain tells a request's way through the proxies, and what nginx reads of it, from the right to the left as nginx does.
func (t *explainWriter) chain(e *ExplainedChain) {
	if e == nil {
		return
	}
	for i := range e.Hops {
		h := &e.Hops[i]
		text := fmt.Sprintf("%s at %s", clean(h.Title), h.Addr)
		if h.Network != "" {
			text += " in " + h.Network
		}
		t.step(fmt.Sprintf("hop %d", i+1), fmt.Sprintf("%s: %s connects", text, h.From))
		for _, s := range h.Sends {
			t.step("", "  sends "+clean(s.Name)+": "+clean(s.Value))
		}
		if h.Proxy != nil {
			t.step("", "  sends "+*h.Proxy+" in the PROXY protocol")
		}
		if len(h.Sends) == 0 && h.Proxy == nil {
			t.step("", "  sends on what came")
		}
	}
	peer := fmt.Sprintf("%s connects (%s), which is not trusted: no header is read", e.Peer, clean(e.PeerOf))
	if e.PeerTrusted {
		peer = fmt.Sprintf("%s connects (%s), which is trusted: %s is read, %s", e.Peer, clean(e.PeerOf), clean(e.Header), recursion(e.Recursive))
	}
	t.step("nginx", peer)
	for i := len(e.Entries) - 1; i >= 0; i-- {
		t.step("", "  "+entry(&e.Entries[i]))
	}
	if e.PeerTrusted && len(e.Entries) == 0 {
		t.step("", "  no such header came")
	}
	t.otherWays(e)
}

// step is a field whose text may begin with spaces.
func (t *explainWriter) step(name, text string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for i, line := range strings.Split(wrap(text[len(indent):], t.width-14-len(indent)), "\n") {
		if i > 0 {
			name = ""
		}
		t.print("  ", t.p.gutter(fmt.Sprintf("%-10s", name)), " ", indent, line, "\n")
	}
}

func recursion(on bool) string {
	if on {
		return "with recursion"
	}
	return "without recursion, so that the last entry counts"
}

// entry tells of one address that came in the header.
func entry(e *ExplainedEntry) string {
	whose := "of " + clean(e.Of)
	switch e.Of {
	case "client":
		whose = "the client's"
	case "claimed":
		whose = "the client's own words"
	}
	text := fmt.Sprintf("%s, written by %s, %s", clean(e.Text), clean(e.By), whose)
	if e.By == "client" {
		text = fmt.Sprintf("%s, %s", clean(e.Text), whose)
	}
	switch {
	case !e.Read:
		return text + ": not read"
	case e.Taken && e.Trusted:
		return text + ": trusted, and taken as nothing is left of it"
	case e.Taken:
		return text + ": taken"
	case e.Trusted:
		return text + ": trusted, so that nginx goes on"
	}
	return text + ": no address, so that nginx stops"
}

// otherWays tells of ways on which something else comes out.
func (t *explainWriter) otherWays(e *ExplainedChain) {
	const most = 5
	shown := 0
	others := 0
	for _, w := range e.Ways {
		if w.Of == e.Of && (w.Of == "client" || w.Of == "claimed" || w.Addr == e.Addr) {
			continue
		}
		if others++; shown < most {
			shown++
			t.step(map[bool]string{true: "elsewhere"}[shown == 1], fmt.Sprintf("through %s it is %s (%s)", strings.Join(w.Through, " then "), w.Addr, whom(w.Of)))
		}
	}
	if others > shown {
		t.step("", fmt.Sprintf("and on %d more it is another one than here", others-shown))
	}
}

func whom(of string) string {
	switch of {
	case "client":
		return "the client"
	case "claimed":
		return "whom the client names"
	}
	return clean(of)
}
