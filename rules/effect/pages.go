package effect

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A Load is what so many clients behind one address suffer who load a page. All zero but the page's time where nothing is
// limited.
type Load struct {
	Broken   int   // pages of which a request is refused for good
	Rejected int   // requests
	Delayed  int   // likewise
	P50Ms    int64 // of the whole page
	P95Ms    int64
}

// A Page is a page load that fares otherwise.
type Page struct {
	Severity rule.Severity // "" where it got no worse
	Server   string
	Fan      string
	Clients  int
	Stands   bool // the fan stands for what people load there; else it is one of those that are known
	Old, New Load
	Others   int // other servers at which it fares the same
}

// maxTouched is how many servers are asked for pages besides those that stand for what people load there.
const maxTouched = 8

// least is how much longer a page takes that is called slower, in milliseconds.
const least = 1

func (e *Effect) pages(old, renewed *rule.Facts, pairs [][2]*config.Server, touched map[*config.Server]bool) {
	if old.Tree.HTTP == nil || renewed.Tree.HTTP == nil {
		return
	}
	e.Skipped = max(old.NotSimulated(), renewed.NotSimulated())
	alike := map[string]int{}
	more := 0
	for _, pair := range pairs {
		stand := e.standing(old, renewed, pair, alike)
		if !touched[pair[1]] || more >= maxTouched {
			continue
		}
		more++
		for _, name := range traffic.Names() {
			fan, err := traffic.Builtin(name)
			if err != nil || fan.Role != traffic.People || slices.Contains(stand, name) || len(fan.Requests) < 2 {
				continue
			}
			o, n := old.PageOf(pair[0], fan), renewed.PageOf(pair[1], fan)
			e.page(pair[1], o, n, false, alike)
		}
	}
}

// standing compares the pages that stand for what people load at a server, and returns their fans.
func (e *Effect) standing(old, renewed *rule.Facts, pair [2]*config.Server, alike map[string]int) (fans []string) {
	before, after := old.Pages(pair[0]), renewed.Pages(pair[1])
	of := func(list []*simulate.Page, fan string) *simulate.Page {
		for _, p := range list {
			if p.Fan == fan {
				return p
			}
		}
		return nil
	}
	for _, p := range after {
		e.page(pair[1], of(before, p.Fan), p, true, alike)
		fans = append(fans, p.Fan)
	}
	for _, p := range before {
		if of(after, p.Fan) == nil {
			e.page(pair[1], p, nil, true, alike)
			fans = append(fans, p.Fan)
		}
	}
	return fans
}

// page compares one page on both sides; nil is a server at which nothing is limited.
func (e *Effect) page(s *config.Server, old, renewed *simulate.Page, stands bool, alike map[string]int) {
	some := old
	if some == nil {
		some = renewed
	}
	if some == nil {
		return
	}
	side := func(p *simulate.Page, run func(*simulate.Page) simulate.PageRun) Load {
		if p == nil {
			free := run(some).Stat.UnlimitedMs
			return Load{P50Ms: free.P50, P95Ms: free.P95}
		}
		r := run(p)
		return Load{Broken: r.Stat.BrokenPages, Rejected: r.Rejected, Delayed: r.Delayed, P50Ms: r.Stat.LimitedMs.P50, P95Ms: r.Stat.LimitedMs.P95}
	}
	compared := false
	row := func(clients int, run func(*simulate.Page) simulate.PageRun) {
		p := Page{Server: serverName(s), Fan: some.Fan, Clients: clients, Stands: stands, Old: side(old, run), New: side(renewed, run)}
		if p.Old == p.New {
			return
		}
		compared = true
		if stands {
			p.Severity = p.worse()
		}
		key := fmt.Sprint(p.Fan, p.Clients, p.Stands, p.Old, p.New)
		if i, ok := alike[key]; ok {
			e.Pages[i].Others++
			return
		}
		alike[key] = len(e.Pages)
		e.Pages = append(e.Pages, p)
	}
	row(1, func(p *simulate.Page) simulate.PageRun { return p.One })
	if stands && some.Clients > 1 {
		row(some.Clients, func(p *simulate.Page) simulate.PageRun { return p.Office })
	}
	if !compared && stands {
		e.Same++
	}
}

// worse grades what a page suffers more than before: one that breaks for a single visitor is an error.
func (p *Page) worse() rule.Severity {
	switch {
	case p.Clients == 1 && p.New.Broken > p.Old.Broken:
		return rule.Error
	case p.New.Broken > p.Old.Broken:
		return rule.Warning
	case p.New.Broken == p.Old.Broken && (p.New.P50Ms >= p.Old.P50Ms+least || p.New.P95Ms >= p.Old.P95Ms+least):
		return rule.Warning
	}
	return ""
}
