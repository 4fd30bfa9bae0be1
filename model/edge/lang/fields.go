package lang

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge"
)

// A field is one that the documentation lists.
type field struct {
	base     base
	get      func(*Scope) value         // nil for one that cannot be known
	text     func(*edge.Request) string // the same of a text that is always known; nil for another
	why      string                     // then
	response bool                       // it is there once there is an answer
	src      source                     // a map's
	names    bool                       // with src: the array of its names
	values   bool                       // with src: the array of its values
	darkly   func(s *Scope, key string) string
}

var cookieText = field{base: text, get: func(s *Scope) value {
	if !s.Request.Knows("cookie") {
		return s.dark(notLogged + "cookie")
	}
	return str(allCookies(s.Request))
}}

func textField(get func(*edge.Request) string) field {
	return field{base: text, text: get, get: func(s *Scope) value { return str(get(s.Request)) }}
}

// headerText is a field that is a header, and empty where that was not sent.
func headerText(name string) field {
	return field{base: text, get: func(s *Scope) value {
		if !s.Request.Knows(name) {
			return s.dark(notLogged + name)
		}
		v, _ := s.Request.Header(name)
		return str(v)
	}}
}

// queried is a field that the query is part of.
func queried(f field, what string) field {
	get := f.get
	f.text = nil
	f.get = func(s *Scope) value {
		if why := sentQuery(s, ""); why != "" {
			return s.dark(what + ": " + why)
		}
		return get(s)
	}
	return f
}

func sentQuery(s *Scope, _ string) string {
	if g := s.Request.Sight; g != nil && !g.Query {
		return "the log does not tell the query"
	}
	return ""
}

// notLogged is why a header of a logged request is not known.
const notLogged = "the log does not tell the header "

// wholly is a field that is known where everything about a request is.
func wholly(f field, what string) field {
	get := f.get
	f.text = nil
	f.get = func(s *Scope) value {
		if !s.Request.KnowsAll() {
			return s.dark(what + ": the log does not tell it")
		}
		return get(s)
	}
	return f
}

// schemed is a field that the scheme is part of.
func schemed(f field, what string) field {
	get := f.get
	f.text = nil
	f.get = func(s *Scope) value {
		if g := s.Request.Sight; g != nil && !g.Scheme {
			return s.dark(what + ": the log does not tell the scheme")
		}
		return get(s)
	}
	return f
}

const (
	byProvider = "Cloudflare finds it out about the visitor, and no request holds it"
	byAddress  = "it follows from the visitor's address by a table of Cloudflare's"
	byBody     = "bodies are not part of the traffic that is read"
	byTime     = "the time of the day is not part of the traffic"
)

// hidden is a field that cannot be known.
func hidden(b base, why string) field { return field{base: b, why: why} }

// aMap is a map, and the arrays of its names and of its values.
func aMap(src source, darkly func(*Scope, string) string) field {
	return field{src: src, darkly: darkly}
}

func namesOf(src source, darkly func(*Scope, string) string) field {
	return field{src: src, names: true, darkly: darkly}
}

func valuesOf(src source, darkly func(*Scope, string) string) field {
	return field{src: src, values: true, darkly: darkly}
}

func answerHeaders(s *Scope, key string) string {
	if s.Response == nil || s.Response.Known {
		return ""
	}
	if _, ok := s.Response.Header(key); ok && key != "" {
		return ""
	}
	return "the headers of the answer are not known"
}

func sentHeaders(s *Scope, key string) string {
	switch {
	case key == "" && !s.Request.KnowsAll():
		return "the log does not tell all headers"
	case key != "" && !s.Request.Knows(key):
		return notLogged + key
	}
	return ""
}

func sentCookies(s *Scope, key string) string {
	switch {
	case key == "" && !s.Request.Knows("cookie"):
		return "the log does not tell all cookies"
	case key != "" && !s.Request.KnowsCookie(key):
		return "the log does not tell the cookie " + key
	}
	return ""
}

