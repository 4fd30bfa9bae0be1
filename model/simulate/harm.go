package simulate

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Harm is what one limit_req did to the people's requests at one place. With Options.Open it is what it found.
type Harm struct {
	Place             pipeline.Place
	Limit             *config.LimitReq
	Delayed, Rejected int
	NeedMilli         int64 // with Options.Open: the least burst that with nodelay refuses nothing, see pipeline.Need
}

// A ConnHarm is likewise what one limit_conn did.
type ConnHarm struct {
	Place    pipeline.Place
	Limit    *config.LimitConn
	Rejected int
	Need     int64 // with Options.Open: the most requests of a key at once
}

// A Mend is the search for a change of the configuration that lets the people through.
type Mend struct {
	Before Figures  `json:"before"`
	Change *Change  `json:"change"` // the smallest that does; nil where none of those tried does
	Tried  []Change `json:"tried"`  // from the least to the most invasive
	Note   string   `json:"note,omitempty"`

	After *Result `json:"-"` // of Change, in the detail that was asked for; nil without it
}

// A Change is one edit of the configuration, and what came of it.
type Change struct {
	Kind  string        `json:"kind"` // "trust", "nodelay", "burst", "conn", "rate", "exempt", "key"; several joined by "+"
	Title string        `json:"title"`
	Cost  int           `json:"cost"` // how invasive it is: a nodelay is 1
	Mends bool          `json:"mends"`
	After Figures       `json:"after"`
	Feels string        `json:"feeling"`
	Edits []Edit        `json:"edits"`
	Spans []source.Edit `json:"-"`
}

// An Edit replaces text of the configuration; counted as in the findings of check.
type Edit struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	Old    string `json:"old"`
	Text   string `json:"text"`
}

// Figures are what people notice of a run, and what comes of an attack beside them.
type Figures struct {
	Requests      int   `json:"requests"` // of the people
	Delayed       int   `json:"delayed"`
	Rejected      int   `json:"rejected"`
	Pages         int   `json:"pages"`
	BrokenPages   int   `json:"broken_pages"`
	PageP50Ms     int64 `json:"page_p50_ms"`
	PageP95Ms     int64 `json:"page_p95_ms"`
	AddedMaxMs    int64 `json:"added_max_ms"`
	AttackAll     int   `json:"attack_requests"`
	AttackThrough int   `json:"attack_passed"`
}

// Figures sums a result up.
func (r *Result) Figures() Figures {
	var f Figures
	for i := range r.Crowds {
		c := &r.Crowds[i]
		if !r.Tells(c) {
			f.AttackAll += c.Requests
			f.AttackThrough += c.Passed + c.Delayed
			continue
		}
		f.Requests += c.Requests + c.Blocked
		f.Delayed += c.Delayed
		f.Rejected += c.Rejected + c.Blocked
		f.AddedMaxMs = max(f.AddedMaxMs, c.AddedMs.Max)
	}
	if p := r.Page; p != nil {
		f.Pages, f.BrokenPages, f.PageP50Ms, f.PageP95Ms = p.Pages, p.BrokenPages, p.LimitedMs.P50, p.LimitedMs.P95
	}
	return f
}

// harms lists what limit_req did to the people, in the order of the configuration.
func (s *simulation) harms() []Harm {
	var list []Harm
	known := map[harmKey]int{}
	for at := range s.limitedPlaces {
		limits := at.place.Level.Settings.LimitReqs.Value
		for _, l := range limits {
			k := indexReq(limits, l.Zone)
			if k < 0 {
				continue
			}
			n := numberOf(known, harmKey{at.place.Level, l.ZoneName})
			if n == len(list) {
				list = append(list, Harm{Place: at.place, Limit: l, NeedMilli: s.pipe.Need(at.place, l.ZoneName)})
			}
			did := elem(at.limits.reqs, k)
			list[n].Delayed += did.Delayed
			list[n].Rejected += did.Rejected
		}
	}
	return list
}

// connHarms is likewise for limit_conn.
func (s *simulation) connHarms() []ConnHarm {
	var list []ConnHarm
	known := map[harmKey]int{}
	for at := range s.limitedPlaces {
		limits := at.place.Level.Settings.LimitConns.Value
		for _, l := range limits {
			k := indexConn(limits, l.Zone)
			if k < 0 {
				continue
			}
			n := numberOf(known, harmKey{at.place.Level, l.ZoneName})
			if n == len(list) {
				list = append(list, ConnHarm{Place: at.place, Limit: l, Need: s.pipe.NeedConns(at.place, l.ZoneName)})
			}
			list[n].Rejected += elem(at.limits.conns, k)
		}
	}
	return list
}

// limitedPlaces yields the places with limits that the people's requests came to, once for each crowd.
func (s *simulation) limitedPlaces(yield func(*placeStats) bool) {
	for _, c := range s.crowds {
		if !c.people {
			continue
		}
		for _, at := range c.stats.ordered() {
			if at.place.Limited() && !yield(at) {
				return
			}
		}
	}
}

type harmKey struct {
	level *config.Level
	zone  string
}

// numberOf returns a key's place in the order in which keys were first asked for.
func numberOf(known map[harmKey]int, k harmKey) int {
	n, ok := known[k]
	if !ok {
		n = len(known)
		known[k] = n
	}
	return n
}
