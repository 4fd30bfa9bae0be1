package replay

import (
	"encoding/base64"
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

const (
	mostClasses = 1 << 15 // kinds of requests that are remembered at a time
	mostBound   = 1 << 15 // kinds of requests of single clients, likewise
	mostHostsOf = 10_000  // names that were asked for
)

// familyKey is what a line says of a request beside its target, so far as it matters: see needs. There are few of them.
type familyKey struct {
	server                       *config.Server
	host, scheme, method, extras string
}

// A family is requests of one familyKey.
type family struct {
	server               *config.Server
	method, scheme, host string
	headers              []request.Header
}

// A class is requests that the configuration cannot tell apart but by who sends them. What each of them looks at fills one
// line of a processor's cache.
type class struct {
	*rest
	plan    *pipeline.Plan // for everybody; nil where it depends on who sends it
	uri     *uriRow
	spot    *spot    // at which it counts mostly; nil before the first
	kin     *kin     // the classes that fare alike, where that is known without asking the zones
	loads   *pageRow // of the page that it is; nil before the first
	hash    uint32   // of the path
	kind    kind
	unknown bool // a key is not known, and one value was taken for all requests
	planned bool
}

// The rest of a class is what few requests look at.
type rest struct {
	*family
	target string
	path   string

	of     *engine
	leads  *pipeline.Place  // where it counts if all limiters let it pass, whoever sends it; nil before it is prepared, and where that is not known
	edge   *edge.Request    // as it came to the edge; nil where it was not asked for
	answer []request.Header // that the lines tell; only where an edge looks at answers
}

// boundKey is a class and who sends it.
type boundKey struct {
	class *class
	who   *who
}

// classOf returns the class of the next record of a log.
func (e *engine) classOf(l *log, m *mark) *class {
	if c := e.classes.get(m.class); c != nil {
		return c
	}
	rec := l.record()
	c := e.newClass(e.familyOf(l, rec), strings.Clone(rec.Target[:m.length]), rec)
	e.classes.put(m.class, c)
	return c
}

// familyOf returns the family of a record. Its texts are cut out of a block that need not be kept for their sake.
func (e *engine) familyOf(l *log, rec *accesslog.Record) *family {
	k := familyKey{l.Server, hostOf(rec), rec.Scheme, rec.Method, e.extras(rec)}
	f := e.families.get(k)
	if f == nil {
		k.host, k.scheme = strings.Clone(k.host), strings.Clone(k.scheme)
		k.method, k.extras = strings.Clone(k.method), strings.Clone(k.extras)
		f = e.newFamily(&k, rec)
		e.families.put(k, f)
	}
	return f
}

// newFamily finds the server.
func (e *engine) newFamily(k *familyKey, rec *accesslog.Record) *family {
	f := &family{k.server, k.method, k.scheme, k.host, e.headersOf(rec)}
	if f.server == nil {
		s := e.serverOf(k.host, k.scheme)
		f.server = s.server
		if f.host == "" {
			f.host = s.host
		}
	}
	if f.host == "" {
		f.host = e.hostOf(f.server)
	}
	return f
}

// extras joins what else the configuration looks at.
func (e *engine) extras(rec *accesslog.Record) string {
	n := &e.r.needs
	parts := e.parts[:0]
	parts = append(parts, rec.Headers[:min(len(rec.Headers), n.inClass)]...)
	if n.agent {
		parts = append(parts, rec.Agent)
	}
	if n.referer {
		parts = append(parts, rec.Referer)
	}
	if n.user {
		parts = append(parts, rec.User)
	}
	e.parts = parts
	return strings.Join(parts, "\x00")
}

// newClass routes a request once.
func (e *engine) newClass(k *family, target string, rec *accesslog.Record) *class {
	c := &class{rest: &rest{family: k, target: target, of: e}}
	if e.r.front != nil && e.r.front.answers {
		c.answer = e.answerOf(rec.Headers)
	}
	c.path, _, _ = strings.Cut(target, "?")
	c.kind = kindOf(k.method, c.path)
	c.path = e.shownPath(c.path)
	if !strings.HasPrefix(target, "/") && !strings.Contains(target, "://") {
		c.target = "/" // what was no request line; nginx answered 400 by itself
		c.kind = malformed
	}
	c.kin = e.kinOf(c)
	return c
}

// request makes a request of the class, of nobody.
func (c *class) request() request.Request {
	f := c.family
	return request.Request{
		Method: f.method, Scheme: f.scheme, Host: f.host, Target: c.target, Headers: f.headers,
		Peer: netip.AddrFrom4([4]byte{192, 0, 2, 1}), // a plan that depends on it is not shared
	}
}

// stale says that a class is to be prepared: at first, as its path was dropped from the table of paths, or its plan.
func (c *class) stale() bool { return !c.planned || c.uri.dropped }

// prepare completes a class where requests are decided.
func (e *engine) prepare(c *class) {
	if c.uri == nil || c.uri.dropped {
		c.uri = e.uris.of(uriID{c.server, c.path})
	}
	if c.planned {
		return
	}
	c.planned = true
	if !e.uniform {
		return // the address is another one from place to place
	}
	if c.kin != nil && c.kin.plan != nil {
		c.plan, c.leads = c.kin.plan, c.kin.leads
		return
	}
	e.pipe.Resolved = true
	req := c.request()
	plan, shared := e.pipe.PlanShared(&req, c.server)
	if !shared {
		return
	}
	c.plan, c.unknown = plan, unknownKey(plan)
	if c.leads == nil {
		c.leads = new(plan.Place())
	}
	if c.kin != nil {
		c.kin.plan, c.kin.leads = plan, c.leads
		return
	}
	e.own.add(c)
}

// bound returns the plan of a request that depends on who sends it.
func (e *engine) bound(c *class, w *who) *pipeline.Plan {
	k := boundKey{c, w}
	if p := e.plans.get(k); p != nil {
		return *p
	}
	r := c.request()
	r.Peer = w.peer
	if w.header != "" && e.header != "" {
		r.Headers = append(append([]request.Header{}, r.Headers...), request.Header{Name: e.header, Value: w.header})
	}
	p := e.pipe.Plan(&r, c.server)
	e.plans.put(k, &p)
	return p
}

// headersOf makes the headers that the configuration looks at.
func (e *engine) headersOf(rec *accesslog.Record) []request.Header {
	n := &e.r.needs
	var list []request.Header
	add := func(name, value string) {
		if value != "" {
			list = append(list, request.Header{Name: name, Value: strings.Clone(value)})
		}
	}
	var cookies []string
	for i, name := range n.headers {
		if i >= min(len(rec.Headers), n.inClass) || rec.Headers[i] == "" || name == n.header || strings.HasPrefix(name, "sent_http_") {
			continue
		}
		if cookie, ok := strings.CutPrefix(name, "cookie_"); ok {
			cookies = append(cookies, cookie+"="+rec.Headers[i])
			continue
		}
		add(headerName(name), rec.Headers[i])
	}
	add("Cookie", strings.Join(cookies, "; "))
	if n.agent {
		add("User-Agent", rec.Agent)
	}
	if n.referer {
		add("Referer", rec.Referer)
	}
	if n.user && rec.User != "" {
		add("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(rec.User+":")))
	}
	return list
}

// A target is the server that a host leads to.
type target struct {
	server *config.Server
	host   string
}

type hostKey struct{ host, scheme string }

// serverOf finds the server of a host. Where the line tells none, it is that of Options.Host.
func (e *engine) serverOf(host, scheme string) *target {
	k := hostKey{host, scheme}
	if t := e.servers.get(k); t != nil {
		return t
	}
	asked := host
	if asked == "" {
		asked = e.r.o.Host
		other := ""
		if asked == "" && len(e.r.tree.HTTP.Servers) > 1 {
			other = "; --host names another one"
		}
		e.assume("no line or log says which host was asked for: all such requests are taken to be for " + e.defaultName() + other)
	}
	t := &target{}
	t.server, t.host, _ = simulate.ServerOf(e.r.tree, e.r.router, &simulate.Options{Host: asked, Scheme: schemeOf(scheme)})
	if t.server == nil {
		t.server, t.host, _ = simulate.ServerOf(e.r.tree, e.r.router, &simulate.Options{Host: asked})
	}
	if schemeOf(scheme) == "" && t.server != nil {
		if plain, _, _ := simulate.ServerOf(e.r.tree, e.r.router, &simulate.Options{Host: asked, Scheme: "http"}); plain != nil && plain != t.server {
			if way, _ := e.reach(t.server); way == "https" {
				e.assume("the log does not say over which scheme a request came: all for a host that has servers of both are taken to have reached its TLS server, none the one for http; log $scheme")
			}
		}
	}
	if host != "" && !simulate.Serves(e.r.tree, e.r.router, host) {
		e.strangers++
		e.assume("requests for hosts that no server has as a name go to the default server")
	}
	e.servers.put(k, t)
	return t
}

func (e *engine) defaultName() string {
	s, host, err := simulate.ServerOf(e.r.tree, e.r.router, &simulate.Options{Host: e.r.o.Host})
	if err != nil || s == nil {
		return "the first server"
	}
	return host
}

func schemeOf(s string) string {
	if s == "http" || s == "https" {
		return s
	}
	return ""
}

// hostOf returns a name by which a server is asked.
func (e *engine) hostOf(s *config.Server) string {
	for _, n := range s.Names {
		if n.Kind == config.NameExact && n.Text != "" {
			return n.Text
		}
	}
	return "localhost"
}

// unknownKey says whether a plan rests on a key that is not known.
func unknownKey(plan *pipeline.Plan) bool {
	for _, a := range plan.Assumptions() {
		if strings.HasPrefix(a, "key ") {
			return true
		}
	}
	return false
}

// headerName is the header of a variable http_NAME.
func headerName(variable string) string {
	return strings.ReplaceAll(strings.TrimPrefix(variable, "http_"), "_", "-")
}

// lacking notes which of the variables that are wanted a line holds, and says whether one has not been seen so far.
func (e *engine) lacking(rec *accesslog.Record) bool {
	for i, v := range rec.Headers {
		if v != "" && i < len(e.seen) && !e.seen[i] {
			e.seen[i] = true
			e.unseen--
		}
	}
	return e.unseen > 0
}

// unlogged lists the variables that are wanted and that no line held.
func (e *engine) unlogged() []string {
	var list []string
	for i, name := range e.r.needs.headers[:e.r.needs.own] {
		if !e.seen[i] {
			list = append(list, "$"+name)
		}
	}
	return list
}
