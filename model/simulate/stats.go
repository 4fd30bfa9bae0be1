package simulate

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// stats counts requests by the place that they belong to, and pages. Its size follows the places, not the requests.
type stats struct {
	places  pipeline.ByPlace[placeStats]
	zones   map[*config.Zone]*sample // what each added
	pages   int
	broken  int
	times   sample // of pages
	added   sample // what limit_req added, of all requests that were not refused
	retries int
	blocked int // by the edge
	status  int // of the last of errors
	errors  int // answered by nginx itself with a status from 400 on, and not refused by a limiter
}

type placeStats struct {
	place  pipeline.Place
	n      LocationStat
	added  sample
	served sample
	limits limitStats
}

func newStats() *stats {
	return &stats{zones: map[*config.Zone]*sample{}}
}

func (s *stats) of(p pipeline.Place) *placeStats {
	at, made := s.places.Of(p)
	if made {
		at.place = p
	}
	return at
}

// count takes one request that came to nginx at a time and was done at another, in microseconds.
func (s *stats) count(f *pipeline.Flight, came, done int64) {
	s.countAt(s.of(f.Place()), f, (done-came)/1000)
}

// countAt takes one request of a place, that was done so many milliseconds after it came.
func (s *stats) countAt(at *placeStats, f *pipeline.Flight, took int64) {
	at.n.Requests++
	d := &f.Decision
	if !f.Refused() && f.Status() >= 400 {
		s.errors, s.status = s.errors+1, f.Status()
	}
	at.decided(f)
	switch {
	case f.Refused():
		at.n.Rejected++
		return
	case d.Verdict == limitreq.Delayed:
		at.n.Delayed++
	case d.Verdict == limitreq.None && f.Lost():
		at.n.Unknown++
	default:
		at.n.Passed++
	}
	if d.Verdict == limitreq.DelayedDryRun || d.Verdict == limitreq.RejectedDryRun || f.Conn.Verdict == limitconn.RejectedDryRun {
		at.n.DryRun++
	}
	at.added.add(int64(d.Wait))
	at.served.add(took)
	s.added.add(int64(d.Wait))
	if d.Wait > 0 && f.Zone != nil {
		s.zone(f.Zone).add(int64(d.Wait))
	}
}

func (s *stats) zone(z *config.Zone) *sample {
	at := s.zones[z]
	if at == nil {
		at = &sample{}
		s.zones[z] = at
	}
	return at
}

// notIssued counts requests that were never sent, at the place they would have come to first.
func (s *stats) notIssued(p *pipeline.Plan, n int64) { s.of(p.Place()).n.NotIssued += int(n) }

// block counts a request that the edge answered, at the place that it would have come to first.
func (s *stats) block(p *pipeline.Plan) { s.blockAt(p.Place()) }

func (s *stats) blockAt(p pipeline.Place) {
	s.blocked++
	s.of(p).n.AtEdge++
}

// page counts one page.
func (s *stats) page(v *visit) {
	s.pages++
	if v.broken {
		s.broken++
	}
	if v.begun {
		s.times.add(v.took())
	}
}

// took is how long a page took, in milliseconds.
func (v *visit) took() int64 { return (v.last - v.start + 500) / 1000 }

// locations returns the counts in the order of the configuration.
func (s *stats) locations() []LocationStat {
	list := make([]LocationStat, 0, s.places.Len())
	for _, at := range s.ordered() {
		list = append(list, at.result())
	}
	return list
}

func (at *placeStats) result() LocationStat {
	n := at.n
	n.at(at.place)
	n.AddedMs, n.ServedMs = at.added.quantiles(), at.served.quantiles()
	return n
}

// at says which place the counts are of.
func (n *LocationStat) at(p pipeline.Place) {
	n.Server, n.Location, n.File, n.Line, n.Limited = p.ServerName(), p.Label(), p.File(), p.Line(), p.Limited()
}
