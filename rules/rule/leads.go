package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Leads know by which ways within nginx a request comes to a location that takes none from outside, and whether the
// limiters have judged it by then: they judge a request once, at the first place with limits that it comes to.
type Leads struct {
	facts *Facts
	conns bool // limit_conn is meant
	of    map[*config.Server]*ways
}

// Leads returns the leads of a configuration for a kind of limit, "limit_req" or "limit_conn".
func (f *Facts) Leads(kind string) *Leads {
	return &Leads{facts: f, conns: kind == "limit_conn", of: make(map[*config.Server]*ways)}
}

// ways are those within one server: how requests leave the places that they first come to.
type ways struct {
	open, judged []string // targets, of requests that no limiter has judged yet, and of judged ones
	anywhere     bool     // some unjudged request may be sent anywhere: by an upstream's X-Accel-Redirect, by code
	elsewhere    bool     // some judged one
}

// maxWays bounds the targets that are compared; with more of them everything is taken to be led to.
const maxWays = 500

// To says whether an unjudged request may be led to a location, and whether a judged one may.
func (l *Leads) To(loc *config.Location) (open, judged bool) {
	w := l.of[loc.Server]
	if w == nil {
		w = l.waysOf(loc.Server)
		l.of[loc.Server] = w
	}
	if len(w.open)+len(w.judged) > maxWays {
		return true, true
	}
	return w.anywhere || leadTo(w.open, loc), w.elsewhere || leadTo(w.judged, loc)
}

func leadTo(targets []string, loc *config.Location) bool {
	for _, target := range targets {
		if mayBe(target, loc) {
			return true
		}
	}
	return false
}

// mayBe says whether a target, a template, may lead to a location.
func mayBe(target string, loc *config.Location) bool {
	name, named := strings.CutPrefix(target, "@")
	if named || loc.Modifier == "@" {
		return named && loc.Modifier == "@" && (name == loc.Pattern || strings.Contains(name, "$"))
	}
	if loc.Modifier == "~" || loc.Modifier == "~*" {
		return true
	}
	fixed, _, open := strings.Cut(target, "$")
	fixed, _, _ = strings.Cut(fixed, "?")
	return strings.HasPrefix(fixed, loc.Pattern) || open && strings.HasPrefix(loc.Pattern, fixed)
}

// waysOf goes through a server's levels. What server and http say is seen through the levels that inherit it.
func (l *Leads) waysOf(s *config.Server) *ways {
	w := &ways{}
	for _, it := range s.Items {
		if it.Name().Value == "rewrite" {
			w.open = append(w.open, it.Arg(1))
		}
		w.anywhere = w.anywhere || runsCode(it.Name().Value)
	}
	l.from(w, Place{Level: &s.Level, Server: s})
	for loc := range s.AllLocations {
		l.from(w, Place{Level: &loc.Level, Server: s, Location: loc})
		for _, branch := range loc.Ifs {
			l.from(w, Place{Level: branch, Server: s, Location: loc})
		}
	}
	return w
}

// from notes how requests leave a place. Rewrites come before the limiters, all else behind them.
func (l *Leads) from(w *ways, p Place) {
	var behind []string
	for _, page := range p.Settings.ErrorPages.Value {
		behind = append(behind, page.Target)
	}
	for _, name := range [...]string{"auth_request", "mirror", "add_before_body", "add_after_body", "post_action"} {
		if it, ok := p.Effective(name); ok {
			behind = append(behind, it.Arg(0))
		}
	}
	for _, it := range p.Items {
		switch name := it.Name().Value; {
		case name == "rewrite" && p.Location != nil:
			w.open = append(w.open, it.Arg(1))
		case name == "try_files" && it.NumArgs() > 0:
			behind = append(behind, it.Arg(it.NumArgs()-1))
		case runsCode(name):
			w.anywhere = true
		}
	}
	if it, ok := p.Effective("index"); ok {
		for _, a := range it.Args() {
			behind = append(behind, "$uri"+a.Value)
		}
	}
	_, passes := p.Upstream()
	if ssi, ok := p.Effective("ssi"); ok && ssi.Arg(0) == "on" {
		passes = true
	}
	if l.judges(p) {
		w.judged = append(w.judged, behind...)
		w.elsewhere = w.elsewhere || passes
	} else {
		w.open = append(w.open, behind...)
		w.anywhere = w.anywhere || passes
	}
}

// judges says whether the limits of a place judge every visitor's request before it leaves.
func (l *Leads) judges(p Place) bool {
	if _, answered := p.Answerer(); answered {
		return false
	}
	if l.conns {
		for _, limit := range p.Settings.LimitConns.Value {
			if limit.Zone != nil && l.facts.Key(limit.Zone.Key).Pages {
				return true
			}
		}
		return false
	}
	for _, limit := range p.Settings.LimitReqs.Value {
		if limit.Zone != nil && l.facts.Key(limit.Zone.Key).Pages {
			return true
		}
	}
	return false
}

// runsCode says whether a directive runs code that may send a request to any location.
func runsCode(name string) bool {
	return strings.Contains(name, "_by_lua") || strings.HasPrefix(name, "js_") || strings.HasPrefix(name, "perl") || strings.HasPrefix(name, "echo")
}
