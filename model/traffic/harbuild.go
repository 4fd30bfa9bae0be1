package traffic

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// recording makes a fan of the entries.
func (h *harReader) recording() (*Recording, error) {
	sorted(h.entries)
	h.assign()
	rec := &Recording{}
	if err := h.choose(rec); err != nil {
		return nil, err
	}
	l := &linker{entries: h.entries, host: rec.Host, byURL: map[string][]int{}, turned: map[string][]int{}, pages: map[string]*pageLink{}}
	for i := range h.entries {
		l.kinds = append(l.kinds, kindOf(&h.entries[i]))
	}
	l.run()
	kept, err := h.sift(rec)
	if err != nil {
		return nil, err
	}
	f := &Fan{Name: h.opts.Name, Protocol: h.protocol(kept)}
	rtt := h.rtt(kept)
	f.RTTMs = &Dist{First: rtt}
	rec.Fan = f
	if err := h.requests(rec, kept, rtt); err != nil {
		return nil, err
	}
	rec.Said = rec.notes(h)
	first := &h.entries[kept[0]]
	target, _, _ := strings.Cut(first.path, "?")
	f.Description = fmt.Sprintf("recording of %s://%s%s", rec.Scheme, rec.Host, target)
	f.Basis = "HAR"
	if h.creator != "" {
		f.Basis += " exported by " + h.creator
	}
	f.Note = strings.Join(rec.Said, "; ")
	return rec, nil
}

// assign gives an entry that belongs to no page to that of the one before it: a service worker's, a beacon's.
func (h *harReader) assign() {
	page := ""
	for i := range h.entries {
		if page = h.entries[i].page; page != "" {
			break
		}
	}
	for i := range h.entries {
		if e := &h.entries[i]; e.page == "" {
			e.page = page
		}
		page = h.entries[i].page
	}
}

// choose finds the host whose requests are wanted: the one that was asked for, where the recording has it, else that of
// the first document from a host that is served, else that of the first document, else that of the first request.
func (h *harReader) choose(rec *Recording) error {
	best, suits := -1, -1
	for i := range h.entries {
		e := &h.entries[i]
		if e.host == "" || e.cached || !h.wanted(e) {
			continue
		}
		if n := h.suits(e); n > suits {
			best, suits = i, n
		}
	}
	if best < 0 {
		if h.opts.Page != "" && !slices.ContainsFunc(h.entries, func(e harEntry) bool { return h.wanted(&e) }) {
			return fmt.Errorf("the recording has no page %s; its pages are %s", quoted(h.opts.Page), strings.Join(h.pageNames(), ", "))
		}
		return h.s.fail(mark{1, 1}, "no request of the recording asked a server")
	}
	e := &h.entries[best]
	rec.Scheme, rec.Host = e.scheme, e.host
	return nil
}

// suits says how well the host of an entry suits the fan.
func (h *harReader) suits(e *harEntry) int {
	n := 0
	if kindOf(e) == "html" {
		n++
	}
	if h.serves(e.host) {
		n += 2
	}
	if h.opts.Host != "" && e.host == hostOf(e.scheme, h.opts.Host) {
		n += 4
	}
	return n
}

// serves asks once for each host.
func (h *harReader) serves(host string) bool {
	if h.opts.Serves == nil {
		return false
	}
	answer, known := h.served[host]
	if !known {
		answer = h.opts.Serves(host)
		h.served[host] = answer
	}
	return answer
}

func (h *harReader) wanted(e *harEntry) bool { return h.opts.Page == "" || e.page == h.opts.Page }

// pageNames are the first pages' ids, ready to be shown.
func (h *harReader) pageNames() []string {
	const shown = 10
	var names []string
	for i, id := range h.pages {
		if i == shown {
			return append(names, "...")
		}
		names = append(names, quoted(id))
	}
	if len(names) == 0 {
		return []string{"without ids"}
	}
	return names
}

// sift counts what the fan leaves out, and returns the indexes of what it has.
func (h *harReader) sift(rec *Recording) ([]int, error) {
	var kept []int
	hosts := map[string]int{}
	for i := range h.entries {
		e := &h.entries[i]
		switch {
		case e.local:
			rec.Left.Local++
		case h.fromCache(e):
			rec.Left.Cached++
		case e.host == "":
			rec.Left.TooLong++ // even to be held
		case e.host != rec.Host:
			hosts[e.host]++
		case e.scheme != rec.Scheme:
			rec.Left.OtherScheme++
		case !h.wanted(e):
			rec.Left.OtherPages++
		case e.status == 0:
			rec.Left.Unanswered++
		case len(e.path) > maxFanPath:
			rec.Left.TooLong++
		case !e.timed:
			return nil, inEntry(e, h.s.fail(e.at, "startedDateTime is missing"))
		default:
			kept = append(kept, i)
		}
	}
	for host, n := range hosts {
		rec.Left.OtherHosts = append(rec.Left.OtherHosts, HostCount{host, n})
	}
	slices.SortFunc(rec.Left.OtherHosts, func(a, b HostCount) int {
		if a.Requests != b.Requests {
			return b.Requests - a.Requests
		}
		return strings.Compare(a.Host, b.Host)
	})
	switch {
	case len(kept) == 0:
		return nil, h.s.fail(mark{1, 1}, "no request of the recording reached %s", quoted(rec.Host))
	case len(kept) > maxFanRequests:
		return nil, h.s.fail(mark{1, 1}, "%d requests to %s are more than the %d that a fan may have", len(kept), quoted(rec.Host), maxFanRequests)
	}
	return kept, nil
}

func inEntry(e *harEntry, err error) error {
	return under("log", under("entries", element(e.number, err)))
}

