package pipeline

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// arrive chooses the server and normalises the URI. A status over zero is nginx's refusal of the request. A server that
// is given takes the request whatever its address and host say.
func (r *run) arrive(server *config.Server) int {
	choice := r.g.router.Begin(r.vars, r.req)
	if server != nil && server != choice.Server {
		r.site, r.home = r.g.router.Site(server), r.g.server(server)
		r.site.Enter(r.vars)
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
	r.site, r.home = choice.Site, r.g.site(choice.Site)
	return choice.Status
}

// A found is the location for a URI.
type found struct {
	conf     *conf
	status   int    // 404 for an internal location, 301 for a proxied prefix without its slash
	redirect string // where the 301 leads
}

func (g *program) locate(r *run) found {
	m := r.site.Location(r.vars, r.internal)
	if m.Undecided != nil {
		r.lose("", m.Undecided)
	}
	f := found{conf: r.home, status: m.Status, redirect: m.Redirect}
	if m.Number != 0 {
		f.conf = g.matched(&m)
	}
	return f
}
