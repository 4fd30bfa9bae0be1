package route

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// names are the server names of one address.
type names struct {
	table   hostname.Table[named]
	regexes []namedRegex
	machine *config.Name // the first $hostname; what it stands for is not known
}

type named struct {
	site   *Site
	listen *config.Listen
	name   *config.Name // nil for the default server
}

type namedRegex struct {
	named
	re *pcre.Regex
}

// found is the result of a look-up by host.
type found struct {
	named
	unknown   string // what may be different: $hostname
	undecided error  // the regex at which the search had to stop
}

// hosts returns copies of the names of a server, in lower case, that lie side by side. As they stand in the files of ten
// thousand servers they would lie so far apart that each comparison waits for its memory.
func (r *Router) hosts(names []*config.Name) []string {
	size := 0
	for _, n := range names {
		size += len(n.Text)
	}
	if r.room.Len()+size > r.room.Cap() {
		r.room = strings.Builder{}
		r.room.Grow(max(size, roomStep))
	}
	hosts := make([]string, len(names))
	for i, n := range names {
		from := r.room.Len()
		r.room.WriteString(hostname.Lower(n.Text))
		hosts[i] = r.room.String()[from:]
	}
	return hosts
}

// roomStep is how much room for names is taken at once, in bytes.
const roomStep = 4096

// add enters a name, which is host in lower case.
func (ns *names) add(regexes *pcre.Cache, n named, host string) {
	switch {
	case n.name.Kind == config.NameRegex:
		pattern := n.name.Text[1:]
		// A name with a capital letter is compared without case; hosts have none.
		ns.regexes = append(ns.regexes, namedRegex{n, regexes.Get(pattern, hostname.Lower(pattern) != pattern)})
	case host == "$hostname":
		if ns.machine == nil {
			ns.machine = n.name
		}
	default:
		// Of two servers with one name nginx keeps the first and warns; what is no name it refuses.
		_ = ns.table.Add(host, n)
	}
}

// find looks a host up. With v the regexes leave their captures in it; v may be nil.
func (g *group) find(v *value.Request, host string) found {
	if n, ok := g.names.table.Find(host); ok {
		return found{named: n}
	}
	if g.servers == 1 && !g.names.capture() {
		return found{named: g.standard}
	}
	unknown := ""
	if g.names.machine != nil {
		unknown = "the server name $hostname is the name of the machine"
	}
	for i := range g.names.regexes {
		if host == "" {
			break
		}
		n := &g.names.regexes[i]
		matched, err := match(v, n.re, host)
		if err != nil {
			return found{named: g.standard, undecided: fmt.Errorf("server name: %w", err)}
		}
		if matched {
			return found{named: n.named, unknown: g.matters(unknown)}
		}
	}
	return found{named: g.standard, unknown: g.matters(unknown)}
}

// capture says whether nginx looks at the names of a lone server: only if the last regex among them captures something.
func (ns *names) capture() bool {
	n := len(ns.regexes)
	return n > 0 && ns.regexes[n-1].re.Groups() > 0
}

// matters drops what is unknown where there is only one server: it takes every host.
func (g *group) matters(unknown string) string {
	if g.servers == 1 {
		return ""
	}
	return unknown
}

func match(v *value.Request, re *pcre.Regex, subject string) (bool, error) {
	if v != nil {
		return v.Match(re, subject)
	}
	m, err := re.Find(subject)
	return m != nil, err
}
