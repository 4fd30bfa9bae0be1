package lang

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// A source is where a map's values are: next returns the value of a name ("" for any) from a place on, the name that it
// has, and the place behind it; behind is negative where there is none.
type source func(s *Scope, name string, at int) (key, v string, behind int)

// mapField is a field that is a map of arrays.
type mapField struct {
	name string
	src  source
	dark func(s *Scope, key string) string // why an entry, or "" for all, cannot be known; nil or "" where it can
}

func (n *mapField) kind() kind     { return kind{text, table, false} }
func (n *mapField) String() string { return n.name }

func (n *mapField) eval(s *Scope) value { return n.obscure(s, "") }

// obscure is present, or unknown with the reason noted.
func (n *mapField) obscure(s *Scope, key string) value {
	if n.dark != nil {
		if why := n.dark(s, key); why != "" {
			return s.dark(why)
		}
	}
	return value{}
}

// entry is the array that a map has for a name; missing where it has none.
type entry struct {
	of  *mapField
	key string
}

func (n *entry) kind() kind     { return kind{text, array, false} }
func (n *entry) String() string { return n.of.name + "[" + quote(n.key) + "]" }

func (n *entry) eval(s *Scope) value {
	v, _ := n.next(s, 0)
	return v
}

func (n *entry) next(s *Scope, at int) (value, int) {
	if v := n.of.obscure(s, n.key); v.gone() {
		return v, -1
	}
	_, v, behind := n.of.src(s, n.key, at)
	if behind < 0 {
		return value{state: missing}, -1
	}
	return str(v), behind
}

// ofAll is the array of all names, or of all values, of a map.
type ofAll struct {
	of    *mapField
	names bool
}

func (n *ofAll) kind() kind { return kind{text, array, false} }

func (n *ofAll) String() string {
	if n.names {
		return n.of.name + ".names"
	}
	return n.of.name + ".values"
}

func (n *ofAll) eval(s *Scope) value {
	v, _ := n.next(s, 0)
	return v
}

func (n *ofAll) next(s *Scope, at int) (value, int) {
	if v := n.of.obscure(s, ""); v.gone() {
		return v, -1
	}
	k, v, behind := n.of.src(s, "", at)
	switch {
	case behind < 0:
		return value{state: missing}, -1
	case n.names:
		return str(k), behind
	}
	return str(v), behind
}

// element is one element of an array.
type element struct {
	of list
	n  int
}

func (n *element) kind() kind     { return kind{base: n.of.kind().base} }
func (n *element) String() string { return n.of.String() + "[" + strconv.Itoa(n.n) + "]" }

func (n *element) eval(s *Scope) value {
	v, at := n.of.next(s, 0)
	for i := 0; i < n.n && at >= 0; i++ {
		v, at = n.of.next(s, at)
	}
	return v
}

// each is the element that any or all has come to.
type each struct{ of list }

func (n *each) kind() kind          { return kind{base: n.of.kind().base, each: true} }
func (n *each) String() string      { return n.of.String() + "[*]" }
func (n *each) eval(s *Scope) value { return s.elem }

// mapped is what a function makes of each element; [*] behind it takes them one by one.
type mapped struct{ node node }

func (n *mapped) kind() kind          { return kind{n.node.kind().base, array, false} }
func (n *mapped) String() string      { return n.node.String() }
func (n *mapped) eval(s *Scope) value { return n.node.eval(s) }

func headersOf(all []request.Header, name string, at int) (key, v string, behind int) {
	if name == "" {
		if at < len(all) {
			return edge.Lower(all[at].Name), all[at].Value, at + 1
		}
		return "", "", -1
	}
	for ; at < len(all); at++ {
		if h := &all[at]; len(h.Name) == len(name) && h.Name[0]|0x20 == name[0]|0x20 && edge.SameHeader(h.Name, name) {
			return name, h.Value, at + 1 // the map's names are small
		}
	}
	return "", "", -1
}

// requestHeaders has the Host header too, first: Cloudflare's map has it, and a Request keeps it apart.
func requestHeaders(s *Scope, name string, at int) (key, v string, behind int) {
	if at == 0 {
		if (name == "" || name == "host") && s.Request.Host != "" {
			return "host", s.Request.Host, 1
		}
		at = 1
	}
	key, v, behind = headersOf(s.Request.Headers, name, at-1)
	if behind >= 0 {
		behind++
	}
	return key, v, behind
}

func responseHeaders(s *Scope, name string, at int) (key, v string, behind int) {
	if s.Response == nil {
		return "", "", -1
	}
	return headersOf(s.Response.Headers, name, at)
}

// arguments are those of the query, as sent.
func arguments(s *Scope, name string, at int) (key, v string, behind int) {
	return pairsOf(s.Request.Query(), '&', name, at, false)
}

// trim takes blanks off both ends.
func trim(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// offsetBits are the bits of a place in a Cookie header; the number of the header stands above them.
const offsetBits = 21

// cookies are those of all Cookie headers, names and values decoded.
func cookies(s *Scope, name string, at int) (key, v string, behind int) {
	header, within := at>>offsetBits, at&(1<<offsetBits-1)
	for ; header < len(s.Request.Headers); header, within = header+1, 0 {
		h := &s.Request.Headers[header]
		if len(h.Name) != len("cookie") || !edge.SameHeader(h.Name, "cookie") {
			continue
		}
		if key, v, behind = pairsOf(h.Value[:min(len(h.Value), 1<<offsetBits-2)], ';', name, within, true); behind >= 0 {
			return key, v, header<<offsetBits | behind
		}
	}
	return "", "", -1
}

// pairsOf finds name=value from a place on in a text of such, apart by sep. The place behind the last one is past the end.
func pairsOf(s string, sep byte, name string, at int, cookie bool) (key, v string, behind int) {
	for at < len(s) {
		part, rest := s[at:], len(s)+1
		if i := strings.IndexByte(part, sep); i >= 0 {
			part, rest = part[:i], at+i+1
		}
		at = rest
		if cookie {
			part = trim(part)
		}
		if part == "" {
			continue
		}
		k, v, _ := strings.Cut(part, "=")
		if cookie {
			k = edge.Unescape(k, false)
		}
		if name != "" && k != name {
			continue
		}
		if cookie {
			v = edge.Unescape(v, false)
		}
		return k, v, rest
	}
	return "", "", -1
}
