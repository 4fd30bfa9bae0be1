package route

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Match is the location that takes a URI.
type Match struct {
	Location  *config.Location // nil where none does: the server itself takes it
	Status    int              // the answer that nginx gives at once: 301, or 404 for an internal location; 0 where it goes on
	Redirect  string           // the Location header of the automatic 301 to a proxied prefix
	Undecided error            // the regex that could not be decided: nobody can say which location it is; else nil
}

// Location finds the location of v.URI in a server. A regex that matches leaves its captures in v. internal says that the
// request was redirected within nginx, so that internal locations take it.
func (r *Router) Location(s *config.Server, v *value.Request, internal bool) Match {
	f := finder{v: v}
	result := nothing
	if t := r.servers[s]; t != nil { // else it is a server of another tree
		result = f.find(r.build(s, t).locations)
	}
	if f.undecided != nil {
		return Match{Undecided: f.undecided}
	}
	m := Match{Location: f.at}
	switch {
	case f.at != nil && f.at.Internal && !internal:
		m.Status = 404
	case result == redirected:
		m.Status = 301
		m.Redirect = request.Escape(f.at.Pattern)
		if v.Args != "" {
			m.Redirect += "?" + v.Args
		}
	}
	return m
}

// Named finds the location of a name, with or without its "@"; nil where the server has none.
func (r *Router) Named(s *config.Server, name string) *config.Location {
	name = strings.TrimPrefix(name, "@")
	for _, l := range s.Locations {
		if l.Modifier == "@" && l.Pattern == name {
			return l
		}
	}
	return nil
}

// index is one list of locations: those of a server, or those within a location.
type index struct {
	names   []node // sorted by name
	regexes []regexLocation
}

// node is a name, with the locations that have it.
type node struct {
	name     string
	exact    *config.Location // "="
	prefix   *config.Location
	inner    *index // of the locations within the prefix; nil where there are none
	outer    int    // the node of the longest prefix that the name itself starts with; -1 where there is none
	redirect bool   // the name without its final "/" is redirected to it
}

type regexLocation struct {
	re       *pcre.Regex
	location *config.Location
	inner    *index
}

// newIndex returns the index of a list; nil of an empty one.
func (r *Router) newIndex(locations []*config.Location) *index {
	if len(locations) == 0 {
		return nil
	}
	x := &index{}
	for _, l := range locations {
		switch l.Modifier {
		case "@":
		case "~", "~*":
			x.regexes = append(x.regexes, regexLocation{r.regexes.Get(l.Pattern, l.Modifier == "~*"), l, r.newIndex(l.Locations)})
		default:
			x.names = append(x.names, r.nodeOf(l))
		}
	}
	slices.SortStableFunc(x.names, func(a, b node) int { return strings.Compare(a.name, b.name) })
	x.join()
	var open []int // the prefixes that the name reached lies in
	for i := range x.names {
		n := &x.names[i]
		for len(open) > 0 && !strings.HasPrefix(n.name, x.names[open[len(open)-1]].name) {
			open = open[:len(open)-1]
		}
		n.outer = -1
		if len(open) > 0 {
			n.outer = open[len(open)-1]
		}
		if n.prefix != nil {
			open = append(open, i)
		}
	}
	return x
}

func (r *Router) nodeOf(l *config.Location) node {
	n := node{name: l.Pattern, redirect: strings.HasSuffix(l.Pattern, "/") && passes(l)}
	if l.Modifier == "=" {
		n.exact = l
	} else {
		n.prefix, n.inner = l, r.newIndex(l.Locations)
	}
	return n
}

// join makes one node of an exact location and a prefix with the same name. Two of a kind nginx refuses: the first stays.
func (x *index) join() {
	out := x.names[:0]
	for _, n := range x.names {
		if len(out) == 0 || out[len(out)-1].name != n.name {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		if last.exact == nil {
			last.exact = n.exact
		}
		if last.prefix == nil {
			last.prefix, last.inner = n.prefix, n.inner
		}
		last.redirect = last.redirect || n.redirect
	}
	x.names = out
}

// passers are the directives that make nginx redirect "/name" to a location "/name/".
var passers = []string{"proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass"}

func passes(l *config.Location) bool {
	for i := range l.Items {
		if name := l.Items[i].Name().Value; strings.HasSuffix(name, "_pass") && slices.Contains(passers, name) {
			return true
		}
	}
	return false
}
