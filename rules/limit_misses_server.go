package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// maxSameName bounds the servers of one name that are compared.
const maxSameName = 4

// servers looks for limited places whose upstream another server leads to without a limit.
func (m *misses) servers() {
	if m.Tree.HTTP == nil {
		return
	}
	others := m.siblings()
	if len(others) == 0 {
		return
	}
	for _, place := range m.Places() {
		near := others[place.Server]
		if len(near) == 0 || place.Kind != config.KindLocation || !m.Limited(place) || !place.Judges() {
			continue
		}
		backend := place.Backend()
		for _, o := range near {
			if backend != "" && o.open[backend] {
				m.elsewhere(place, backend, o)
			}
		}
	}
}

// A sibling is another server that takes requests which are meant for a server.
type sibling struct {
	server *config.Server
	any    bool            // it takes any name
	open   map[string]bool // the upstreams that it leads to without a limit
}

// A door is an address that servers listen on.
type door struct {
	address string
	port    int
}

// siblings finds for each server those of the same name at another port, and the one for any name at one of its own.
func (m *misses) siblings() map[*config.Server][]sibling {
	count := 0
	for _, s := range m.Tree.HTTP.Servers {
		count += len(s.Names)
	}
	first := make(map[string]*config.Server, count) // a million names have a server each: few have several
	further, nameless := make(map[string][]*config.Server), make(map[door]*config.Server)
	for _, s := range m.Tree.HTTP.Servers {
		for _, n := range s.Names {
			if n.Kind != config.NameExact || anyName(n.Text) {
				continue
			}
			if of := first[n.Text]; of == nil {
				first[n.Text] = s
			} else if of != s && len(further[n.Text]) < maxSameName-1 {
				further[n.Text] = append(further[n.Text], s)
			}
		}
		if !takesAnyName(s) {
			continue
		}
		for _, l := range s.Listens {
			if at := (door{l.Address, l.Port}); nameless[at] == nil || l.Default {
				nameless[at] = s
			}
		}
	}
	found := make(map[*config.Server][]sibling)
	open := make(map[*config.Server]map[string]bool)
	add := func(s, o *config.Server, any bool) {
		if o == nil || o == s {
			return
		}
		to, ok := open[o]
		if !ok {
			to = m.openUpstreams(o)
			open[o] = to
		}
		if len(to) > 0 {
			found[s] = append(found[s], sibling{o, any, to})
		}
	}
	for _, s := range m.Tree.HTTP.Servers {
		for _, n := range s.Names {
			add(s, first[n.Text], false)
			for _, o := range further[n.Text] {
				add(s, o, false)
			}
		}
		for _, l := range s.Listens {
			add(s, nameless[door{l.Address, l.Port}], true)
		}
	}
	return found
}

// elsewhere asks another server for what a place limits.
func (m *misses) elsewhere(place rule.Place, backend string, o sibling) {
	for _, target := range rule.Samples(place.Location) {
		if t, ok := m.ask().Get(place.Server, target); !ok || !t.LimiterRan || t.LimitedIn != place.Location {
			continue
		}
		t, ok := m.probe.Get(o.server, target)
		if !ok || t.Location == nil || !rule.Answers(&t) {
			continue
		}
		there := rule.PlaceOf(t.Location)
		if there.Backend() != backend || !there.Unlimited() || there.Guarded() || !m.WholeIn(place.Server) {
			continue
		}
		f := m.at(t.Location)
		if f == nil {
			return
		}
		url := m.probe.URL(o.server, target)
		f.Message = fmt.Sprintf("%s goes to the same upstream as in location %s of %s, without the limit there", url, place.Location.Label(), m.probe.URL(place.Server, ""))
		if o.any {
			f.Confidence = rule.Medium
			f.Message += "; a request for any unknown name comes here"
		}
		f.Evidence = map[string]any{"url": url, "limited_url": m.probe.URL(place.Server, target)}
		f.Related = []rule.Label{{Span: place.Settings.LimitReqs.Value[0].Directive.Head(), Message: "this limit is gone around"}}
		m.Report(*f)
		return
	}
}
