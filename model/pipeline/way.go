package pipeline

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A Way is where a request comes to: a server and a location of it.
type Way struct{ home, conf *conf }

// WayOf finds the Way of a request to a server without following it further. With settled the limits treat requests alike
// that have the same Way and differ in their targets only. It is false where what happens to them may depend on more of
// the target than the location that it leads to (rewrites, captures, files, keys), and where nginx answers before it has a
// location, or something has to be assumed.
func (p *Pipeline) WayOf(req *request.Request, server *config.Server) (w Way, settled bool) {
	req, _ = p.g.received(req)
	r := p.newRun(course{p: p, g: p.g, req: req})
	if r.arrive(server) != 0 || r.lost || r.home == nil {
		return w, false
	}
	m := p.g.locate(r)
	if r.lost || m.status != 0 || len(r.assumptions) > 0 {
		return w, false
	}
	w = Way{r.home, m.conf}
	if is, known := p.settled[w]; known {
		return w, is
	}
	if p.settled == nil {
		p.settled = map[Way]bool{}
	}
	settled = p.g.settles(w)
	p.settled[w] = settled
	return w, settled
}

// TakenBy is the location that nginx finds for a request's target before any location hands it on to another; nil for the
// server itself. It is not known where nginx answers before, or has to be told more.
func (p *Pipeline) TakenBy(req *request.Request, server *config.Server) (l *config.Location, known bool) {
	req, _ = p.g.received(req)
	r := p.newRun(course{p: p, g: p.g, req: req})
	if r.arrive(server) != 0 || r.lost || r.home == nil {
		return nil, false
	}
	m := p.g.locate(r)
	if r.lost || m.status != 0 || m.conf == nil {
		return nil, false
	}
	return m.conf.loc, true
}

// settles says whether all requests of a Way fare alike which are equal in everything but their targets.
func (g *program) settles(w Way) bool {
	c := w.conf
	if !w.home.is(noRewrite) || !c.is(noRewrite|noAccess|noPreContent|noEnd|noExcept) || c.handler.module == "" {
		return false
	}
	for l := c.loc; l != nil; l = l.Outer {
		if strings.HasPrefix(l.Modifier, "~") && strings.Contains(l.Pattern, "(?") {
			return false // it may capture into a variable that is named here
		}
	}
	for _, l := range c.limits() {
		if l.zone != nil && !g.apartFromTarget(l.zone.Key.Variables()) {
			return false
		}
	}
	for _, l := range c.conns {
		if l.Zone != nil && !g.apartFromTarget(l.Zone.Key.Variables()) {
			return false
		}
	}
	return true
}

// targetless are variables that are the same whatever a request's target is.
var targetless = []string{
	"binary_remote_addr", "remote_addr", "remote_port", "realip_remote_addr", "server_name", "server_addr", "server_port", "host", "scheme", "https",
	"request_method", "remote_user", "hostname", "nginx_version",
}

// apartFromTarget says that none of some variables depends on a request's target, as far as that is known of them.
func (g *program) apartFromTarget(names []string) bool {
	left, seen := slices.Clone(names), map[string]bool{}
	for len(left) > 0 {
		name := strings.ToLower(left[len(left)-1])
		left = left[:len(left)-1]
		switch {
		case seen[name]:
		case len(g.defined()[name]) > 0:
			left = append(left, g.tree.HTTP.Variables.Asks(name)...)
		case g.tree.HTTP.Variables.Defined(name): // by set or a capture
			return false
		case !slices.Contains(targetless, name) && !strings.HasPrefix(name, "http_") && !strings.HasPrefix(name, "cookie_"):
			return false
		}
		seen[name] = true
	}
	return true
}
