package rule

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// An estimate says nearly what a page suffers, without routing any request: each place gets the requests that its name
// suggests, at the times at which an unlimited page sends them, and the limiter itself decides. What hangs on a refused
// request is not sent; that a delayed one delays others is left out.
type estimate struct {
	requests []estimated // in the order of their times
	clients  int

	mu    sync.Mutex
	known map[string]*outcome // by the numbers on which it rests
	zones map[zoneAt]*limitreq.Zone
	key   []byte
	lost  []bool // the requests of a page that were refused or never sent, by their index
	log   []limitreq.Lookup
}

// An outcome is what a list of limits does to the page.
type outcome struct {
	all Suffered
	by  []Suffered // by each limit
}

// An estimated request is one of the fan.
type estimated struct {
	at   clock.Msec // when it reaches nginx
	use  Use        // ForStatic, ForPrograms for what scripts ask for, or ForPages
	id   int        // its index in the fan
	upon int        // the request that it hangs on; -1 for none
}

// estimatedPages is how many pages of an office are decided one by one; the others are taken to fare as the last of them.
const estimatedPages = 6

func estimateOf(fan *traffic.Fan, clients int) *estimate {
	e := &estimate{clients: clients, known: make(map[string]*outcome), zones: make(map[zoneAt]*limitreq.Zone), lost: make([]bool, len(fan.Requests))}
	done := make([]clock.Msec, len(fan.Requests))
	for i := range fan.Requests {
		r := &fan.Requests[i]
		q := estimated{at: clock.Msec(r.StartOffsetMs + simulate.DefaultRTTMs/2), use: useOfKind(r.Kind), id: i, upon: -1}
		if on := r.DependsOn; on != nil && *on >= 0 && *on < i {
			q.upon = *on
			q.at += done[*on]
		}
		done[i] = q.at + clock.Msec(simulate.ServiceMs[r.Kind]+simulate.DefaultRTTMs/2)
		e.requests = append(e.requests, q)
	}
	slices.SortStableFunc(e.requests, func(a, b estimated) int { return int(a.at - b.at) })
	return e
}

func useOfKind(kind string) Use {
	switch kind {
	case "static", "image", "font":
		return ForStatic
	case "html":
		return ForPages
	}
	return ForPrograms
}

// A share is which of the page's requests a place is taken to get.
type share uint8

const (
	nothing share = iota
	everything
	staticFilesOnly
	scriptsOnly
)

// shareOf goes by what a place is called.
func shareOf(f *Facts, p Place) share {
	switch {
	case p.CatchesAll():
		return everything
	case p.Location == nil || p.Location.Modifier == "=":
		return nothing
	case f.Use(p) == ForStatic:
		return staticFilesOnly
	case p.Location.Pattern == "/api/" || p.Location.Pattern == "/api":
		return scriptsOnly
	}
	return nothing
}

func (s share) takes(u Use) bool {
	return s == everything || s == staticFilesOnly && u == ForStatic || s == scriptsOnly && u == ForPrograms
}

// at estimates what the page suffers at a place.
func (e *estimate) at(f *Facts, p Place) Suffered {
	s := shareOf(f, p)
	if s == nothing {
		return Suffered{}
	}
	var room [4]*config.LimitReq
	return e.of(s, counting(f, p.Settings, room[:0])).all
}

// counting appends the limits of a level that count a visitor to a page.
func counting(f *Facts, s *config.Settings, limits []*config.LimitReq) []*config.LimitReq {
	if s.LimitReqDryRun.Value {
		return limits
	}
	for _, l := range s.LimitReqs.Value {
		if l.Zone != nil && f.Key(l.Zone.Key).Pages {
			limits = append(limits, l)
		}
	}
	return limits
}

// of estimates what limits do to their share of the page. Lists of the same numbers do the same, and are estimated once.
func (e *estimate) of(taken share, limits []*config.LimitReq) *outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.key = append(e.key[:0], byte(taken))
	for _, l := range limits {
		for _, n := range [...]int64{l.Zone.Rate, min(l.Zone.Size, roomy), l.Burst, l.Delay} {
			e.key = binary.AppendVarint(e.key, n)
		}
	}
	known, ok := e.known[string(e.key)]
	if !ok {
		known = e.run(taken, limits)
		e.known[string(e.key)] = known
	}
	return known
}

// roomy is the size of a zone, in bytes, from which on it surely holds one visitor.
const roomy = 1 << 20