var fields = map[string]field{
	"http.host":                             textField((*edge.Request).HostName),
	"http.request.method":                   textField((*edge.Request).Verb),
	"http.request.uri":                      queried(textField((*edge.Request).URI), "http.request.uri"),
	"http.request.uri.path":                 textField((*edge.Request).Path),
	"http.request.uri.query":                queried(textField((*edge.Request).Query), "http.request.uri.query"),
	"http.request.full_uri":                 queried(schemed(textField((*edge.Request).FullURI), "http.request.full_uri"), "http.request.full_uri"),
	"http.request.uri.path.extension":       textField(func(r *edge.Request) string { return extension(r.Path()) }),
	"http.request.version":                  wholly(textField(version), "http.request.version"),
	"raw.http.request.uri":                  queried(textField(func(r *edge.Request) string { return r.Target }), "raw.http.request.uri"),
	"raw.http.request.uri.path":             textField(func(r *edge.Request) string { p, _, _ := strings.Cut(r.Target, "?"); return p }),
	"raw.http.request.uri.query":            queried(textField((*edge.Request).Query), "raw.http.request.uri.query"),
	"http.cookie":                           cookieText,
	"http.referer":                          headerText("referer"),
	"http.user_agent":                       headerText("user-agent"),
	"http.x_forwarded_for":                  headerText("x-forwarded-for"),
	"http.request.headers":                  aMap(requestHeaders, sentHeaders),
	"http.request.headers.names":            namesOf(requestHeaders, sentHeaders),
	"http.request.headers.values":           valuesOf(requestHeaders, sentHeaders),
	"http.request.headers.truncated":        {base: boolean, get: func(*Scope) value { return yes(false) }},
	"http.request.cookies":                  aMap(cookies, sentCookies),
	"http.request.uri.args":                 aMap(arguments, sentQuery),
	"http.request.uri.args.names":           namesOf(arguments, sentQuery),
	"http.request.uri.args.values":          valuesOf(arguments, sentQuery),
	"http.request.body.size":                wholly(field{base: integer, get: func(s *Scope) value { return num(s.Request.BodySize) }}, "http.request.body.size"),
	"http.request.body.raw":                 hidden(text, byBody),
	"http.request.body.truncated":           hidden(boolean, byBody),
	"http.request.body.mime":                hidden(text, byBody),
	"http.request.timestamp.sec":            hidden(integer, byTime),
	"http.request.timestamp.msec":           hidden(integer, byTime),
	"ssl":                                   schemed(field{base: boolean, get: func(s *Scope) value { return yes(s.Request.Scheme == "https") }}, "ssl"),
	"ip.src":                                {base: address, get: clientAddress},
	"http.response.code":                    {base: integer, get: responseCode, response: true},
	"http.response.headers":                 {src: responseHeaders, response: true, darkly: answerHeaders},
	"http.response.headers.names":           {src: responseHeaders, names: true, response: true, darkly: answerHeaders},
	"http.response.headers.values":          {src: responseHeaders, values: true, response: true, darkly: answerHeaders},
	"http.response.content_type.media_type": {base: text, get: mediaType, response: true},
	"cf.response.1xxx_code":                 {base: integer, why: "whether Cloudflare itself answers cannot be known", response: true},
	"cf.response.error_type":                {base: text, why: "whether Cloudflare itself answers cannot be known", response: true},
	// Traffic comes from clients; a Worker's own requests would name their zone here.
	"cf.worker.upstream_zone": textField(func(*edge.Request) string { return "" }),
	"cf.zone.name":            hidden(text, "the zone's name is not in the rules"),
	"cf.colo.id":              hidden(integer, "which data centre a request comes to cannot be known"),
	"cf.colo.region":          hidden(text, "which data centre a request comes to cannot be known"),
}

// Fields that say something about the visitor.
func init() {
	for b, names := range map[base]string{
		integer: "ip.src.asnum ip.geoip.asnum cf.threat_score cf.bot_management.score cf.waf.score cf.waf.score.sqli cf.waf.score.xss cf.waf.score.rce cf.edge.server_port cf.edge.client_port cf.random_seed",
		text: "ip.src.country ip.src.continent ip.src.city ip.src.postal_code ip.src.metro_code ip.src.region ip.src.region_code ip.src.timezone.name ip.src.lat ip.src.lon ip.src.subdivision_1_iso_code ip.src.subdivision_2_iso_code " +
			"ip.geoip.country ip.geoip.continent ip.geoip.subdivision_1_iso_code ip.geoip.subdivision_2_iso_code cf.bot_management.ja3_hash cf.bot_management.ja4 cf.verified_bot_category cf.unique_visitor_id cf.ray_id cf.tls_version cf.tls_cipher cf.waf.score.class",
		boolean: "cf.client.bot cf.bot_management.verified_bot cf.bot_management.static_resource cf.bot_management.corporate_proxy cf.bot_management.js_detection.passed ip.src.is_in_european_union ip.geoip.is_in_european_union cf.tls_client_auth.cert_verified cf.tls_client_auth.cert_presented cf.tls_client_auth.cert_revoked cf.waf.auth_detected",
		address: "cf.edge.server_ip",
	} {
		for name := range strings.FieldsSeq(names) {
			why := byProvider
			if strings.HasPrefix(name, "ip.") {
				why = byAddress
			}
			fields[name] = hidden(b, why)
		}
	}
}

