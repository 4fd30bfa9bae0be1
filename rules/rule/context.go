package rule

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Context names the blocks around a level and the level itself, outermost first: "http", "server a.example",
// "location /api/". A server goes by its first name, or by its first listen address where it has none.
func Context(l *config.Level) []string {
	var path []string
	for ; l != nil; l = l.Parent {
		path = append(path, blockName(l))
	}
	slices.Reverse(path)
	return path
}

func blockName(l *config.Level) string {
	switch l.Kind {
	case config.KindHTTP:
		return "http"
	case config.KindServer:
		return serverName(l)
	case config.KindLocation:
		return withArgs("location", l)
	case config.KindIf, config.KindServerIf:
		return withArgs("if", l)
	case config.KindLimitExcept:
		return withArgs("limit_except", l)
	}
	return ""
}

func serverName(l *config.Level) string {
	for _, want := range []string{"server_name", "listen"} {
		for _, item := range l.Items {
			if item.Name.Value == want && item.Arg(0) != "" {
				return "server " + item.Arg(0)
			}
		}
	}
	return "server"
}

func withArgs(name string, l *config.Level) string {
	if l.Directive == nil {
		return name
	}
	var b strings.Builder
	b.WriteString(name)
	for _, a := range l.Directive.Args {
		b.WriteByte(' ')
		b.WriteString(a.Value)
	}
	return b.String()
}
