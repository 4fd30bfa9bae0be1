package rule

import (
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
	mu       sync.Mutex
	known    map[alike]Suffered
	needs    map[alike]int64
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
	e := &estimate{clients: clients, known: make(map[alike]Suffered), needs: make(map[alike]int64)}
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

// at estimates what the page suffers at a place. Places alike are estimated once.
func (e *estimate) at(f *Facts, p Place) Suffered {
	s := shareOf(f, p)
	if s == nothing {
		return Suffered{}
	}
	var room [4]*config.LimitReq
	limits := counting(f, p.Settings, room[:0])
	if len(limits) != 1 {
		return e.run(s, limits, allLimits)
	}
	l := limits[0]
	alike := alike{s, l.Zone.Rate, l.Zone.Size, l.Burst, l.Delay, l.NoDelay}
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.known[alike]
	if !ok {
		known = e.run(s, limits, allLimits)
		known.NeedMilli = e.needOf(limits, alike)
		e.known[alike] = known
	}
	return known
}

// needOf is need for the only limit that counts, which is the same for all bursts and delays.
func (e *estimate) needOf(limits []*config.LimitReq, a alike) int64 {
	a.burst, a.delay, a.noDelay = 0, 0, false
	need, ok := e.needs[a]
	if !ok {
		need = e.need(limiters(limits), a.share, 0)
		e.needs[a] = need
	}
	return need
}

// alike are the numbers on which the estimate for one limit rests.
type alike struct {
	share                    share
	rate, size, burst, delay int64
	noDelay                  bool
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

// allLimits stands for no limit in particular.
const allLimits = -1

// run decides the pages of an office, the first of which finds the buckets empty, and counts what one of the limits
// decides, or all of them.
func (e *estimate) run(taken share, of []*config.LimitReq, by int) Suffered {
	s := Suffered{Clients: e.clients, Estimated: true}
	if by >= 0 {
		s.NeedMilli = e.need(limiters(of), taken, by)
	}
	limits := limiters(of)
	gap := clock.Msec(simulate.OfficeSpan.Milliseconds()) / clock.Msec(max(e.clients, 1))
	var page Counts
	decided := min(e.clients, estimatedPages)
	for n := range decided {
		page = e.page(limits, taken, 1_000_000+clock.Msec(n)*gap, by)
		if n == 0 {
			s.One = page
		}
		s.Office = s.Office.and(page)
	}
	if others := e.clients - decided; others > 0 {
		page.Requests *= others
		page.Delayed *= others
		page.Rejected *= others
		page.Lost *= others
		s.Office = s.Office.and(page)
	}
	return s
}

// limiters makes limits ready to decide. A visitor is one key.
func limiters(of []*config.LimitReq) []limitreq.Limit {
	var limits []limitreq.Limit
	for _, l := range of {
		zone, err := limitreq.NewZone(l.ZoneName, l.Zone.Rate, l.Zone.Size)
		if err != nil {
			continue // nginx refuses it too
		}
		delay := l.Delay
		if l.NoDelay {
			delay = limitreq.NoDelay
		}
		limits = append(limits, limitreq.Limit{Zone: zone, Key: "visitor", Burst: l.Burst, Delay: delay})
	}
	return limits
}

// need is the largest excess that one of the limits finds where no limit holds back or refuses anything.
func (e *estimate) need(limits []limitreq.Limit, taken share, of int) int64 {
	if of >= len(limits) {
		return 0
	}
	for i := range limits {
		limits[i].Burst, limits[i].Delay = limitreq.NoDelay, limitreq.NoDelay
	}
	var most int64
	var log []limitreq.Lookup
	for _, r := range e.requests {
		if !taken.takes(r.use) {
			continue
		}
		_, log = limitreq.DecideLogged(1_000_000+r.at, limits, false, log[:0])
		for _, l := range log {
			if l.Limit == of {
				most = max(most, l.Excess)
			}
		}
	}
	return most
}

// page decides the requests of one page that begins at a time.
func (e *estimate) page(limits []limitreq.Limit, taken share, start clock.Msec, by int) Counts {
	var c Counts
	lost := make([]bool, len(e.requests)) // the requests that were refused or never sent, by their index
	for _, r := range e.requests {
		if r.upon >= 0 && lost[r.upon] {
			lost[r.id] = true
			if taken.takes(r.use) {
				c.Lost++
			}
			continue
		}
		if !taken.takes(r.use) {
			continue
		}
		c.Requests++
		if len(limits) == 0 {
			continue
		}
		switch d := limitreq.Decide(start+r.at, limits, false); d.Verdict {
		case limitreq.Rejected:
			lost[r.id] = true
			if by < 0 || by == d.Zone {
				c.Rejected++
			}
		case limitreq.Delayed:
			if by < 0 || by == d.Zone {
				c.Delayed++
				c.MaxAddedMs = max(c.MaxAddedMs, int64(d.Wait))
			}
		default: // it passes at once
		}
	}
	return c
}
