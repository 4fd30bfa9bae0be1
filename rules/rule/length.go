package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Length is how many bytes a text usually has.
type Length struct{ Least, Most int }

func (l Length) plus(o Length) Length {
	return Length{min(l.Least+o.Least, limitreq.MaxKey), min(l.Most+o.Most, limitreq.MaxKey)}
}

func (l Length) or(o Length) Length { return Length{min(l.Least, o.Least), max(l.Most, o.Most)} }

// KeyLength estimates between which lengths the keys that are counted lie, from what the variables usually hold and from
// the texts of the blocks. It is not known where a variable is set while a request runs, or of another project's module.
func (f *Facts) KeyLength(key value.Template) (Length, bool) {
	f.keys.Lock()
	defer f.keys.Unlock()
	w := lengthWalk{facts: f, known: make(map[string]*Length)}
	l := w.template(key, nil)
	if l == nil {
		return Length{}, false
	}
	l.Least = max(l.Least, 1) // an empty key is not counted
	return *l, true
}

// A lengthWalk finds the length of each variable once.
type lengthWalk struct {
	facts *Facts
	known map[string]*Length // nil where it cannot be known, and while it is looked for
}

func (w *lengthWalk) template(t value.Template, entry *Entry) *Length {
	var sum Length
	for _, part := range t.Parts {
		if part.Variable == "" {
			sum = sum.plus(Length{len(part.Literal), len(part.Literal)})
			continue
		}
		if entry != nil && isCapture(entry.Item, part.Variable) {
			return nil
		}
		l, known := w.known[part.Variable]
		if !known {
			w.known[part.Variable] = nil
			l = w.variable(part.Variable)
			w.known[part.Variable] = l
		}
		if l == nil {
			return nil
		}
		sum = sum.plus(*l)
	}
	return &sum
}

func (w *lengthWalk) variable(name string) *Length {
	b := w.facts.block(name)
	if b == nil {
		return usual(name)
	}
	var all *Length
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.Value.Text == "" {
			continue // not counted
		}
		l := &Length{len(e.Value.Text), len(e.Value.Text)}
		if b.IsMap() {
			if l = w.template(e.Value, e); l == nil {
				return nil
			}
		}
		if all == nil {
			all = l
		}
		*all = all.or(*l)
	}
	return all
}

// usual is what variables of nginx's own hold in the requests of browsers and programs; most are shorter, and some longer.
func usual(name string) *Length {
	switch name {
	case "binary_remote_addr":
		return &Length{4, 16}
	case "remote_addr", "realip_remote_addr", "proxy_protocol_addr":
		return &Length{7, 39}
	case "request_uri", "uri", "document_uri":
		return &Length{1, 150}
	case "request":
		return &Length{14, 170}
	case "args", "query_string":
		return &Length{0, 120}
	case "http_user_agent", "http_referer":
		return &Length{0, 180}
	case "http_cookie":
		return &Length{0, 600}
	case "http_authorization": // from a short password to a signed token
		return &Length{20, 600}
	case "server_name", "host", "http_host", "server_addr", "request_method", "scheme", "server_port", "remote_user":
		return &Length{3, 25}
	}
	if strings.HasPrefix(name, "cookie_") || strings.HasPrefix(name, "arg_") || strings.HasPrefix(name, "http_") {
		return &Length{16, 32}
	}
	return nil
}
