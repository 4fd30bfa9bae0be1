package rule

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Key is what can be said of a zone's key without looking at a single request.
type Key struct {
	Pages      bool     // a visitor who looks at a page may be counted
	Static     bool     // so may a static file of the page: no map by its URI exempts it
	Exempt     bool     // no visitor is counted, neither for a page nor for what is posted: the key is empty for both
	Never      bool     // nobody is ever counted: the key is empty and depends on nothing
	PerAddress bool     // two visitors with different addresses have different keys, be it only where they send nothing of their own
	Constant   bool     // all visitors of one server have the same key
	ForAll     bool     // all visitors of one site have: besides Constant, where the key is the name that they ask for
	Sent       bool     // it rests on what a visitor may or may not send, or on what cannot be known
	Bytes      int      // how long it usually is; for addresses the longest form
	Variables  []string // that the key rests on, through maps and the like: "binary_remote_addr"; without "$"
}

// Key judges a zone's key. Answers are kept by the key's text.
func (f *Facts) Key(t value.Template) Key {
	f.keys.Lock()
	defer f.keys.Unlock()
	k, ok := f.keys.byText[t.Text]
	if !ok {
		k = judgeKey(t, f.definitions())
		f.keys.byText[t.Text] = k
	}
	return k
}

func (f *Facts) definitions() *value.Definitions {
	if f.Tree == nil || f.Tree.HTTP == nil {
		return nil
	}
	return f.Tree.HTTP.Variables
}

// Visitors from different networks, who stand for any other. None lies in a range kept for documentation, which
// examples like to exempt.
var visitors = [...]netip.AddrPort{
	netip.MustParseAddrPort("81.2.69.160:40001"),
	netip.MustParseAddrPort("45.83.11.9:40002"),
	netip.MustParseAddrPort("178.62.40.77:40003"),
}

// browser is what an ordinary visitor's user agent says: enough for the maps that tell crawlers from people.
const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func judgeKey(t value.Template, defs *value.Definitions) Key {
	k := Key{Variables: leaves(t, defs), Exempt: true}
	for who := range visitors {
		get, post := empty(visit(t, defs, visitor{who: who})), empty(visit(t, defs, visitor{who: who, method: "POST"}))
		k.Pages = k.Pages || !get
		k.Static = k.Static || !get && !exemptsStatic(t, defs, who)
		k.Exempt = k.Exempt && get && post
	}
	k.Never = k.Exempt && len(k.Variables) == 0
	k.PerAddress = perAddress(t, defs)
	k.Constant = !k.PerAddress && constant(k.Variables)
	k.ForAll = !k.PerAddress && !slices.ContainsFunc(k.Variables, func(name string) bool {
		return name != "host" && name != "http_host" && !constant([]string{name})
	})
	for _, name := range k.Variables {
		v := visit(value.Template{Text: "$" + name, Parts: []value.Part{{Variable: name}}}, defs, visitor{uri: "/"})
		_, known := v.Known()
		k.Sent = k.Sent || own(name) || !known && !open(name)
	}
	k.Bytes = usualLength(t, defs)
	return k
}

func empty(v value.Value) bool {
	text, known := v.Known()
	return known && text == ""
}

// staticFiles are addresses of the kinds of files that a page has.
var staticFiles = [...]string{"/static/app.css", "/assets/app.js", "/img/logo.png"}

func exemptsStatic(t value.Template, defs *value.Definitions, who int) bool {
	for _, uri := range staticFiles {
		if empty(visit(t, defs, visitor{who: who, uri: uri})) {
			return true
		}
	}
	return false
}

// perAddress asks for the key of each visitor: of any URI, or, where that matters, of some.
func perAddress(t value.Template, defs *value.Definitions) bool {
	for _, uri := range [...]string{"", "/", "/login", "/api/x", staticFiles[0]} {
		if yes, known := differs(t, defs, uri, false); yes || known {
			return yes
		}
		for _, part := range t.Parts {
			if part.Variable == "" {
				continue
			}
			if yes, _ := differs(value.Template{Text: "$" + part.Variable, Parts: []value.Part{part}}, defs, uri, false); yes {
				return true
			}
		}
	}
	// A key of the visitor's own, and the address for whoever sends none.
	yes, _ := differs(t, defs, "/", true)
	return yes
}

// differs says whether two visitors with nothing but another address have different keys. A key that is empty for one
// of them, because that address is exempt, is no such difference.
func differs(t value.Template, defs *value.Definitions, uri string, plain bool) (yes, known bool) {
	known = true
	for _, method := range []string{"GET", "POST"} {
		first := ""
		for who := range visitors {
			text, ok := visit(t, defs, visitor{who: who, method: method, uri: uri, plain: plain}).Known()
			switch {
			case !ok:
				known = false
			case first == "":
				first = text
			case text != "" && text != first:
				return true, true
			}
		}
	}
	return false, known && uri == ""
}

