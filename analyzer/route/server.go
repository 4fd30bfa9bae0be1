package route

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// serverTables are what is worked out once for a server.
type serverTables struct {
	locations      *index
	name           value.Value // $server_name
	underscores    bool
	invalidHeaders bool
}

// tables returns a server's tables, and builds them at the first use.
func (r *Router) tables(s *config.Server) *serverTables {
	r.mu.RLock()
	t := r.servers[s]
	r.mu.RUnlock()
	if t != nil {
		return t
	}
	t = &serverTables{
		locations:      r.newIndex(s.Locations),
		name:           serverName(s),
		underscores:    on(s, "underscores_in_headers", "on"),
		invalidHeaders: on(s, "ignore_invalid_headers", "off"),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.servers[s] = t
	return t
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
func (r *Router) enter(v *value.Request, s *config.Server) {
	t := r.tables(s)
	v.ServerName = t.name
	v.Underscores, v.InvalidHeaders = t.underscores, t.invalidHeaders
}
