package mend

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// exempt leaves some of the page's paths out of the limits: first what is static, which costs a server next to nothing,
// then whatever makes most of the requests.
func (s *search) exempt(limits []harmed) []candidate {
	groups := s.groups(limits)
	var list []candidate
	var static, all []group
	for _, g := range groups {
		if g.static == g.requests {
			static = append(static, g)
		}
	}
	if len(static) > 0 && len(static) < len(groups) {
		list = append(list, s.leaveOut(limits, static))
	}
	for i, g := range groups {
		if all = append(all, g); i == 2 || len(all) == len(groups) {
			break // what is left would be no limit any more
		}
		list = append(list, s.leaveOut(limits, slices.Clone(all)))
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return c.kind == "" })
}

// A group is the paths of a page that begin alike.
type group struct {
	prefix           string // "/assets/", or a whole path
	requests, static int
}

// groups lists how the people's requests that harmed limits count begin, the largest group first.
func (s *search) groups(limits []harmed) []group {
	o := s.openly()
	o.KeepRequests = true
	for i := range o.Crowds {
		c := &o.Crowds[i]
		c.Clients, c.Repeat, c.Arrival = 1, 1, simulate.Arrival{}
	}
	o.Server, o.Host = s.tree.HTTP.Servers[s.server], s.host
	s.requests += o.Requests()
	r, err := simulate.Run(s.tree, route.New(s.tree), o)
	if err != nil {
		return nil
	}
	counted := map[string]bool{}
	for _, h := range r.Harms {
		if slices.ContainsFunc(limits, func(l harmed) bool { return l.Directive == h.Limit.Directive || l.ZoneName == h.Limit.ZoneName }) {
			counted[h.Place.Label()] = true
		}
	}
	found := map[string]*group{}
	for _, row := range r.Requests {
		u, err := url.Parse(row.URL)
		if err != nil || row.Location == nil && len(counted) > 0 && !counted[""] || row.Location != nil && !counted[*row.Location] {
			continue
		}
		prefix := begins(u.Path)
		g := found[prefix]
		if g == nil {
			g = &group{prefix: prefix}
			found[prefix] = g
		}
		g.requests++
		if s.static(u.RequestURI()) {
			g.static++
		}
	}
	groups := make([]group, 0, len(found))
	for _, prefix := range slices.Sorted(maps.Keys(found)) {
		groups = append(groups, *found[prefix])
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.requests, a.requests) })
	return groups
}

// begins is a path's first folder; the whole path where it lies in none.
func begins(path string) string {
	if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 {
		return path[:i+2]
	}
	return path
}

// static says whether a path of the fans is that of a file.
func (s *search) static(path string) bool {
	for i := range s.o.Crowds {
		for _, r := range s.o.Crowds[i].Fan.Requests {
			if r.Path == path {
				return r.Kind == "static" || r.Kind == "image" || r.Kind == "font"
			}
		}
	}
	return false
}

// leaveOut gives the paths of some groups an empty key, which nginx does not count.
func (s *search) leaveOut(limits []harmed, groups []group) candidate {
	var entries, names []string
	for _, g := range groups {
		entry := g.prefix
		if strings.HasSuffix(g.prefix, "/") && len(g.prefix) > 1 {
			entry = "~^" + quoteRegex(g.prefix)
		}
		if strings.ContainsAny(entry, " \t;{}\"'$#") {
			return candidate{} // such a path is better left to a person
		}
		entries = append(entries, entry+` "";`)
		names = append(names, g.prefix)
	}
	c := candidate{kind: "exempt", title: "leave " + and(names) + " out of " + zoneNames(limits)}
	for _, z := range zonesOf(limits) {
		if !rewritable(z) {
			continue
		}
		name := s.freeName("limit_" + z.Name)
		c.cost += costExempt
		c.edits = append(
			c.edits,
			z.Directive.InsertBefore(fmt.Sprintf(`map $uri $%s { default "%s"; %s }`, name, z.Key.Text, strings.Join(entries, " "))),
			source.Edit{Span: z.KeySpan, Text: "$" + name},
		)
	}
	return orNone(c)
}

// rewritable says whether a zone's key can be written into the value of a map.
func rewritable(z *config.Zone) bool {
	return z.KeySpan.File != nil && z.Directive != nil && !strings.ContainsAny(z.Key.Text, "\"\\;{}\n")
}

// freeName is a variable's name that the configuration does not define.
func (s *search) freeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
	for n := 0; ; n++ {
		try := name
		if n > 0 {
			try = fmt.Sprintf("%s_%d", name, n+1)
		}
		if !s.tree.HTTP.Variables.Defined(strings.ToLower(try)) {
			return try
		}
	}
}

// quoteRegex makes a path a regular expression that matches it.
func quoteRegex(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`.+*?()[]|^`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// otherKeys count by something else: by address where the key has none, by address and path, and by a header in which the
// people's clients differ.
func (s *search) otherKeys(limits []harmed) []candidate {
	var keys []string
	perAddress := !slices.ContainsFunc(zonesOf(limits), func(z *config.Zone) bool { return !hasAddress(z.Key) })
	if !perAddress {
		keys = append(keys, "$binary_remote_addr")
	}
	keys = append(keys, "$binary_remote_addr$uri")
	for _, name := range s.ownHeaders() {
		keys = append(keys, "$http_"+strings.ToLower(strings.ReplaceAll(name, "-", "_")))
	}
	list := make([]candidate, 0, len(keys))
	for _, key := range keys {
		c := candidate{kind: "key", title: "count by " + key + " in " + zoneNames(limits)}
		for _, z := range zonesOf(limits) {
			if z.Key.Text != key && z.KeySpan.File != nil {
				c.cost += costKey
				c.edits = append(c.edits, source.Edit{Span: z.KeySpan, Text: key})
			}
		}
		list = append(list, orNone(c))
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return c.kind == "" })
}

// hasAddress says whether a key tells addresses apart.
func hasAddress(key value.Template) bool {
	return slices.ContainsFunc(key.Parts, func(p value.Part) bool { return p.Variable == "binary_remote_addr" || p.Variable == "remote_addr" })
}

// ownHeaders are the headers that all requests of people have and that differ from client to client.
func (s *search) ownHeaders() []string {
	var names []string
	first := true
	for i := range s.o.Crowds {
		fan := s.o.Crowds[i].Fan
		if fan.Role != traffic.People {
			continue
		}
		for j := range fan.Requests {
			own := []string{}
			for _, h := range fan.Requests[j].Headers {
				if strings.Contains(h.Value, "{client}") {
					own = append(own, h.Name)
				}
			}
			if first {
				names, first = own, false
			}
			names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(own, n) })
		}
	}
	return names
}
