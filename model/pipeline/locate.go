package pipeline

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// arrive chooses the server and normalises the URI. A status over zero is nginx's refusal of the request.
func (r *run) arrive(server *config.Server, uri, args string) int {
	if server == nil {
		server = r.g.router.Server(r.req)
	}
	r.home = r.g.server(server)
	r.vars.ServerName = r.home.serverName
	r.vars.Underscores, r.vars.InvalidHeaders = r.home.underscores, r.home.invalidHeaders
	r.vars.Host = hostOf(r.req.Host)
	r.vars.Server = r.req.Server
	r.vars.URI, r.vars.Args = uri, args
	return 0
}

// A found is the location for a URI.
type found struct {
	conf     *conf
	redirect bool // the URI lacks the slash at the end of a proxied location's prefix: 301
}

func (g *program) locate(r *run) found {
	l := g.router.Location(r.home.server, r.vars.URI)
	if l == nil {
		return found{conf: r.home}
	}
	return found{conf: g.location(l)}
}

func hostOf(host string) string {
	host = strings.ToLower(host)
	if i := strings.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}
