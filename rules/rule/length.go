package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Length is how many bytes a text usually has.
type Length struct{ Least, Most int }

func (l Length) plus(o Length) Length { return Length{l.Least + o.Least, l.Most + o.Most} }

func (l Length) or(o Length) Length { return Length{min(l.Least, o.Least), max(l.Most, o.Most)} }

// KeyLength estimates between which lengths the keys that are counted lie, from what the variables usually hold and from
// the texts of the blocks. It is not known where a variable is set while a request runs, or of another project's module.
func (f *Facts) KeyLength(key value.Template) (Length, bool) {
	f.keys.Lock()
	defer f.keys.Unlock()
	l, known := f.lengthOf(key, nil, 0)
	l.Least = max(l.Least, 1) // an empty key is not counted
	return l, known
}

func (f *Facts) lengthOf(t value.Template, entry *Entry, turns int) (Length, bool) {
	var sum Length
	for _, part := range t.Parts {
		if part.Variable == "" {
			sum = sum.plus(Length{len(part.Literal), len(part.Literal)})
			continue
		}
		l, known := f.lengthOfVariable(part.Variable, entry, turns)
		if !known {
			return Length{}, false
		}
		sum = sum.plus(l)
	}
	return sum, true
}

func (f *Facts) lengthOfVariable(name string, entry *Entry, turns int) (Length, bool) {
	if turns > maxTurns || entry != nil && isCapture(entry.Item, name) {
		return Length{}, false
	}
	b := f.block(name)
	if b == nil {
		return usual(name)
	}
	var all Length
	first := true
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.Value.Text == "" {
			continue // not counted
		}
		l, known := Length{len(e.Value.Text), len(e.Value.Text)}, true
		if b.IsMap() {
			l, known = f.lengthOf(e.Value, e, turns+1)
		}
		if !known {
			return Length{}, false
		}
		if first {
			all, first = l, false
		}
		all = all.or(l)
	}
	return all, true
}

// usual is what variables of nginx's own hold in the requests of browsers and programs; most are shorter, and some longer.
func usual(name string) (Length, bool) {
	switch name {
	case "binary_remote_addr":
		return Length{4, 16}, true
	case "remote_addr", "realip_remote_addr", "proxy_protocol_addr":
		return Length{7, 39}, true
	case "request_uri", "uri", "document_uri":
		return Length{1, 150}, true
	case "request":
		return Length{14, 170}, true
	case "args", "query_string":
		return Length{0, 120}, true
	case "http_user_agent", "http_referer":
		return Length{0, 180}, true
	case "http_cookie":
		return Length{0, 600}, true
	case "http_authorization": // from a short password to a signed token
		return Length{20, 600}, true
	case "server_name", "host", "http_host", "server_addr", "request_method", "scheme", "server_port", "remote_user":
		return Length{3, 25}, true
	}
	if strings.HasPrefix(name, "cookie_") || strings.HasPrefix(name, "arg_") || strings.HasPrefix(name, "http_") {
		return Length{16, 32}, true
	}
	return Length{}, false
}
