package rule

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// SufferedBy returns what one limit of a list does to the page, at the server where it does most: summed over those of
// the list's places that are taken. Requests are all that come to them, whichever limit decides. NeedMilli is the most
// that any of the servers needs.
func (f *Facts) SufferedBy(list List[*config.LimitReq], limit int, take func(Place) bool) Suffered {
	fans := f.pages().fans
	var worst Suffered
	for n, fan := range fans {
		s := f.sufferedByFan(fan, list, limit, func(p Place) bool { return f.stands(fans, n, p) && take(p) })
		need := max(worst.NeedMilli, s.NeedMilli)
		if s.WorseThan(worst) || s.Unsent > worst.Unsent && !worst.One.Harmed() {
			worst = s
		}
		worst.NeedMilli = need
	}
	return worst
}

func (f *Facts) sufferedByFan(fan *pageFan, list List[*config.LimitReq], limit int, take func(Place) bool) Suffered {
	var worst, sum Suffered
	var need int64
	var server *config.Server
	for _, p := range list.Places {
		if p.Kind == config.KindIf || !take(p) {
			continue
		}
		s := f.sufferedBy(fan, p, limit)
		need = max(need, s.NeedMilli)
		if p.Server == server {
			s = sum.and(s)
		}
		server, sum = p.Server, s
		if sum.WorseThan(worst) || sum.Unsent > worst.Unsent && !worst.One.Harmed() {
			worst = sum
		}
	}
	worst.NeedMilli = need
	return worst
}

// EstimatedBy is SufferedBy for places that the simulated page does not come by, because its files are called otherwise: each
// place is taken to get the requests that its name suggests.
func (f *Facts) EstimatedBy(list List[*config.LimitReq], limit int, take func(Place) bool) Suffered {
	var worst Suffered
	for _, p := range list.Places {
		if p.Kind == config.KindIf || !take(p) {
			continue
		}
		fans := f.pages().fans
		for n, fan := range fans {
			if s := fan.rough.by(f, p, limit); f.stands(fans, n, p) && s.WorseThan(worst) {
				worst = s
			}
		}
	}
	return worst
}

// and adds what is suffered at another place of the server. Estimates for several places may rest on the same requests,
// so of those the worse one stands for both.
func (s Suffered) and(o Suffered) Suffered {
	if s.Estimated || o.Estimated {
		if o.WorseThan(s) {
			return o
		}
		return s
	}
	s.Clients = max(s.Clients, o.Clients)
	s.Unsent += o.Unsent
	s.One, s.Office = s.One.and(o.One), s.Office.and(o.Office)
	return s
}

func (c Counts) and(o Counts) Counts {
	return Counts{
		Requests: c.Requests + o.Requests, Delayed: c.Delayed + o.Delayed, Rejected: c.Rejected + o.Rejected, Lost: c.Lost + o.Lost,
		MaxAddedMs: max(c.MaxAddedMs, o.MaxAddedMs),
	}
}

// sufferedBy is what one limit of a place's list does there.
func (f *Facts) sufferedBy(fan *pageFan, p Place, limit int) Suffered {
	if !f.Simulated(p.Server) {
		return fan.rough.by(f, p, limit)
	}
	page := f.page(p.Server, fan)
	l := f.locationOf(page, p.Location)
	if l == nil || limit >= len(l.Limits) {
		return Suffered{}
	}
	n := l.Limits[limit]
	return Suffered{
		Clients: page.Clients, One: countsBy(l.One, n.One), Office: countsBy(l.Office, n.Office), NeedMilli: n.PeakMilli,
		Unsent: l.One.NotIssued,
	}
}

func countsBy(s simulate.LocationStat, n simulate.LimitStat) Counts {
	c := Counts{Requests: s.Requests, Delayed: n.Delayed, Rejected: n.Rejected, MaxAddedMs: n.MaxAddedMs}
	if n.Rejected > 0 {
		c.Lost = s.NotIssued
	}
	return c
}

// locationOf finds what a page suffers at a location of its server; nil where there is no such page.
func (f *Facts) locationOf(page *simulate.Page, l *config.Location) *simulate.PageLocation {
	if page == nil {
		return nil
	}
	known, ok := f.locations.Load(page)
	if !ok {
		index := make(map[*config.Location]*simulate.PageLocation, len(page.Locations))
		for i := range page.Locations {
			index[page.Locations[i].Location] = &page.Locations[i]
		}
		known, _ = f.locations.LoadOrStore(page, index)
	}
	return known.(map[*config.Location]*simulate.PageLocation)[l]
}

// Refused is what a limit_conn does to the page of one client.
type Refused struct {
	Server   *config.Server
	Requests int   // of the page, that come to the limit
	Rejected int   // of them
	AtOnce   int64 // how many it counts at once where none is refused
}

// RefusedBy returns what one limit of a list of limit_conn does to one client's page, at the server where it refuses most
// and the page was simulated.
func (f *Facts) RefusedBy(list List[*config.LimitConn], limit int, take func(Place) bool) Refused {
	fans := f.pages().fans
	var worst Refused
	for n, fan := range fans {
		r := f.refusedByFan(fan, list, limit, func(p Place) bool { return f.stands(fans, n, p) && take(p) })
		if n == 0 || r.Rejected > worst.Rejected {
			worst = r
		}
	}
	return worst
}

func (f *Facts) refusedByFan(fan *pageFan, list List[*config.LimitConn], limit int, take func(Place) bool) Refused {
	var worst, sum Refused
	for _, p := range list.Places {
		if p.Kind == config.KindIf || !take(p) {
			continue
		}
		l := f.locationOf(f.page(p.Server, fan), p.Location)
		if l == nil || limit >= len(l.Conns) {
			continue
		}
		if p.Server != sum.Server {
			sum = Refused{Server: p.Server}
		}
		n := l.Conns[limit]
		sum.Requests += l.One.Requests + l.One.NotIssued
		sum.Rejected += n.Rejected
		sum.AtOnce = max(sum.AtOnce, n.Peak)
		if sum.Rejected >= worst.Rejected {
			worst = sum
		}
	}
	return worst
}

// BurstNeeded is the smallest burst with which the limit, with nodelay, refuses none of one client's page where nothing
// else holds it up.
func (s Suffered) BurstNeeded() int64 { return (s.NeedMilli + 999) / 1000 }

// by is at for one limit of a place's list.
func (e *estimate) by(f *Facts, p Place, limit int) Suffered {
	all := p.Settings.LimitReqs.Value
	if limit >= len(all) {
		return Suffered{}
	}
	var room [4]*config.LimitReq
	limits := counting(f, p.Settings, room[:0])
	k := slices.Index(limits, all[limit])
	if k < 0 {
		return Suffered{}
	}
	s := shareOf(f, p)
	if s == nothing {
		return Suffered{}
	}
	return e.of(s, limits).by[k]
}
