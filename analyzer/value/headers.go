package value

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
)

// lines returns the values of all header lines of a name, letters without case, in order.
func (r *Request) lines(name string) []string {
	var out []string
	for i := range r.HTTP.Headers {
		if h := &r.HTTP.Headers[i]; len(h.Name) == len(name) && strings.EqualFold(h.Name, name) {
			out = append(out, h.Value)
		}
	}
	return out
}

// first returns the first header line of a name, letters without case.
func (r *Request) first(name string) (string, bool) {
	for i := range r.HTTP.Headers {
		if h := &r.HTTP.Headers[i]; len(h.Name) == len(name) && strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

// header is $http_NAME. Several lines of one name: nginx takes the first, and since 1.23.0 all of them joined by ", ".
// X-Forwarded-For is joined in every version, Cookie by "; ".
func (r *Request) header(name string) Value {
	switch name {
	case "host":
		if r.HTTP.NoHost {
			return Value{}
		}
		return Of(r.HTTP.Host)
	case "cookie":
		return Of(strings.Join(r.named(name), "; "))
	}
	values := r.named(name)
	switch {
	case len(values) == 0:
		return Value{}
	case name == "x_forwarded_for" || r.since(23, 0):
		return Of(strings.Join(values, ", "))
	}
	return Of(values[0])
}

// named returns the values of the header lines that a variable's name stands for: "-" and "_" are one to it. Lines with
// a name that nginx ignores do not count.
func (r *Request) named(variable string) []string {
	var out []string
	for i := range r.HTTP.Headers {
		h := &r.HTTP.Headers[i]
		if len(h.Name) == len(variable) && sameHeader(h.Name, variable) && r.taken(h.Name) {
			out = append(out, h.Value)
		}
	}
	return out
}

func sameHeader(header, variable string) bool {
	for i := range len(header) {
		c := header[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		} else if c == '-' {
			c = '_'
		}
		if c != variable[i] {
			return false
		}
	}
	return true
}

// taken says whether nginx takes a header of that name: by default only letters, digits and hyphens.
func (r *Request) taken(name string) bool {
	if r.InvalidHeaders {
		return true
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '-':
		case c == '_' && r.Underscores:
		default:
			return false
		}
	}
	return true
}

// cookie is $cookie_NAME: the first cookie of that name, letters without case.
func (r *Request) cookie(name string) Value {
	for _, line := range r.named("cookie") {
		if v, ok := cookieIn(line, name); ok {
			return Of(v)
		}
	}
	return Value{}
}

func cookieIn(line, name string) (string, bool) {
	for rest := line; rest != ""; rest = strings.TrimLeft(rest, " ") {
		if len(rest) >= len(name) && hostname.Lower(rest[:len(name)]) == name {
			after := strings.TrimLeft(rest[len(name):], " ")
			if after != "" && after[0] == '=' {
				v, _, _ := strings.Cut(strings.TrimLeft(after[1:], " "), ";")
				return v, true
			}
			if rest = after; after != "" { // nginx has read one byte behind the name
				rest = after[1:]
			}
		}
		i := strings.IndexAny(rest, ";,")
		if i < 0 {
			break
		}
		rest = rest[i+1:]
	}
	return "", false
}

// argument is $arg_NAME: the first argument of that name, letters without case.
func (r *Request) argument(name string) Value {
	if name == "" {
		return Value{}
	}
	for rest := r.Args; rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, "&")
		if len(one) > len(name) && one[len(name)] == '=' && hostname.Lower(one[:len(name)]) == name {
			return Of(one[len(name)+1:])
		}
	}
	return Value{}
}