// run decides the pages of an office, the first of which finds the buckets empty.
func (e *estimate) run(taken share, of []*config.LimitReq) *outcome {
	needs := e.need(taken, of)
	limits := e.limiters(of)
	sums := make([]Suffered, 1+len(of)) // by all, and by each
	for i := range sums {
		sums[i] = Suffered{Clients: e.clients, Estimated: true}
	}
	gap := clock.Msec(simulate.OfficeSpan.Milliseconds()) / clock.Msec(max(e.clients, 1))
	page := make([]Counts, len(sums))
	decided := min(e.clients, estimatedPages)
	for n := range decided {
		e.page(page, limits, taken, 1_000_000+clock.Msec(n)*gap)
		for i, c := range page {
			if n == 0 {
				sums[i].One = c
			}
			sums[i].Office = sums[i].Office.and(c)
		}
	}
	if others := e.clients - decided; others > 0 {
		for i, c := range page {
			sums[i].Office = sums[i].Office.and(c.times(others))
		}
	}
	out := &outcome{sums[0], sums[1:]}
	for i, need := range needs {
		out.by[i].NeedMilli = need
	}
	if len(of) == 1 {
		out.all.NeedMilli = out.by[0].NeedMilli
	}
	return out
}

func (c Counts) times(n int) Counts {
	return Counts{Requests: n * c.Requests, Delayed: n * c.Delayed, Rejected: n * c.Rejected, Lost: n * c.Lost, MaxAddedMs: c.MaxAddedMs}
}

// A zoneAt is a zone at its place in a list: named twice in one, which nginx refuses, it is taken for two.
type zoneAt struct {
	zone *config.Zone
	i    int
}

// loader is the key of whoever loads the page: a visitor is one key.
const loader = "visitor"

// limiters makes limits ready to decide, their buckets empty.
func (e *estimate) limiters(of []*config.LimitReq) []limitreq.Limit {
	limits := make([]limitreq.Limit, 0, len(of))
	for i, l := range of {
		zone, ok := e.zones[zoneAt{l.Zone, i}]
		if !ok {
			zone, _ = limitreq.NewZone(l.ZoneName, l.Zone.Rate, l.Zone.Size) // nil where nginx refuses it too
			e.zones[zoneAt{l.Zone, i}] = zone
		}
		if zone == nil {
			continue
		}
		zone.Forget(loader)
		delay := l.Delay
		if l.NoDelay {
			delay = limitreq.NoDelay
		}
		limits = append(limits, limitreq.Limit{Zone: zone, Key: loader, Burst: l.Burst, Delay: delay})
	}
	return limits
}

// need is the largest excess that each limit finds where no limit holds back or refuses anything.
func (e *estimate) need(taken share, of []*config.LimitReq) []int64 {
	limits := e.limiters(of)
	for i := range limits {
		limits[i].Burst, limits[i].Delay = limitreq.NoDelay, limitreq.NoDelay
	}
	most := make([]int64, len(limits))
	for _, r := range e.requests {
		if !taken.takes(r.use) {
			continue
		}
		_, e.log = limitreq.DecideLogged(1_000_000+r.at, limits, false, e.log[:0])
		for _, l := range e.log {
			most[l.Limit] = max(most[l.Limit], l.Excess)
		}
	}
	return most
}

// page decides the requests of one page that begins at a time, and counts what all limits do, and behind that what each does.
func (e *estimate) page(counts []Counts, limits []limitreq.Limit, taken share, start clock.Msec) {
	clear(counts)
	clear(e.lost)
	all := &counts[0]
	for _, r := range e.requests {
		if r.upon >= 0 && e.lost[r.upon] {
			e.lost[r.id] = true
			if taken.takes(r.use) {
				all.Lost++
			}
			continue
		}
		if !taken.takes(r.use) {
			continue
		}
		all.Requests++
		if len(limits) == 0 {
			continue
		}
		switch d := limitreq.Decide(start+r.at, limits, false); d.Verdict {
		case limitreq.Rejected:
			e.lost[r.id] = true
			all.Rejected++
			counts[1+d.Zone].Rejected++
		case limitreq.Delayed:
			for _, c := range []*Counts{all, &counts[1+d.Zone]} {
				c.Delayed++
				c.MaxAddedMs = max(c.MaxAddedMs, int64(d.Wait))
			}
		default: // it passes at once
		}
	}
	for i := range counts {
		counts[i].Requests, counts[i].Lost = all.Requests, all.Lost
	}
}
