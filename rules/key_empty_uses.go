package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// An emptyUse is a limit that counts nothing in some of its servers.
type emptyUse struct {
	use            *rule.ZoneUse
	variable       string // for which the key is empty
	server         *config.Server
	empty, counted int // places of either kind
}

func emptyUses(p *rule.Pass, z *rule.Zone) []emptyUse {
	var found []emptyUse
	known := make(map[*config.Server]string)
	for i := range z.Uses {
		e := emptyUse{use: &z.Uses[i]}
		for _, place := range e.use.Places {
			if !place.Judges() {
				continue
			}
			name, ok := known[place.Server]
			if !ok {
				name = emptyIn(p, z.Key, place.Server)
				known[place.Server] = name
			}
			if name == "" {
				e.counted++
				continue
			}
			if e.empty++; e.empty == 1 {
				e.variable, e.server = name, place.Server
			}
		}
		if e.empty > 0 {
			found = append(found, e)
		}
	}
	return found
}

// emptyIn returns the variable for which the key is always empty in a server; "" where it is not, or where the server's name
// or what sets the variable may stand in what was not read.
func emptyIn(p *rule.Pass, key value.Template, s *config.Server) string {
	name := p.EmptyAt(key, s)
	if name == "" || name == "server_name" && !p.WholeAt(&s.Level) || name != "server_name" && !p.WholeIn(s) {
		return ""
	}
	return name
}
