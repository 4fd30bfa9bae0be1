package route

import (
	"strings"
	"sync/atomic"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Site is one server as requests are routed in it. What is worked out once for it is so when it is first needed. It has
// 64 bytes, one line of a processor's cache: requests come to ten thousand servers in turn. TestSiteSize keeps it so.
type Site struct {
	Server *config.Server
	shape  atomic.Pointer[shape]
	router *Router
	name   value.Value // $server_name
	number int32       // of the server; those of its locations follow it

	underscores    bool
	invalidHeaders bool
}

// Number is that of the server, for lists that hold something for each server and location; see Router.Numbers.
func (s *Site) Number() int { return int(s.number) }

// Site returns the site of a server; nil where that is of another tree.
func (r *Router) Site(s *config.Server) *Site { return r.byServer[s] }

// build works out what is worked out once, and returns the shape.
func (s *Site) build() *shape {
	if sh := s.shape.Load(); sh != nil {
		return sh
	}
	return s.router.shapeOf(s)
}

// shapeOf gives a site the shape of its server's locations, the same one for like locations.
func (r *Router) shapeOf(s *Site) *shape {
	r.shapesMu.Lock()
	defer r.shapesMu.Unlock()
	if sh := s.shape.Load(); sh != nil {
		return sh
	}
	r.shapeKey = appendKey(r.shapeKey[:0], s.Server.Locations)
	sh := r.shapes[string(r.shapeKey)]
	if sh == nil {
		sh = r.newShape(s.Server.Locations)
		r.shapes[string(r.shapeKey)] = sh
	}
	s.underscores = on(s.Server, "underscores_in_headers", "on")
	s.invalidHeaders = on(s.Server, "ignore_invalid_headers", "off")
	s.shape.Store(sh)
	return sh
}

func on(s *config.Server, directive, word string) bool {
	it, ok := s.Effective(directive)
	return ok && it.Arg(0) == word
}

// serverName is $server_name: the server's first name, in lower case, without the dot of ".example.com".
func serverName(s *config.Server, hosts []string) value.Value {
	switch {
	case len(hosts) == 0:
		return value.Of("")
	case hosts[0] == "$hostname":
		return value.Unknown("the server name $hostname is the name of the machine")
	case s.Names[0].Kind == config.NameRegex:
		return value.Of(s.Names[0].Text)
	}
	return value.Of(strings.TrimPrefix(hosts[0], "."))
}

// Enter makes v hold what the server decides. Begin does so for the one that it chooses.
func (s *Site) Enter(v *value.Request) {
	s.build()
	v.ServerName = s.name
	v.Underscores, v.InvalidHeaders = s.underscores, s.invalidHeaders
}