// fromCache says that nothing was sent. Chrome and WebKit say so, or that nothing came over the network though there is an
// answer (a preflight's size is always 0 to Chrome, a WebSocket's too); Firefox gives the state of its cache afterwards.
// An answer 304 was asked of the server.
func (h *harReader) fromCache(e *harEntry) bool {
	switch {
	case e.cached:
		return true
	case e.status == 304, e.status == 0:
		return false
	case e.nothing:
		return e.method != "OPTIONS" && e.status != 101 && e.resource != "websocket"
	}
	return e.afterCache && strings.EqualFold(h.creator, "Firefox")
}

// protocol is the one of most requests.
func (h *harReader) protocol(kept []int) Protocol {
	one, more := 0, 0
	for _, i := range kept {
		switch v := strings.ToLower(h.entries[i].version); {
		case v == "h2", v == "h3", strings.Contains(v, "/2"), strings.Contains(v, "/3"), strings.HasPrefix(v, "h3-"):
			more++
		case strings.Contains(v, "1.1"), strings.Contains(v, "1.0"):
			one++
		}
	}
	switch {
	case more == 0 && one == 0:
		return ""
	case one > more:
		return "h1"
	}
	return "h2"
}

// rtt is the round trip of the recording: the shortest handshake of a TCP connection that it holds. It is part of every
// waiting time.
func (h *harReader) rtt(kept []int) float64 {
	rtt := math.Inf(1)
	for _, i := range kept {
		e := &h.entries[i]
		if handshake := e.connect - max(e.ssl, 0); e.connect > 0 && handshake > 0 {
			rtt = min(rtt, handshake)
		}
	}
	if math.IsInf(rtt, 1) {
		h.rttNote = "no connection was opened in the recording, so that its waiting times hold an unknown round trip; none is added to them"
		return 0
	}
	rtt = math.Round(rtt*1000) / 1000
	h.rttNote = fmt.Sprintf("the round trip of the recording is %v ms, its shortest handshake, and is taken off its waiting times", rtt)
	return rtt
}

// requests makes the kept entries requests of the fan.
func (h *harReader) requests(rec *Recording, kept []int, rtt float64) error {
	index := make(map[int]int, len(kept)) // of the request, by that of the entry
	pages := map[string]int{}
	var begun float64
	var last []int // kept entries of earlier pages
	for n, i := range kept {
		e := &h.entries[i]
		if n == 0 {
			begun = e.issued()
		}
		p, seen := pages[e.page]
		if !seen {
			p = len(rec.Pages)
			pages[e.page] = p
			rec.Pages = append(rec.Pages, RecordedPage{ID: e.page})
			last = kept[:n]
		}
		rec.Pages[p].Requests++
		q := h.request(e, kindOf(e), rtt)
		on, by := h.ancestor(e, index)
		if !seen && n > 0 && by != byRedirect {
			on, by = h.before(e, last), byPage
		}
		after := begun
		if on < 0 {
			by = byNothing
		} else {
			q.DependsOn = new(index[on])
			after = h.entries[on].first()
		}
		rec.Links.count(by)
		if q.StartOffsetMs = int64(math.Round(max(e.issued()-after, 0))); q.StartOffsetMs > maxOffsetMs {
			return inEntry(e, h.s.fail(e.at, "it begins more than a day after what it waits for"))
		}
		index[i] = n
		rec.Fan.Requests = append(rec.Fan.Requests, q)
	}
	if len(rec.Pages) == 1 {
		for i := range rec.Fan.Requests {
			rec.Fan.Requests[i].Page = ""
		}
	}
	return nil
}

func (l *Links) count(by linkKind) {
	switch by {
	case byNothing:
		l.Start++
	case byRedirect:
		l.Redirects++
	case byInitiator:
		l.Initiators++
	case byTiming:
		l.Timing++
	case byPage:
		l.Pages++
	}
}

// ancestor follows what an entry waited for to one that is in the fan: what was left out passes the waiting on.
func (h *harReader) ancestor(e *harEntry, index map[int]int) (int, linkKind) {
	by := e.by
	for at, n := e.link, 0; at >= 0 && n < mostCauses; at, n = h.entries[at].link, n+1 {
		if _, ok := index[at]; ok && h.entries[at].first() <= e.issued()+slack {
			return at, by
		}
	}
	return -1, byNothing
}

// before is the answer of earlier pages that was there last when a page began: a person looked at it and went on.
func (h *harReader) before(e *harEntry, earlier []int) int {
	best, when := -1, 0.0
	for _, i := range earlier {
		if t := h.entries[i].end(); t <= e.issued()+slack && (best < 0 || t > when) {
			best, when = i, t
		}
	}
	return best
}

// literal escapes what would be a placeholder of a fan.
func literal(path string) string {
	return strings.NewReplacer(clientPlaceholder, "%7Bclient%7D", numberPlaceholder, "%7Bn%7D").Replace(path)
}

func (h *harReader) request(e *harEntry, kind string, rtt float64) FanRequest {
	q := FanRequest{Page: e.page, Method: "GET", Path: h.withoutSecrets(literal(e.path)), Kind: kind, Headers: grouped(e.headers)}
	if Method(e.method) {
		q.Method = e.method
	}
	q.LongLived = e.longLived()
	switch {
	case e.wait >= 0:
		q.ServiceMs = &Dist{First: math.Round(max(e.wait-rtt, 0)*1000) / 1000}
	default:
		h.untimed++
	}
	if e.size > 0 && e.size <= longest {
		q.SizeBytes = &Dist{First: math.Round(e.size)}
	}
	if e.status == 429 || e.status == 503 {
		h.refused++
	}
	return q
}
