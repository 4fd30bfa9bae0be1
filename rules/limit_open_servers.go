package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func anyName(name string) bool { return name == "" || name == "_" }

// takesAnyName says whether a server is there for requests of no name in particular.
func takesAnyName(s *config.Server) bool {
	for _, n := range s.Names {
		if !anyName(n.Text) {
			return false
		}
	}
	return true
}

// openUpstreams returns the upstreams that a server leads strangers to without a limit.
func (m *misses) openUpstreams(s *config.Server) map[string]bool {
	var open map[string]bool
	for l := range s.AllLocations {
		place := rule.PlaceOf(l)
		if l.Internal || !place.Unlimited() || place.Guarded() {
			continue
		}
		if backend := place.Backend(); backend != "" {
			if open == nil {
				if rule.OnlyNear(s) {
					return nil
				}
				open = make(map[string]bool)
			}
			open[backend] = true
		}
	}
	return open
}
