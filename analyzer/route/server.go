package route

import (
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// tables are what is worked out once for a server, when it is first needed.
type tables struct {
	once           sync.Once
	locations      *index
	name           value.Value // $server_name
	underscores    bool
	invalidHeaders bool
}

// build fills in a server's tables at the first use.
func (r *Router) build(s *config.Server, t *tables) *tables {
	t.once.Do(func() {
		t.locations = r.newIndex(s.Locations)
		t.name = serverName(s)
		t.underscores = on(s, "underscores_in_headers", "on")
		t.invalidHeaders = on(s, "ignore_invalid_headers", "off")
	})
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
func (r *Router) enter(v *value.Request, s *config.Server, t *tables) {
	r.build(s, t)
	v.ServerName = t.name
	v.Underscores, v.InvalidHeaders = t.underscores, t.invalidHeaders
}
