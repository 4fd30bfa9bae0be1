package route

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Match is the location that takes a URI.
type Match struct {
	Number    int    // of the location, for Numbered; 0 where none does: the server itself takes it
	Status    int    // the answer that nginx gives at once: 301, or 404 for an internal location; 0 where it goes on
	Redirect  string // the Location header of the automatic 301 to a proxied prefix
	Undecided error  // the regex that could not be decided: nobody can say which location it is; else nil
}

// Location finds the location of v.URI. A regex that matches leaves its captures in v. internal says that the request was
// redirected within nginx, so that internal locations take it.
func (s *Site) Location(v *value.Request, internal bool) Match {
	sh := s.build()
	f := finder{v: v, site: s}
	result := f.find(sh.index)
	if f.undecided != nil || f.at == 0 {
		return Match{Undecided: f.undecided}
	}
	m := Match{Number: s.Number() + int(f.at)}
	switch {
	case !internal && sh.internal[f.at]:
		m.Status = 404
	case result == redirected:
		m.Status = 301
		m.Redirect = request.Escape(s.router.Numbered(m.Number).Pattern)
		if v.Args != "" {
			m.Redirect += "?" + v.Args
		}
	}
	return m
}

// Named finds the location of a name, with or without its "@"; nil where the server has none.
func (s *Site) Named(name string) *config.Location {
	name = strings.TrimPrefix(name, "@")
	for _, l := range s.Server.Locations {
		if l.Modifier == "@" && l.Pattern == name {
			return l
		}
	}
	return nil
}

// A shape is all that a search for a location needs of a server. It names locations by their numbers within it, so that servers
// with the same locations, of which a hosting company has thousands, share one, which then is at hand.
type shape struct {
	*index
	internal []bool // by number
}

// index is one list of locations: those of a server, or those within a location.
type index struct {
	names   []node // sorted by name
	regexes []regexLocation
}

// node is a name, with the locations that have it.
type node struct {
	name     string
	exact    int32  // the number of the location with "="; 0 where there is none
	prefix   int32  // of the one without
	inner    *index // of the locations within the prefix; nil where there are none
	outer    int    // the node of the longest prefix that the name itself starts with; -1 where there is none
	alone    bool   // "^~": no regex is tried
	redirect bool   // the name without its final "/" is redirected to it
}

type regexLocation struct {
	re       *pcre.Regex
	location int32
	inner    *index
}

// Numbered returns the location of a number; nil for 0, and for the number of a server.
func (r *Router) Numbered(n int) *config.Location { return r.locations[n] }

// Numbers returns the number that those of all servers and locations are below. They are dense, so that what belongs to a
// server or a location may stand in a list, and what belongs to one server close together.
func (r *Router) Numbers() int { return len(r.locations) }

// number lists locations with those within them, each before what it holds.
func (r *Router) number(locations []*config.Location) {
	for _, l := range locations {
		r.locations = append(r.locations, l)
		r.number(l.Locations)
	}
}

// numbers is how many numbers servers and their locations take.
func numbers(servers []*config.Server) int {
	n := len(servers)
	for _, s := range servers {
		for range s.AllLocations {
			n++
		}
	}
	return n
}

// appendKey appends what the shape of locations depends on.
func appendKey(key []byte, locations []*config.Location) []byte {
	for _, l := range locations {
		key = append(key, l.Modifier...)
		key = binary.AppendUvarint(append(key, ' '), uint64(len(l.Pattern)))
		key = append(key, l.Pattern...)
		key = append(key, flag(l.Internal)|flag(redirects(l))<<1|flag(len(l.Locations) > 0)<<2)
		if len(l.Locations) > 0 {
			key = append(appendKey(key, l.Locations), 0)
		}
	}
	return key
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// newShape returns the shape of locations.
func (r *Router) newShape(locations []*config.Location) *shape {
	sh := &shape{internal: make([]bool, 1)}
	sh.index = r.newIndex(locations, sh)
	return sh
}

// newIndex returns the index of a list, whose locations get the next numbers of the shape; nil of an empty one.
func (r *Router) newIndex(locations []*config.Location, sh *shape) *index {
	if len(locations) == 0 {
		return nil
	}
	x := &index{}
	for _, l := range locations {
		number := int32(len(sh.internal))
		sh.internal = append(sh.internal, l.Internal)
		inner := r.newIndex(l.Locations, sh)
		switch l.Modifier {
		case "@":
		case "~", "~*":
			x.regexes = append(x.regexes, regexLocation{r.regexes.Get(l.Pattern, l.Modifier == "~*"), number, inner})
		case "=":
			x.names = append(x.names, node{name: l.Pattern, exact: number, redirect: redirects(l)})
		default:
			x.names = append(x.names, node{
				name: l.Pattern, prefix: number, inner: inner, alone: l.Modifier == "^~", redirect: redirects(l),
			})
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
		if n.prefix != 0 {
			open = append(open, i)
		}
	}
	return x
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
		if last.exact == 0 {
			last.exact = n.exact
		}
		if last.prefix == 0 {
			last.prefix, last.inner, last.alone = n.prefix, n.inner, n.alone
		}
		last.redirect = last.redirect || n.redirect
	}
	x.names = out
}

// redirects says whether nginx sends a request for the location's name without its final "/" there.
func redirects(l *config.Location) bool { return strings.HasSuffix(l.Pattern, "/") && passes(l) }

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
