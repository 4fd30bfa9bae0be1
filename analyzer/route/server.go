package route

import (
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Site is one server as requests are routed in it. What is worked out once for it is so when it is first needed.
type Site struct {
	Server *config.Server
	*shape
	name           value.Value // $server_name
	Number         int         // of the server; those of its locations follow it
	underscores    bool
	invalidHeaders bool

	once   sync.Once
	router *Router
}

// Site returns the site of a server; nil where that is of another tree.
func (r *Router) Site(s *config.Server) *Site { return r.byServer[s] }

func (s *Site) build() {
	s.once.Do(func() {
		s.shape = s.router.shapeOf(s.Server)
		s.underscores = on(s.Server, "underscores_in_headers", "on")
		s.invalidHeaders = on(s.Server, "ignore_invalid_headers", "off")
	})
}

// shapeOf returns the shape of a server's locations, the same one for like locations.
func (r *Router) shapeOf(s *config.Server) *shape {
	r.shapesMu.Lock()
	defer r.shapesMu.Unlock()
	r.shapeKey = appendKey(r.shapeKey[:0], s.Locations)
	sh := r.shapes[string(r.shapeKey)]
	if sh == nil {
		sh = r.newShape(s.Locations)
		r.shapes[string(r.shapeKey)] = sh
	}
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