// A visitor is one request of an ordinary browser.
type visitor struct {
	who    int    // index into visitors
	method string // "" is GET
	uri    string // "" is not known
	plain  bool   // nothing is sent that not every browser sends: no key, no cookie, no arguments
}

// visit evaluates the key for one visitor. What an ordinary visitor may or may not send, and what only a running request
// sets, is not known.
func visit(t value.Template, defs *value.Definitions, v visitor) value.Value {
	target := cmp.Or(v.uri, "/")
	r := &value.Request{
		HTTP: &request.Request{
			Method: v.method, Target: target, Peer: visitors[v.who].Addr(), PeerPort: visitors[v.who].Port(),
			Headers: []request.Header{{Name: "User-Agent", Value: browser}},
		},
		Definitions: defs,
		Client:      visitors[v.who],
		URI:         target,
	}
	for _, name := range reached(t, defs) {
		if v.plain && own(name) {
			continue
		}
		if open(name) && (v.uri == "" || !ofURI(name)) || defs.Declared(name) {
			r.Set(name, value.Unknown("depends on the request"))
		}
	}
	return t.Eval(r)
}

// ofURI says whether a variable is known as soon as the URI is.
func ofURI(name string) bool {
	switch name {
	case "uri", "document_uri", "request_uri":
		return true
	}
	return false
}

// own says whether a variable is empty for visitors who send nothing of their own. What proxies hand on of a client is not:
// where one stands in front it is always there.
func own(name string) bool {
	switch {
	case strings.HasPrefix(name, "cookie_"), strings.HasPrefix(name, "arg_"):
		return true
	case !strings.HasPrefix(name, "http_"), forwardingHeader.MatchString("$" + name):
		return false
	}
	switch name {
	case "http_user_agent", "http_host", "http_accept", "http_accept_language", "http_accept_encoding", "http_connection", "http_referer":
		return false
	}
	return true
}

// open says whether the value of a variable of nginx's own is up to the visitor or to the page.
func open(name string) bool {
	switch name {
	case "http_user_agent":
		return false
	case "uri", "document_uri", "request_uri", "request", "args", "query_string", "is_args", "host", "scheme", "https",
		"server_name", "server_port", "server_addr", "server_protocol", "http2", "http3", "remote_user", "content_length",
		"content_type", "proxy_protocol_addr", "proxy_add_x_forwarded_for", "document_root", "request_filename":
		return true
	}
	return strings.HasPrefix(name, "http_") || strings.HasPrefix(name, "cookie_") || strings.HasPrefix(name, "arg_")
}

// constant says whether all requests to one server have the same values of the variables.
func constant(names []string) bool {
	for _, name := range names {
		switch name {
		case "server_name", "server_addr", "server_port", "hostname", "nginx_version":
		default:
			return false
		}
	}
	return true
}

// reached returns the variables of the template and all that their definitions read, each once.
func reached(t value.Template, defs *value.Definitions) []string {
	names := t.Variables()
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[name] = true
	}
	for i := 0; i < len(names); i++ {
		for _, source := range slices.Concat(defs.Sources(names[i]), defs.Yields(names[i])) {
			if !seen[source] {
				seen[source] = true
				names = append(names, source)
			}
		}
	}
	return names
}

// leaves returns those of the reached variables that no definition makes from others.
func leaves(t value.Template, defs *value.Definitions) []string {
	var found []string
	for _, name := range reached(t, defs) {
		if !defs.Defined(name) || defs.Declared(name) {
			found = append(found, name)
		}
	}
	return found
}

// usualLength estimates how many bytes a key has, from what its variables usually hold.
func usualLength(t value.Template, defs *value.Definitions) int {
	n := 0
	for _, part := range t.Parts {
		switch {
		case part.Variable == "":
			n += len(part.Literal)
		case defs.Defined(part.Variable):
			n += longestValue(value.Template{Parts: []value.Part{part}}, defs)
		default:
			n += usualBytes(part.Variable)
		}
	}
	return n
}

// longestValue is the longest value that a variable of the configuration has for any of the visitors. Where that is an
// address in binary form, another visitor's may have the 16 bytes of IPv6.
func longestValue(t value.Template, defs *value.Definitions) int {
	longest := 16
	for who := range visitors {
		if text, known := visit(t, defs, visitor{who: who}).Known(); known {
			longest = max(longest, len(text))
		}
	}
	return longest
}

func usualBytes(name string) int {
	switch name {
	case "binary_remote_addr":
		return 16
	case "remote_addr", "realip_remote_addr", "proxy_protocol_addr":
		return 39
	case "request_uri", "uri", "document_uri", "args", "query_string", "request", "http_referer":
		return 60
	case "http_user_agent", "http_cookie", "http_authorization":
		return 110
	}
	return 20
}