func fieldNames() []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// fieldNode returns the node of a field. Every name below cf. is taken for one of Cloudflare's, since it adds to them
// often; such a one cannot be known.
func fieldNode(name string, env *Env) (node, field, bool) {
	f, ok := fields[name]
	switch {
	case ok:
	case name == "cf.zone.plan":
		f = hidden(text, "the zone's plan is not in the rules (--plan)")
		if env.Plan != "" {
			f = field{base: text, get: func(*Scope) value { return str(env.Plan) }}
		}
	case name == "http.request.body.form" || name == "http.request.body.form.names" || name == "http.request.body.form.values" || name == "http.request.jwt.claims":
		return &mapField{name: name, src: nothing, dark: func(*Scope, string) string { return byBody }}, f, true
	case strings.HasPrefix(name, "cf."):
		f = hidden(anything, "no field of this name is known")
	default:
		return nil, f, false
	}
	if f.src == nil {
		return &single{name, f, name + ": " + f.why}, f, true
	}
	m := &mapField{name: strings.TrimSuffix(strings.TrimSuffix(name, ".names"), ".values"), src: f.src, dark: f.darkly}
	if f.names || f.values {
		return &ofAll{m, f.names}, f, true
	}
	return m, f, true
}

func nothing(*Scope, string, int) (key, v string, behind int) { return "", "", -1 }

// single is a field with one value.
type single struct {
	name string
	f    field
	why  string
}

func (n *single) kind() kind     { return kind{base: n.f.base} }
func (n *single) String() string { return n.name }

func (n *single) eval(s *Scope) value {
	switch {
	case n.f.response && s.Response == nil:
		return value{state: missing}
	case n.f.get == nil:
		return s.dark(n.why)
	}
	return n.f.get(s)
}

func clientAddress(s *Scope) value {
	if !s.Request.Client.IsValid() {
		return s.dark("ip.src: the client's address is not known")
	}
	return value{ip: s.Request.Client.Unmap()}
}

func responseCode(s *Scope) value {
	if s.Response.Status == 0 {
		return s.dark("http.response.code: an upstream decides it")
	}
	return num(int64(s.Response.Status))
}

func mediaType(s *Scope) value {
	v, ok := s.Response.Header("content-type")
	if !ok && !s.Response.Known {
		return s.dark("http.response.content_type.media_type: the headers of the answer are not known")
	}
	if !ok {
		return value{state: missing}
	}
	v, _, _ = strings.Cut(v, ";")
	return str(edge.Lower(strings.TrimSpace(v)))
}

// extension is what stands behind the last dot of the last part of a path, in small letters; a file that begins with its
// only dot has none.
func extension(path string) string {
	path = path[strings.LastIndexByte(path, '/')+1:]
	i := strings.LastIndexByte(path, '.')
	if i <= 0 {
		return ""
	}
	return edge.Lower(path[i+1:])
}

func version(r *edge.Request) string {
	switch r.Protocol {
	case "":
		return "HTTP/1.1"
	case "HTTP/2.0":
		return "HTTP/2"
	case "HTTP/3.0":
		return "HTTP/3"
	}
	return r.Protocol
}

// allCookies joins the Cookie headers, of which a request usually has one.
func allCookies(r *edge.Request) string {
	var all string
	for i := range r.Headers {
		if !strings.EqualFold(r.Headers[i].Name, "cookie") {
			continue
		}
		if all == "" {
			all = r.Headers[i].Value
		} else {
			all += "; " + r.Headers[i].Value
		}
	}
	return all
}
