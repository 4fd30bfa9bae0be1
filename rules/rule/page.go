package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// Suffered is what one page's requests suffer at a place: those of one visitor, and those of all who share an address.
// Without requests the page does not come by the place.
type Suffered struct {
	Clients     int  // of Office
	Estimated   bool // by arithmetic, not by a simulation
	One, Office Counts
	Unsent      int // of one client's page, that would come here and never do: what they hang on was refused, here or elsewhere

	// NeedMilli is the largest excess that a limit finds where one client's requests come as they would without limits; 0
	// where no single limit is meant.
	NeedMilli int64
}

// Counts are requests that a place judged.
type Counts struct {
	Requests, Delayed, Rejected int
	Lost                        int // never sent, because what they hang on was refused
	MaxAddedMs                  int64
}

// Harmed says whether any request waited or was refused.
func (c Counts) Harmed() bool { return c.Delayed+c.Rejected > 0 }

// WorseThan says whether the page suffers more than in the other case: what one visitor does not get counts first.
func (s Suffered) WorseThan(o Suffered) bool {
	for _, pair := range [][2]int{
		{s.One.Rejected + s.One.Lost, o.One.Rejected + o.One.Lost},
		{s.One.Delayed, o.One.Delayed},
		{s.Office.Rejected + s.Office.Lost, o.Office.Rejected + o.Office.Lost},
		{s.Office.Delayed, o.Office.Delayed},
		{s.One.Requests, o.One.Requests},
	} {
		if pair[0] != pair[1] {
			return pair[0] > pair[1]
		}
	}
	return false
}

// Words says what is suffered in a clause: "of a page's 23 requests here 15 wait and 7 are refused, with 29 clients behind
// one address 309 of 471 wait and 161 are refused".
func (s Suffered) Words() string {
	text := fmt.Sprintf("of a page's %s here %s%s", Plural(int64(s.One.All()), "request", "requests"), s.about(s.One), s.One.Words())
	if s.Clients > 1 {
		text += fmt.Sprintf(", with %d clients behind one address %s%s", s.Clients, s.about(s.Office), s.Office.words(" of "+Count(int64(s.Office.All()))))
	}
	return text
}

// about stands before numbers that are estimated.
func (s Suffered) about(c Counts) string {
	if s.Estimated && c.Harmed() {
		return "about "
	}
	return ""
}

// All is how many requests there would be if none were refused.
func (c Counts) All() int { return c.Requests + c.Lost }

// Words names what is suffered: "15 wait, 4 are refused and 3 are never sent".
func (c Counts) Words() string { return c.words("") }

// words is Words with of behind the first number.
func (c Counts) words(of string) string {
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{c.Delayed, "waits", "wait"},
		{c.Rejected, "is refused", "are refused"},
		{c.Lost, "is never sent", "are never sent"},
	} {
		if part.n > 0 {
			parts = append(parts, countThat(part.n, of, part.one, part.many))
			of = ""
		}
	}
	switch n := len(parts); n {
	case 0:
		return "none" + of + " waits"
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
}

// countThat says what a number of requests do.
func countThat(n int, of, one, many string) string {
	if n == 1 {
		many = one
	}
	return Count(int64(n)) + of + " " + many
}

// Tell writes the figures into a finding's evidence.
func (s Suffered) Tell(evidence map[string]any) {
	evidence["page_requests"] = int64(s.One.All())
	evidence["page_delayed"] = int64(s.One.Delayed)
	evidence["page_rejected"] = int64(s.One.Rejected)
	evidence["page_unsent"] = int64(s.One.Lost)
	evidence["clients_per_address"] = int64(s.Clients)
	evidence["office_requests"] = int64(s.Office.All())
	evidence["office_delayed"] = int64(s.Office.Delayed)
	evidence["office_rejected"] = int64(s.Office.Rejected)
	evidence["office_unsent"] = int64(s.Office.Lost)
}

// PageFan is the page load that stands for an ordinary page.
const PageFan = "portal"

// MaxSimulated is how many servers of one configuration have their pages simulated: those that suffer most by a rough
// estimate. A simulation takes a thousand times as long as the estimate, which has to do for the others.
const MaxSimulated = 64

// pages are what is known of page loads: simulated where the server is one of those chosen.
type pages struct {
	*simulate.Pages
	fan     *traffic.Fan
	rough   *estimate
	chosen  map[*config.Server]bool
	leftOut int
}

func (f *Facts) newPages() pages {
	fan, err := traffic.Builtin(PageFan)
	if err != nil {
		panic(fmt.Sprintf("the built-in page is missing: %v", err)) // it is part of the program
	}
	all := pages{Pages: simulate.NewPages(f.Tree, f.router()), fan: fan, rough: estimateOf(fan, f.Settings.Clients())}
	all.chosen, all.leftOut = f.choose(all.rough)
	return all
}

// choose returns the servers whose pages are simulated, and how many limited ones there are besides.
func (f *Facts) choose(e *estimate) (chosen map[*config.Server]bool, leftOut int) {
	type limited struct {
		server *config.Server
		worst  Suffered
	}
	var all []limited
	for _, p := range f.Places() {
		if len(p.Settings.LimitReqs.Value)+len(p.Settings.LimitConns.Value) == 0 {
			continue
		}
		if n := len(all); n == 0 || all[n-1].server != p.Server {
			all = append(all, limited{server: p.Server})
		}
		if s := e.at(f, p); s.WorseThan(all[len(all)-1].worst) {
			all[len(all)-1].worst = s
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

// Page returns what one page load suffers at a server: one visitor's, and those of all who share an address. It is nil
// where no limit is in effect, and for servers beyond MaxSimulated.
func (f *Facts) Page(s *config.Server) *simulate.Page {
	pages := f.pages()
	if !pages.chosen[s] {
		return nil
	}
	clients := f.Settings.Clients()
	return pages.Of(s, pages.fan, clients, clients)
}

// PageOf is Page for one client's load of another fan. The same fan is simulated once for servers that treat it alike.
func (f *Facts) PageOf(s *config.Server, fan *traffic.Fan) *simulate.Page {
	pages := f.pages()
	if !pages.chosen[s] {
		return nil
	}
	return pages.Of(s, fan, 1, 1)
}

// NotSimulated returns how many servers have limits and no simulated page, because there are more than MaxSimulated.
func (f *Facts) NotSimulated() int { return f.pages().leftOut }

// Suffered returns what the page's requests suffer at a place, simulated or estimated. An if block has none of its own.
func (f *Facts) Suffered(p Place) Suffered {
	if p.Kind == config.KindIf {
		return Suffered{}
	}
	pages := f.pages()
	if !pages.chosen[p.Server] {
		return pages.rough.at(f, p)
	}
	page := f.Page(p.Server)
	if page == nil {
		return Suffered{}
	}
	l := f.locationOf(page, p.Location)
	if l == nil {
		return Suffered{}
	}
	return Suffered{Clients: page.Clients, One: countsOf(l.One), Office: countsOf(l.Office)}
}

func countsOf(s simulate.LocationStat) Counts {
	return Counts{Requests: s.Requests, Delayed: s.Delayed, Rejected: s.Rejected, Lost: s.NotIssued, MaxAddedMs: s.AddedMs.Max}
}
