package simulate

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A LimitStat counts the requests that one limit decided: where several judge a request, the one that nginx names in its
// log, which is the first that refuses, or else the one that waits longest.
type LimitStat struct {
	Delayed, Rejected int
	MaxAddedMs        int64
}

// A PageLimit is what one limit_req of a location did to the fan's requests.
type PageLimit struct {
	One, Office LimitStat

	// PeakMilli is the largest excess that the limit finds where one client's requests come as they would without limits:
	// the least burst that with nodelay refuses none of them. 0 where it counts none.
	PeakMilli int64
}

// A PageConn is what one limit_conn of a location did to the fan's requests of one client: over HTTP/2 where the server
// offers that, else over six connections of HTTP/1.1.
type PageConn struct {
	Rejected int
	Peak     int64 // how many requests the limit counts at once where none is held back or refused
}

// limitStats are LimitStats in the order of a level's limits.
type limitStats struct {
	reqs  []LimitStat
	conns []int // refused
}

// decided counts a request at the limit that decided it.
func (at *placeStats) decided(f *pipeline.Flight) {
	if at.place.Level == nil || f.Zone == nil && f.ConnZone == nil {
		return
	}
	reqs, conns := at.place.Level.Settings.LimitReqs.Value, at.place.Level.Settings.LimitConns.Value
	d := &f.Decision
	if i := indexReq(reqs, f.Zone); i >= 0 && (d.Verdict == limitreq.Delayed || d.Verdict == limitreq.Rejected) {
		if at.limits.reqs == nil {
			at.limits.reqs = make([]LimitStat, len(reqs))
		}
		n := &at.limits.reqs[i]
		if d.Verdict == limitreq.Rejected {
			n.Rejected++
			return
		}
		n.Delayed++
		n.MaxAddedMs = max(n.MaxAddedMs, int64(d.Wait))
	}
	if i := indexConn(conns, f.ConnZone); i >= 0 && f.Refused() {
		if at.limits.conns == nil {
			at.limits.conns = make([]int, len(conns))
		}
		at.limits.conns[i]++
	}
}

// indexReq is a zone's place among the limits of a list whose zones are defined: only those are asked, so that servers
// whose pages fare alike have them at the same places.
func indexReq(list []*config.LimitReq, zone *config.Zone) int {
	n := 0
	for _, l := range list {
		switch l.Zone {
		case nil:
			continue
		case zone:
			return n
		}
		n++
	}
	return -1
}

func indexConn(list []*config.LimitConn, zone *config.ConnZone) int {
	n := 0
	for _, l := range list {
		switch l.Zone {
		case nil:
			continue
		case zone:
			return n
		}
		n++
	}
	return -1
}

// peaks are what the limits of a place find in an open pipeline, in their order.
type peaks struct{ reqs, conns []int64 }

func peaksOf(p *pipeline.Pipeline, places []pipeline.Place) []peaks {
	list := make([]peaks, len(places))
	for i, place := range places {
		if !place.Limited() {
			continue
		}
		for _, l := range place.Level.Settings.LimitReqs.Value {
			if l.Zone != nil {
				list[i].reqs = append(list[i].reqs, p.Need(place, l.ZoneName))
			}
		}
		for _, l := range place.Level.Settings.LimitConns.Value {
			if l.Zone != nil {
				list[i].conns = append(list[i].conns, p.NeedConns(place, l.ZoneName))
			}
		}
	}
	return list
}

// OffersHTTP2 says whether browsers can send a server many requests at once over one connection.
func OffersHTTP2(s *config.Server) bool {
	return slices.ContainsFunc(s.Listens, func(l *config.Listen) bool { return l.HTTP2 || l.QUIC })
}

// countsConnections says whether a limit_conn is in effect somewhere in a server.
func countsConnections(s *config.Server) bool {
	if len(s.Settings.LimitConns.Value) > 0 {
		return true
	}
	for l := range s.AllLocations {
		if len(l.Settings.LimitConns.Value) > 0 {
			return true
		}
	}
	return false
}

// limitsOf puts together what the limits of a place did; n is its number, -1 where no request reached it.
func (r *ran) limitsOf(place pipeline.Place, n int) (reqs []PageLimit, conns []PageConn) {
	if !place.Limited() {
		return nil, nil
	}
	listed, connsListed := place.Level.Settings.LimitReqs.Value, place.Level.Settings.LimitConns.Value
	reqs, conns = make([]PageLimit, len(listed)), make([]PageConn, len(connsListed))
	if n < 0 {
		return reqs, conns
	}
	for i, l := range listed {
		if k := indexReq(listed, l.Zone); k >= 0 {
			reqs[i] = PageLimit{elem(r.ones.limits[n].reqs, k), elem(r.offices.limits[n].reqs, k), elem(r.open[n].reqs, k)}
		}
	}
	for i, l := range connsListed {
		if k := indexConn(connsListed, l.Zone); k >= 0 {
			conns[i] = PageConn{elem(r.conns.limits[n].conns, k), elem(r.openConns[n].conns, k)}
		}
	}
	return reqs, conns
}

// elem is an element of a list that may have been left out.
func elem[T any](list []T, i int) (v T) {
	if i < len(list) {
		v = list[i]
	}
	return v
}
