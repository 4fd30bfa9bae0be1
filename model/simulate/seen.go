package simulate

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Seen is whom nginx takes for the clients that come through proxies, in one run.
type Seen struct {
	Addresses int       `json:"addresses"`    // that nginx tells apart
	Clients   int       `json:"clients"`      // addresses from which clients came
	OfProxies int       `json:"of_proxies"`   // of the addresses, how many are proxies'
	Mistaken  int       `json:"mistaken"`     // requests that nginx took to be a proxy's
	Rejected  int       `json:"rejected"`     // requests that were refused
	Busiest   []SeenRow `json:"most_clients"` // those that stand for most clients, at most maxSeenRows of them
}

// A SeenRow is one address that nginx takes for a client's.
type SeenRow struct {
	Addr     string `json:"remote_addr"`
	Of       string `json:"of"`      // a proxy's name, or "client"
	Clients  int    `json:"clients"` // addresses of clients that it stands for
	Requests int    `json:"requests"`
	Delayed  int    `json:"delayed"`
	Rejected int    `json:"rejected"`
}

// Trusting compares what nginx sees as it is with what it would see if every proxy that has to be was trusted.
type Trusting struct {
	Before  Seen    `json:"before"`
	Figures Figures `json:"figures"` // of the run as it is
	Change  *Change `json:"change"`  // nil where nothing is missing, or nothing of this kind helps
	After   *Seen   `json:"after"`   // nil likewise
	Note    string  `json:"note,omitempty"`
}

const (
	maxSeen     = 100_000 // addresses that are told apart, and clients of all of them
	maxSeenRows = 12
)

// sightings counts the addresses that nginx takes for clients'; nil where clients connect themselves.
type sightings struct {
	rows    map[netip.Addr]*sighting
	clients map[sightingOf]struct{}
	from    map[int32]struct{} // numbers of the clients' addresses
}

type sighting struct{ clients, requests, delayed, rejected int }

type sightingOf struct {
	seen netip.Addr
	from int32
}

func newSightings(o *Options) *sightings {
	if len(o.Via) == 0 {
		return nil
	}
	return &sightings{rows: map[netip.Addr]*sighting{}, clients: map[sightingOf]struct{}{}, from: map[int32]struct{}{}}
}

// count counts a request with which nginx is done.
func (s *sightings) count(l *load, f *pipeline.Flight) {
	if s == nil {
		return
	}
	a := f.Client()
	row := s.rows[a]
	if row == nil {
		if len(s.rows) >= maxSeen {
			return
		}
		row = &sighting{}
		s.rows[a] = row
	}
	row.requests++
	switch {
	case f.Refused():
		row.rejected++
	case f.Decision.Wait > 0:
		row.delayed++
	}
	if key := (sightingOf{a, l.address}); len(s.clients) < maxSeen {
		if _, known := s.clients[key]; !known {
			s.clients[key] = struct{}{}
			s.from[l.address] = struct{}{}
			row.clients++
		}
	}
}

// seen sums up what was counted.
func (s *simulation) seen() *Seen {
	if s.sightings == nil {
		return nil
	}
	names := map[netip.Addr]string{}
	for _, way := range s.opts.Via {
		for i := range way {
			names[way[i].Node.Addr()] = way[i].Name
			if way[i].Own.IsValid() {
				names[way[i].Own] = way[i].Name
			}
		}
	}
	seen := &Seen{Addresses: len(s.sightings.rows), Clients: len(s.sightings.from), Busiest: []SeenRow{}}
	for a, n := range s.sightings.rows {
		row := SeenRow{Addr: addressText(a), Of: "client", Clients: n.clients, Requests: n.requests, Delayed: n.delayed, Rejected: n.rejected}
		if name, proxy := names[a]; proxy {
			row.Of = name
			seen.OfProxies++
			seen.Mistaken += n.requests
		}
		seen.Rejected += n.rejected
		seen.Busiest = append(seen.Busiest, row)
	}
	slices.SortFunc(seen.Busiest, func(a, b SeenRow) int {
		return cmp.Or(cmp.Compare(b.Clients, a.Clients), cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Addr, b.Addr))
	})
	seen.Busiest = seen.Busiest[:min(len(seen.Busiest), maxSeenRows)]
	return seen
}
