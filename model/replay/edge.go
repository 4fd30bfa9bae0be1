package replay

import (
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// An Edge is an edge network that requests pass before nginx. It counts what comes to all nginx hosts together.
type Edge struct {
	Layer    edge.Layer
	Networks *netipx.IPSet // from which it connects to nginx; nil where that is not known
	Header   string        // of its own, in which it hands on the visitor's address: "CF-Connecting-IP"; "" for none
}

// changed are headers that an edge writes itself or changes: a log of nginx tells nothing of what the visitor sent.
var changed = []string{"x-forwarded-for", "x-forwarded-proto", "x-real-ip", "cf-connecting-ip", "cf-ray", "cf-visitor", "cf-ipcountry", "true-client-ip", "accept-encoding", "connection", "cdn-loop"}

// A logged is something that the rules of an edge look at, with the variable by which a log tells it.
type logged struct{ name, variable string }

// headers are the headers that rules look at and a log may tell.
func (f *Edge) headers(r *edge.Reads) []logged {
	var list []logged
	for _, name := range r.Headers {
		if v := variableOf("http_", name); v != "" && name != "host" && !slices.Contains(changed, name) {
			list = append(list, logged{name, v})
		}
	}
	return list
}

func cookiesOf(r *edge.Reads) []logged {
	var list []logged
	for _, name := range r.Cookies {
		if v := variableOf("cookie_", name); v != "" {
			list = append(list, logged{name, v})
		}
	}
	return list
}

func answersOf(r *edge.Reads) []logged {
	var list []logged
	for _, name := range r.Answer {
		if v := variableOf("sent_http_", name); v != "" {
			list = append(list, logged{name, v})
		}
	}
	return list
}

// variableOf is nginx's variable of a header or cookie; "" where it has none by that name.
func variableOf(prefix, name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return ""
	}
	return prefix + name
}

// Variables lists the variables of nginx by which a log tells what the rules look at and whom requests come from.
func (f *Edge) Variables() []string {
	r := f.Layer.Reads()
	list := []string{"scheme"}
	if r.Query {
		list = append(list, "request", "request_uri", "args")
	}
	for _, l := range slices.Concat(f.headers(&r), cookiesOf(&r), answersOf(&r)) {
		list = append(list, l.variable)
	}
	return append(list, f.own()...)
}

// own is the variable of the edge's own header.
func (f *Edge) own() []string {
	if v := variableOf("http_", f.Header); v != "" {
		return []string{v}
	}
	return nil
}

// addEdge adds what an edge needs behind what the configuration does. What tells single visitors stands last, as the
// requests of one class are of many.
func (n *needs) addEdge(f *Edge) {
	n.inClass, n.outer = len(n.headers), -1
	if f == nil {
		return
	}
	n.edge = true
	r := f.Layer.Reads()
	n.query = n.query || r.Query
	add := func(list []logged) {
		for _, l := range list {
			switch {
			case l.variable == "http_user_agent":
				n.agent = true
			case l.variable == "http_referer":
				n.referer = true
			case !slices.Contains(n.headers, l.variable):
				n.headers = append(n.headers, l.variable)
			}
		}
	}
	add(f.headers(&r))
	add(cookiesOf(&r))
	add(answersOf(&r))
	n.inClass = len(n.headers)
	for _, v := range f.own() {
		if n.outer = slices.Index(n.headers, v); n.outer < 0 {
			n.outer = len(n.headers)
			n.headers = append(n.headers, v)
		}
	}
}

// sightOf says what is known of requests where each of the logs holds some variables, and which are not held by all.
func (f *Edge) sightOf(sources []Source) (sight *edge.Sight, lacking []string) {
	held := func(variables ...string) bool {
		for _, s := range sources {
			if !slices.ContainsFunc(variables, func(v string) bool { return slices.Contains(s.Held, v) }) {
				return false
			}
		}
		return true
	}
	r := f.Layer.Reads()
	sight = &edge.Sight{Query: held("request", "request_uri", "args"), Scheme: held("scheme")}
	for _, l := range f.headers(&r) {
		if held(l.variable) {
			sight.Headers = append(sight.Headers, l.name)
		} else {
			lacking = append(lacking, "$"+l.variable)
		}
	}
	for _, l := range cookiesOf(&r) {
		if held(l.variable) {
			sight.Cookies = append(sight.Cookies, l.name)
		} else if !slices.Contains(sight.Headers, "cookie") {
			lacking = append(lacking, "$"+l.variable)
		}
	}
	for _, l := range answersOf(&r) {
		if !held(l.variable) {
			lacking = append(lacking, "$"+l.variable)
		}
	}
	return sight, lacking
}

// answerOf are the headers of the answers of a class that its lines tell.
func (e *engine) answerOf(headers []string) []request.Header {
	var list []request.Header
	for i, name := range e.r.needs.headers {
		if sent, ok := strings.CutPrefix(name, "sent_http_"); ok && i < len(headers) && headers[i] != "" {
			list = append(list, request.Header{Name: strings.ReplaceAll(sent, "_", "-"), Value: strings.Clone(headers[i])})
		}
	}
	return list
}
