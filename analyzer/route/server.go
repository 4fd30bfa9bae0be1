package route

import (
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Site is one server as requests are routed in it. What is worked out once for it is so when it is first needed.
type Site struct {
	Server *config.Server
	Number int // of the server: its place in config.HTTP.Servers

	*shape
	list           []*config.Location // by number
	name           value.Value        // $server_name
	underscores    bool
	invalidHeaders bool

	once   sync.Once
	router *Router
}

// Site returns the site of a server; nil where that is of another tree.
func (r *Router) Site(s *config.Server) *Site { return r.byServer[s] }

// Locations returns how many locations the server has, those within others among them: their numbers are below it.
func (s *Site) Locations() int {
	s.build()
	return len(s.list)
}

func (s *Site) build() {
	s.once.Do(func() {
		var key []byte
		s.list, key = number(s.Server.Locations, nil, nil)
		s.shape = s.router.shapeOf(key, s)
		s.name = serverName(s.Server)
		s.underscores = on(s.Server, "underscores_in_headers", "on")
		s.invalidHeaders = on(s.Server, "ignore_invalid_headers", "off")
	})
}

// shapeOf returns the shape of a site's locations, the same one for the same key.
func (r *Router) shapeOf(key []byte, s *Site) *shape {
	r.shapesMu.Lock()
	defer r.shapesMu.Unlock()
	sh := r.shapes[string(key)]
	if sh == nil {
		sh = r.newShape(s.Server.Locations, s.list)
		r.shapes[string(key)] = sh
	}
	return sh
}

func on(s *config.Server, directive, word string) bool {
	it, ok := s.Effective(directive)
	return ok && it.Arg(0) == word
}

// serverName is $server_name: the server's first name, in lower case, without the dot of ".example.com".
func serverName(s *config.Server) value.Value {
	if len(s.Names) == 0 {
		return value.Of("")
	}
	text := s.Names[0].Text
	switch {
	case strings.EqualFold(text, "$hostname"):
		return value.Unknown("the server name $hostname is the name of the machine")
	case s.Names[0].Kind == config.NameRegex:
		return value.Of(text)
	}
	return value.Of(hostname.Lower(strings.TrimPrefix(text, ".")))
}

// enter makes v hold what the server decides.
func (s *Site) enter(v *value.Request) {
	s.build()
	v.ServerName = s.name
	v.Underscores, v.InvalidHeaders = s.underscores, s.invalidHeaders
}
