package chain

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// A Step is a request as one proxy sends it on.
type Step struct {
	Hop   *Hop
	From  netip.Addr       // that connected to it
	Sent  []request.Header // those of its headers that it wrote
	Proxy netip.AddrPort   // whom it names in the PROXY protocol; invalid where it speaks none
}

// Whom an address is of, beside a proxy's number.
const (
	Client  = -1 // the client that sent the request
	Claimed = -2 // whomever the client names
)

// An Entry is one address in the header that nginx reads.
type Entry struct {
	Text    string
	Addr    netip.Addr // invalid where nginx takes the text for none
	By      int        // the proxy that wrote it, by its number on the way; or Client
	Of      int        // whose it is: a proxy's number, Client or Claimed
	Read    bool       // nginx came as far
	Trusted bool       // it is one of set_real_ip_from; only of an entry that was read
	Taken   bool       // it is the address that the request ends up with
}

// A Reading is what nginx makes of a request that came through proxies.
type Reading struct {
	Steps   []Step
	Peer    netip.Addr // that connects to nginx
	Trusted bool       // the peer is one of set_real_ip_from: only then is the header looked at
	Entries []Entry    // of the header that is read, in its order
	Addr    netip.Addr // $remote_addr
	Of      int        // whose it is: a proxy's number, Client or Claimed
}

// Read sends a request of a client through the proxies, and tells what nginx makes of what arrives.
func (w Way) Read(cfg realip.Config, req request.Request) Reading {
	m := marker{header: cfg.Header}
	if m.header == "" {
		m.header = realip.XRealIP
	}
	m.client(req.Headers)
	client := req.Peer
	var r Reading
	req.Headers = slices.Clone(req.Headers)
	for i := range w {
		hop := &w[i]
		step := Step{Hop: hop, From: req.Peer}
		hop.pass(&req)
		for _, h := range req.Headers {
			if _, writes := hop.Header(h.Name); writes {
				step.Sent = append(step.Sent, h)
			}
		}
		step.Proxy = req.Proxy
		m.pass(i, hop)
		r.Steps = append(r.Steps, step)
	}
	conn := realip.Connection{Peer: netip.AddrPortFrom(req.Peer, req.PeerPort), Unix: !req.Peer.IsValid(), Proxy: req.Proxy}
	r.Peer, r.Trusted = req.Peer, cfg.Trusts(conn)
	got := realip.Resolve(cfg, conn, req.Headers)
	r.Addr = got.Addr
	r.Entries = m.entries(cfg.Lines(conn, req.Headers))
	r.follow(cfg, got.Replaced)
	if !got.Replaced {
		r.Of = len(w) - 1 // the last proxy, or, where there is none, the client
	}
	if len(w) > 0 && r.Of >= Client && got.Addr == client {
		r.Of = Client
	}
	return r
}

// Correct puts another address in the place of the one that was found, where nginx is known to take that: it drops headers
// of some names.
func (r *Reading) Correct(w Way, client, addr netip.Addr) {
	r.Addr, r.Of = addr, Claimed
	for i := range w {
		if w[i].Node.Addr() == addr {
			r.Of = i
		}
	}
	if addr == client {
		r.Of = Client
	}
	for i := range r.Entries {
		r.Entries[i].Read, r.Entries[i].Taken = false, false
	}
}

// follow marks the entries that nginx reads, from the last one on.
func (r *Reading) follow(cfg realip.Config, replaced bool) {
	if !r.Trusted {
		return
	}
	taken := -1
	for i := len(r.Entries) - 1; i >= 0; i-- {
		e := &r.Entries[i]
		e.Read = true
		if !e.Addr.IsValid() {
			break
		}
		e.Trusted = cfg.Trusts(realip.Connection{Peer: netip.AddrPortFrom(e.Addr, 0)})
		taken = i
		if !cfg.Recursive || !e.Trusted {
			break
		}
	}
	if replaced && taken >= 0 {
		r.Entries[taken].Taken, r.Of = true, r.Entries[taken].Of
	}
}

// A marker follows who wrote the entries of one header.
type marker struct {
	header string
	marks  []mark
}

type mark struct{ by, of int }

// client begins with what the client sent itself.
func (m *marker) client(headers []request.Header) {
	for _, h := range headers {
		if strings.EqualFold(h.Name, m.header) {
			for range words(h.Value) {
				m.marks = append(m.marks, mark{Client, Claimed})
			}
		}
	}
}

// pass follows a request through the proxy of a number.
func (m *marker) pass(i int, hop *Hop) {
	from := mark{i, i - 1} // the proxy before the first is the client: Client is -1
	if m.header == realip.ProxyProtocol {
		m.marks = nil
		if hop.Speaks {
			m.marks = []mark{from}
		}
		return
	}
	header, writes := hop.Header(m.header)
	switch {
	case !writes || header.Open && len(m.marks) > 0:
	case header.Adds > 1:
		m.marks = append(slices.Clip(m.marks), from, mark{i, i})
	case header.Adds == 1:
		m.marks = append(slices.Clip(m.marks), from)
	default:
		m.marks = []mark{from}
	}
}

// entries puts the words of the lines that nginx reads beside the marks, from their ends.
func (m *marker) entries(lines []string) []Entry {
	var all []Entry
	for _, line := range lines {
		for _, word := range words(line) {
			e := Entry{Text: word, By: Client, Of: Claimed}
			if a, ok := request.ParseAddrPort(word, false); ok {
				e.Addr = a.Addr()
			}
			all = append(all, e)
		}
	}
	for i, k := len(all)-1, len(m.marks)-1; i >= 0 && k >= 0; i, k = i-1, k-1 {
		all[i].By, all[i].Of = m.marks[k].by, m.marks[k].of
	}
	return all
}

// words splits a header's line where nginx does.
func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
}
