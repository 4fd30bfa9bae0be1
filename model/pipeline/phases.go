package pipeline

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/realip"
)

// maxCycles is how often a request may be given a new URI or location before nginx answers 500.
const maxCycles = 10

// A step is a place in the order of phases at which a request can go on.
type step uint8

// The order is that of ngx_http_phases; POST_READ comes before them, once for each request.
const (
	serverRewrite step = iota
	findConfig
	locationRewrite
	postRewrite
	preAccess
	access
	preContent
	content
)

// An answer is how a request ended.
type answer struct {
	ends   End
	status int   // 0 where it cannot be known
	conf   *conf // whose settings held
}

// serve takes the request through the phases from at on. Every internal redirect is one more call, and maxCycles bounds
// them.
func (r *run) serve(at step) answer {
	for {
		var a answer
		done := false
		next := at + 1
		switch at {
		case serverRewrite:
			r.conf = r.home
			a, done = r.rewrite()
		case findConfig:
			a, done = r.findLocation()
		case locationRewrite:
			if r.conf != r.home {
				a, done = r.rewrite()
			}
		case postRewrite:
			if r.uriChanged {
				r.cycles--
				next = findConfig
				if r.cycles == 0 {
					a, done = r.finalize(500, EndRewrite), true
				}
				r.conf = r.home
			}
		case preAccess:
			r.realip(r.conf)
			a, done = r.limitRequests()
			if !done {
				a, done = r.limitConnections()
			}
		case access:
			a, done = r.access()
		case preContent:
			if r.conf.is(noPreContent) {
				break
			}
			if a, done = r.tryFiles(); !done {
				r.mirror()
			}
		case content:
			return r.content()
		}
		if done {
			return a
		}
		at = next
	}
}

// postRead runs what comes before the phases that may be repeated: the client's address by the server's settings.
func (r *run) postRead() { r.realip(r.home) }

// realip replaces the client's address by the settings at hand, once in a request: nginx looks again in front of the
// limiters only if the first look replaced nothing.
func (r *run) realip(c *conf) {
	if c.realip == nil || r.p.Resolved || r.client.replaced || r.client.asked == c.realip {
		return // the same settings would find the same again
	}
	r.client.asked = c.realip
	r.bound = r.bound || r.track
	conn := realip.Connection{Unix: r.client.unix, Proxy: r.req.Proxy}
	if !conn.Unix {
		conn.Peer = r.client.peer
	}
	for _, name := range c.realip.hosts {
		r.assume("set_real_ip_from " + name + ": the addresses of a host name are not known; none is taken as trusted")
	}
	if !c.realip.Trusts(conn) {
		return
	}
	r.client.trusted = true
	if got := realip.Resolve(c.realip.Config, conn, r.headers()); got.Replaced {
		r.client.replaced = true
		r.setClient(got)
	}
}

// enter makes a level's settings those of the request, as nginx does when it has found a location or an if holds.
func (r *run) enter(c *conf) {
	r.conf = c
	if c.handler.name != "" {
		r.handler = c.handler
	}
}

// findLocation is FIND_CONFIG: the location for the URI, and what may be answered at once.
func (r *run) findLocation() (answer, bool) {
	r.handler = noHandler
	r.uriChanged = false
	m := r.g.locate(r)
	if r.lost {
		return r.unknown(), true
	}
	if m.status == 404 {
		r.conf = m.conf
		r.step(m.conf, "internal", "404")
		return r.finalize(404, EndRequest), true
	}
	r.enter(r.restricted(m.conf))
	if r.req.BodySize > 0 && !r.discarded && r.conf.maxBody != 0 && r.req.BodySize > r.conf.maxBody {
		r.discarded = true
		r.step(r.conf, "client_max_body_size", "413")
		return r.finalize(413, EndRequest), true
	}
	if m.status == 301 {
		r.redirect = m.redirect
		r.step(r.conf, "redirect", r.redirect)
		return r.finalize(301, EndRewrite), true
	}
	return answer{}, false
}

// restricted returns the conf of limit_except where it holds for the request's method.
func (r *run) restricted(c *conf) *conf {
	if c.is(noExcept) {
		return c
	}
	if slices.Contains(c.exempt, r.method) {
		return c
	}
	return c.except
}

// finalize answers with a status of nginx's own making: error_page may take it elsewhere, once unless
// recursive_error_pages is on.
func (r *run) finalize(status int, end End) answer {
	c := r.conf
	if closes(status) { // what is logged is this, or what an error page has promised
		r.redirect, r.closed = "", status
		return r.sent(status, end)
	}
	r.errStatus = status
	if !r.errorPage && len(c.errorPages) > 0 && r.cycles > 0 {
		r.errorPage = !c.recursive
		for _, page := range c.errorPages {
			if slices.Contains(page.Codes, status) {
				return r.showErrorPage(page.Target, page.Answer, end)
			}
		}
	}
	switch status {
	case 494, 495, 496, 497:
		r.errStatus = 400
	}
	return answer{end, r.errStatus, c}
}

// closes says whether nginx closes the connection in place of answering with a status.
func closes(status int) bool { return status == 408 || status == 444 || status == 499 }

// showErrorPage goes to an error page: a URI, a named location, or an address to redirect to. reply is as in
// config.ErrorPage.
func (r *run) showErrorPage(target string, reply int, end End) answer {
	switch {
	case reply > 0:
		r.errStatus = reply
	case reply == 0 && (r.errStatus >= 494 && r.errStatus <= 497):
		r.errStatus = 400
	case reply < 0: // "=": whatever the page itself answers
		r.errStatus = 0
	}
	to := r.known(r.eval(template(target), false))
	r.step(r.conf, "error_page", to)
	switch {
	case to != "" && to[0] == '/':
		if r.method != "HEAD" {
			if r.method = "GET"; !r.sub {
				r.vars.Method = "GET"
			}
		}
		uri, args := splitArgs(to)
		return r.redirectTo(uri, args)
	case to != "" && to[0] == '@':
		return r.named(to[1:])
	}
	r.redirect = to
	switch reply {
	case 301, 302, 303, 307, 308:
	default:
		r.errStatus = 302
	}
	return answer{end, r.errStatus, r.conf}
}

// sent answers directly: no error page, and a status that an error page has promised goes before.
func (r *run) sent(status int, end End) answer {
	if r.errStatus != 0 {
		status = r.errStatus
	}
	return answer{end, status, r.conf}
}

// redirectTo is ngx_http_internal_redirect: from the server's rewrite directives on.
func (r *run) redirectTo(uri, args string) answer {
	if r.cycles--; r.cycles == 0 {
		return r.finalize(500, EndRewrite)
	}
	r.vars.URI, r.vars.Args = uri, args
	r.conf = r.home
	r.internal, r.inAlias, r.rewritten = true, false, false
	return r.serve(serverRewrite)
}

// named is ngx_http_named_location: from the location's rewrite directives on. The URI stays.
func (r *run) named(name string) answer {
	if r.cycles--; r.cycles == 0 || r.vars.URI == "" {
		return r.finalize(500, EndRewrite)
	}
	l := r.site.Named(name)
	if l == nil {
		return r.finalize(500, EndRewrite)
	}
	r.internal = true
	r.handler = noHandler
	r.uriChanged = false
	r.enter(r.restricted(r.g.location(l)))
	return r.serve(locationRewrite)
}

// splitArgs parts a URI from its arguments.
func splitArgs(s string) (uri, args string) {
	for i := range len(s) {
		if s[i] == '?' {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
