package rule

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// PageFan is the page load that stands for an ordinary page, wherever the settings name no other.
const PageFan = "portal"

// MaxSimulated is how many servers of one configuration have their pages simulated: those that suffer most by a rough
// estimate. A simulation takes a thousand times as long as the estimate, which has to do for the others.
const MaxSimulated = 64

// pages are what is known of page loads: simulated where the server is one of those chosen.
type pages struct {
	*simulate.Pages
	fans    []*pageFan // the default first
	chosen  map[*config.Server]bool
	leftOut int
}

// A pageFan is a page load that stands for what people ask for at some servers and locations.
type pageFan struct {
	FanFor
	rough *estimate
}

func (f *Facts) newPages() pages {
	fan, err := traffic.Builtin(PageFan)
	if err != nil {
		panic(fmt.Sprintf("the built-in page is missing: %v", err)) // it is part of the program
	}
	all := pages{Pages: simulate.NewPages(f.Tree, f.router())}
	for _, of := range append([]FanFor{{Fan: fan}}, f.Settings.Fans...) {
		all.fans = append(all.fans, &pageFan{of, estimateOf(of.Fan, f.Settings.Clients())})
	}
	all.chosen, all.leftOut = f.choose(all.fans)
	return all
}

// stands says whether a fan stands for what is asked for at a place. The default does where no other one is named.
func (f *Facts) stands(fans []*pageFan, n int, p Place) bool {
	if n > 0 {
		return fans[n].standsFor(p)
	}
	return !slices.ContainsFunc(fans[1:], func(other *pageFan) bool { return other.standsFor(p) })
}

func (of *FanFor) standsFor(p Place) bool {
	return MatchServer(of.Servers, p.Server) && MatchLocation(of.Locations, p.Location)
}

// choose returns the servers whose pages are simulated, and how many limited ones there are besides.
func (f *Facts) choose(fans []*pageFan) (chosen map[*config.Server]bool, leftOut int) {
	type limited struct {
		server *config.Server
		worst  Suffered
	}
	if f.Tree.HTTP == nil {
		return nil, 0
	}
	all := make([]limited, 0, len(f.Tree.HTTP.Servers))
	for _, p := range f.Places() {
		if len(p.Settings.LimitReqs.Value)+len(p.Settings.LimitConns.Value) == 0 {
			continue
		}
		if n := len(all); n == 0 || all[n-1].server != p.Server {
			all = append(all, limited{server: p.Server})
		}
		for n, fan := range fans {
			if !f.stands(fans, n, p) {
				continue
			}
			if s := fan.rough.at(f, p); s.WorseThan(all[len(all)-1].worst) {
				all[len(all)-1].worst = s
			}
		}
	}
	if len(all) > MaxSimulated {
		slices.SortStableFunc(all, func(a, b limited) int {
			switch {
			case a.worst.WorseThan(b.worst):
				return -1
			case b.worst.WorseThan(a.worst):
				return 1
			}
			return 0
		})
		leftOut = len(all) - MaxSimulated
		all = all[:MaxSimulated]
	}
	chosen = make(map[*config.Server]bool, len(all))
	for _, l := range all {
		chosen[l.server] = true
	}
	return chosen, leftOut
}

// Simulated says whether page loads at a server are simulated, rather than estimated.
func (f *Facts) Simulated(s *config.Server) bool { return f.pages().chosen[s] }

// Pages returns what page loads suffer at a server, one for each fan that stands for some of its locations: what one visitor
// suffers, and all who share an address. There is none where no limit is in effect, and for servers beyond MaxSimulated.
func (f *Facts) Pages(s *config.Server) []*simulate.Page {
	fans := f.pages().fans
	var all []*simulate.Page
	for n := range fans {
		at := func(l *config.Location) bool {
			return f.stands(fans, n, Place{Server: s, Location: l})
		}
		stands := at(nil)
		if len(fans) > 1 {
			for l := range s.AllLocations {
				stands = stands || at(l)
			}
		}
		if page := f.page(s, fans[n]); stands && page != nil {
			all = append(all, page)
		}
	}
	return all
}

// Stands says whether the fan of a page stands for what is asked for at a place.
func (f *Facts) Stands(page *simulate.Page, p Place) bool {
	fans := f.pages().fans
	return slices.ContainsFunc(fans, func(fan *pageFan) bool {
		return fan.Fan.Name == page.Fan && f.stands(fans, slices.Index(fans, fan), p)
	})
}

// page returns what the load of one fan suffers at a server; nil where it is not simulated.
func (f *Facts) page(s *config.Server, fan *pageFan) *simulate.Page {
	pages := f.pages()
	if !pages.chosen[s] {
		return nil
	}
	clients := f.Settings.Clients()
	return pages.Of(s, fan.Fan, clients, clients)
}

// PageOf returns what one client's load of any other fan suffers at a server; nil where it is not simulated. The same fan is
// simulated once for servers that treat it alike.
func (f *Facts) PageOf(s *config.Server, fan *traffic.Fan) *simulate.Page {
	pages := f.pages()
	if !pages.chosen[s] {
		return nil
	}
	return pages.Of(s, fan, 1, 1)
}

// NotSimulated returns how many servers have limits and no simulated page, because there are more than MaxSimulated.
func (f *Facts) NotSimulated() int { return f.pages().leftOut }

// Suffered returns what the page's requests suffer at a place, simulated or estimated; of several pages that stand for the
// place, what the worst one does. An if block has none of its own.
func (f *Facts) Suffered(p Place) Suffered {
	if p.Kind == config.KindIf {
		return Suffered{}
	}
	pages := f.pages()
	var worst Suffered
	for n, fan := range pages.fans {
		if !f.stands(pages.fans, n, p) {
			continue
		}
		if s := f.sufferedOf(fan, p); s.WorseThan(worst) || worst.Clients == 0 {
			worst = s
		}
	}
	return worst
}

func (f *Facts) sufferedOf(fan *pageFan, p Place) Suffered {
	if !f.Simulated(p.Server) {
		return fan.rough.at(f, p)
	}
	page := f.page(p.Server, fan)
	l := f.locationOf(page, p.Location)
	if l == nil {
		return Suffered{}
	}
	return Suffered{Clients: page.Clients, One: countsOf(l.One), Office: countsOf(l.Office)}
}

func countsOf(s simulate.LocationStat) Counts {
	return Counts{Requests: s.Requests, Delayed: s.Delayed, Rejected: s.Rejected, Lost: s.NotIssued, MaxAddedMs: s.AddedMs.Max}
}
