package traffic

import (
	"cmp"
	"net/url"
	"slices"
)

type linkKind uint8

const (
	byNothing linkKind = iota
	byRedirect
	byInitiator
	byTiming
	byPage
)

// issued, first and end are when the browser wanted the request, when the answer began, and when it was complete.
func (e *harEntry) issued() float64 { return e.start }

func (e *harEntry) first() float64 {
	t := e.start
	for _, span := range [...]float64{e.blocked, e.dns, e.connect, e.send, e.wait} {
		t += max(span, 0)
	}
	if e.wait < 0 && e.whole > 0 {
		t = max(t, e.start+e.whole)
	}
	return t
}

func (e *harEntry) end() float64 { return e.first() + max(e.receive, 0) }

// there is when what an answer holds can be the reason of a request: a document is read while it comes in, everything else is
// used when it is complete.
func (e *harEntry) there(kind string) float64 {
	if kind == "html" {
		return e.first()
	}
	return e.end()
}

// slack is by how much the clock of a browser's times may be off: they are rounded to the millisecond.
const slack = 1.0

// redirectMs is how soon a browser follows a redirect.
const redirectMs = 1000

// linker finds what each entry waited for. Entries are in the order of their times.
type linker struct {
	entries []harEntry
	kinds   []string
	host    string // whose answers may be a reason by timing: what other hosts send is mostly no part of the page's own code
	byURL   map[string][]int
	turned  map[string][]int // redirects, by where they lead
	pages   map[string]*pageLink
}

// A pageLink holds what later requests of a page may wait for.
type pageLink struct {
	first  int
	causes []int // indexes of entries whose answers may be a reason, in the order of their times
}

// mostCauses bounds how far back a reason is looked for.
const mostCauses = 500

func (l *linker) run() {
	for i := range l.entries {
		e := &l.entries[i]
		p := l.pages[e.page]
		if p == nil {
			p = &pageLink{first: i}
			l.pages[e.page] = p
		}
		e.link, e.by = l.reason(p, i)
		if e.host == l.host && l.kinds[i] != "image" && l.kinds[i] != "font" && !e.longLived() {
			p.causes = append(p.causes, i)
		}
		if e.url != "" {
			l.byURL[e.url] = append(l.byURL[e.url], i)
		}
		if to := e.redirectsTo(); to != "" {
			l.turned[to] = append(l.turned[to], i)
		}
	}
}

func (l *linker) reason(p *pageLink, i int) (int, linkKind) {
	e := &l.entries[i]
	if at := l.latest(l.turned[e.url], e, (*harEntry).first); at >= 0 && e.issued()-l.entries[at].end() < redirectMs {
		delete(l.turned, e.url)
		return at, byRedirect
	}
	if e.initiator != "" {
		if at := l.initiator(e); at >= 0 {
			return at, byInitiator
		}
	}
	if i == p.first {
		return -1, byNothing
	}
	if e.initiated && e.initiator == "" { // the browser itself: an icon, a prefetch
		if at := l.document(p, e); at >= 0 {
			return at, byTiming
		}
	}
	if at := l.timing(p, i); at >= 0 {
		return at, byTiming
	}
	return -1, byNothing
}

// latest is the last of some entries that was answered before another was issued; -1 where there is none.
func (l *linker) latest(of []int, e *harEntry, answer func(*harEntry) float64) int {
	for n, at := range slices.Backward(of) {
		if answer(&l.entries[at]) <= e.issued()+slack {
			return at
		}
		if len(of)-n > mostCauses {
			break
		}
	}
	return -1
}

// initiator is the entry of what the browser names. Where that had no answer yet (a preload by an early hint) it is what
// that one waited for itself.
func (l *linker) initiator(e *harEntry) int {
	of := l.byURL[e.initiator]
	if at := l.latest(of, e, (*harEntry).first); at >= 0 || len(of) == 0 {
		return at
	}
	at := of[len(of)-1]
	for range mostCauses {
		if at < 0 || l.entries[at].first() <= e.issued()+slack {
			return at
		}
		at = l.entries[at].link
	}
	return -1
}

// document is the page's last document before an entry; -1 where there is none.
func (l *linker) document(p *pageLink, e *harEntry) int {
	for n, at := range slices.Backward(p.causes) {
		if l.kinds[at] == "html" && l.entries[at].first() <= e.issued()+slack {
			return at
		}
		if len(p.causes)-n > mostCauses {
			break
		}
	}
	return -1
}

// timing is the last answer before an entry, of those that can be its reason. The document of the page is one in any case.
func (l *linker) timing(p *pageLink, i int) int {
	e := &l.entries[i]
	best, when := -1, 0.0
	for n, at := range slices.Backward(p.causes) {
		c := &l.entries[at]
		if t := c.there(l.kinds[at]); t <= e.issued()+slack && (best < 0 || t > when) && c.mayCause(l.kinds[at], l.kinds[i]) {
			best, when = at, t
		}
		if len(p.causes)-n > mostCauses {
			break
		}
	}
	if best < 0 && l.entries[p.first].first() <= e.issued()+slack {
		return p.first
	}
	return best
}

// redirectsTo is where an answer sends the browser; "" for no redirect.
func (e *harEntry) redirectsTo() string {
	if e.redirect == "" || e.status < 300 || e.status > 399 || e.url == "" {
		return ""
	}
	base, err := url.Parse(e.url)
	if err != nil {
		return ""
	}
	to, err := base.Parse(e.redirect)
	if err != nil {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	return sent(to.String())
}

// sorted puts entries in the order of their times; those without a time last.
func sorted(entries []harEntry) {
	slices.SortStableFunc(entries, func(a, b harEntry) int {
		if a.timed != b.timed {
			if a.timed {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.start, b.start)
	})
}
