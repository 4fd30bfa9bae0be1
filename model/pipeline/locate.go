package pipeline

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// arrive chooses the server and normalises the URI. A status over zero is nginx's refusal of the request. A server that
// is given takes the request whatever its address and host say.
func (r *run) arrive(server *config.Server) int {
	choice := r.g.router.Begin(r.vars, r.req)
	if server != nil && server != choice.Server {
		r.home = r.g.server(server)
		r.vars.ServerName = r.home.serverName
		r.vars.Underscores, r.vars.InvalidHeaders = r.home.underscores, r.home.invalidHeaders
		return 0
	}
	for _, text := range choice.Assumed {
		r.assume(text)
	}
	if choice.Unknown != "" {
		r.assume(choice.Unknown)
	}
	if choice.Undecided != nil {
		r.lose("", choice.Undecided)
		return 0
	}
	if choice.Server == nil {
		r.assume(choice.Why)
		return choice.Status
	}
	r.home = r.g.site(choice.Site)
	return choice.Status
}

// A found is the location for a URI.
type found struct {
	conf     *conf
	status   int    // 404 for an internal location, 301 for a proxied prefix without its slash
	redirect string // where the 301 leads
}

func (g *program) locate(r *run) found {
	m := r.home.site.Location(r.vars, r.internal)
	if m.Undecided != nil {
		r.lose("", m.Undecided)
	}
	f := found{conf: r.home, status: m.Status, redirect: m.Redirect}
	if m.Location != nil {
		f.conf = g.found(r.home, &m)
	}
	return f
}
