package edge

import (
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A Request is one request as it comes to the edge. Nobody changes the fields after Path, Query or URI was asked for.
type Request struct {
	Client   netip.Addr // who connects to the edge
	Method   string     // "" is GET
	Scheme   string     // "" is http
	Host     string     // as sent, a port included
	Target   string     // path and query as sent
	Protocol string     // "HTTP/2.0"; "" is HTTP/1.1
	Headers  []request.Header
	BodySize int64

	Colo            string // the data centre that it comes to; "" is one for all
	Cached          bool   // the answer would come from the edge's cache
	ChallengePassed bool   // the visitor solves the challenge that the request gets
	Sight           *Sight // how much of the request is known; nil: all of it

	read              bool
	path, query, name string
	uri, full         string
}

// Of makes the request that a client sends through an edge to nginx.
func Of(client netip.Addr, req *request.Request) Request {
	return Request{
		Client: client, Method: req.Method, Scheme: req.Scheme, Host: req.Host, Target: req.Target, Protocol: req.Protocol,
		Headers: req.Headers, BodySize: req.BodySize,
	}
}

func (r *Request) prepare() {
	if r.read {
		return
	}
	r.read = true
	target := request.Unparsed(r.Target)
	if i := strings.IndexByte(target, '#'); i >= 0 {
		target = target[:i]
	}
	r.path, r.query, _ = strings.Cut(target, "?")
	r.path = normalPath(r.path)
	host := r.Host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.Contains(host[i:], "]") {
		host = host[:i]
	}
	r.name = Lower(host)
}

// Path is the path, normalised: letters, digits and -._~ unescaped, dots resolved, slashes merged, "\" a slash. That is
// what Cloudflare does by default before its rules look at a request.
func (r *Request) Path() string { r.prepare(); return r.path }

// Query is what follows "?", as sent.
func (r *Request) Query() string { r.prepare(); return r.query }

// HostName is the host in lower case, without a port.
func (r *Request) HostName() string { r.prepare(); return r.name }

// URI is the path with the query.
func (r *Request) URI() string {
	r.prepare()
	if r.query == "" {
		return r.path
	}
	if r.uri == "" {
		r.uri = r.path + "?" + r.query
	}
	return r.uri
}

// FullURI is the whole address, without a fragment.
func (r *Request) FullURI() string {
	if r.full == "" {
		scheme := r.Scheme
		if scheme == "" {
			scheme = "http"
		}
		r.full = scheme + "://" + r.HostName() + r.URI()
	}
	return r.full
}

// Verb is the method.
func (r *Request) Verb() string {
	if r.Method == "" {
		return "GET"
	}
	return r.Method
}

// Header returns the first value of a header.
func (r *Request) Header(name string) (string, bool) { return first(r.Headers, name) }

// Header returns the first value of a header.
func (r *Response) Header(name string) (string, bool) { return first(r.Headers, name) }

func first(headers []request.Header, name string) (string, bool) {
	name = Lower(name)
	for i := range headers {
		if len(headers[i].Name) == len(name) && SameHeader(headers[i].Name, name) {
			return headers[i].Value, true
		}
	}
	return "", false
}

// SameHeader says whether a header's name, of the same length, is one in small letters.
func SameHeader(name, small string) bool {
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != small[i] {
			return false
		}
	}
	return true
}

// Lower writes A to Z small; other letters stay. A text without any is returned as it is.
func Lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			return lowered(s)
		}
	}
	return s
}

func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// normalPath normalises a path; one without anything to do is returned as it is.
func normalPath(p string) string {
	if p == "" {
		return "/"
	}
	if !strings.ContainsAny(p, `%\`) && !strings.Contains(p, "//") && !strings.Contains(p, "/.") {
		return p
	}
	b := unreserved(p)
	parts := strings.Split(b, "/")
	kept := make([]string, 0, len(parts))
	for i, part := range parts {
		last := i == len(parts)-1
		switch part {
		case "", ".":
			if last {
				kept = append(kept, "")
			}
			continue
		case "..":
			if len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
			continue
		}
		kept = append(kept, part)
	}
	return "/" + strings.Join(kept, "/")
}

// unreserved unescapes what needs no escape, writes other escapes with capital letters, and turns "\" round.
func unreserved(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\':
			b.WriteByte('/')
		case c == '%' && i+2 < len(p) && isHex(p[i+1]) && isHex(p[i+2]):
			v := unhex(p[i+1])<<4 | unhex(p[i+2])
			if v == '-' || v == '.' || v == '_' || v == '~' || '0' <= v && v <= '9' || isLetter(v) {
				b.WriteByte(v)
			} else {
				b.WriteString(strings.ToUpper(p[i : i+3]))
			}
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// Unescape decodes %XX, and "+" as a space where plus is set. What is no escape stays. A text without any is returned as
// it is.
func Unescape(s string, plus bool) string {
	if !strings.Contains(s, "%") && (!plus || !strings.Contains(s, "+")) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+' && plus:
			b.WriteByte(' ')
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteByte(unhex(s[i+1])<<4 | unhex(s[i+2]))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
