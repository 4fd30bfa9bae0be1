package rule

import (
	"regexp"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Hosts says which names clients may ask for so that a server takes the request. Greater ones hold more names.
type Hosts uint8

// The kinds of names.
const (
	HostsListed    Hosts = iota // those that are written, or that a regex describes
	HostsBelow                  // any below a domain: "*.example.com"
	HostsUnclaimed              // any that no server has, since the server is the first of its address and port
	HostsAny                    // any, and it is meant so: default_server, no name, "_", a regex that matches all
)

// unnamed is what names a group of a regex.
var unnamed = regexp.MustCompile(`\(\?P?[<'][A-Za-z0-9_]+[>']`)

// HostsOf returns the most names that any of the server's addresses lets it take.
func (f *Facts) HostsOf(s *config.Server) Hosts {
	hosts := HostsListed
	catches := true
	for _, n := range s.Names {
		all := n.Text == "" || n.Text == "_" || n.Kind == config.NameRegex && matchesAll(unnamed.ReplaceAllString(strings.TrimPrefix(n.Text, "~"), "("))
		catches = catches && all
		switch {
		case all && n.Kind == config.NameRegex:
			return HostsAny
		case n.Kind == config.NameLeading, n.Kind == config.NameDot, n.Kind == config.NameTrailing:
			hosts = HostsBelow
		}
	}
	for _, l := range s.Listens {
		if f.defaults()[door{l.Address, l.Port}] != s {
			continue
		}
		if l.Default || catches {
			return HostsAny
		}
		hosts = HostsUnclaimed
	}
	return hosts
}

// A door is where clients connect.
type door struct {
	address string
	port    int
}

// findDefaults finds the server of each address and port that takes requests for names which no server has.
func (f *Facts) findDefaults() map[door]*config.Server {
	found := make(map[door]*config.Server)
	if f.Tree == nil || f.Tree.HTTP == nil {
		return found
	}
	for _, s := range f.Tree.HTTP.Servers {
		for _, l := range s.Listens {
			if at := (door{l.Address, l.Port}); found[at] == nil || l.Default {
				found[at] = s
			}
		}
	}
	return found
}
