package pipeline

import (
	"net/netip"
	"slices"
	"strings"
)

// A ruling is what one access handler says.
type ruling int

// Any other ruling is the status that the handler answers.
const (
	noOpinion ruling = 0
	allowed   ruling = 200
)

// access is the ACCESS phase with what follows from satisfy: allow and deny, then auth_basic, then auth_request. It runs
// behind the limiters, so that denied requests have been charged, and not for subrequests.
func (r *run) access() (answer, bool) {
	c := r.conf
	if c.is(noAccess) || r.sub {
		return answer{}, false
	}
	r.assumeOpaque(c, accessPhase, "may refuse the request; it is taken to let it pass")
	refused := noOpinion
	for _, handler := range [...]func() ruling{r.byAddress, r.byPassword, r.bySubrequest} {
		got := handler()
		switch {
		case got == noOpinion:
		case got == allowed && c.satisfyAny:
			return answer{}, false
		case got == allowed:
		case c.satisfyAny && (got == 401 || got == 403):
			if refused != 401 {
				refused = got
			}
		default:
			return r.deny(int(got))
		}
	}
	if refused != noOpinion {
		return r.deny(int(refused))
	}
	return answer{}, false
}

func (r *run) deny(status int) (answer, bool) {
	r.step(r.conf, "access", statusText(status))
	if delay := text(r.conf.level(), "auth_delay", "0"); status == 401 && strings.Trim(delay, "0ms") != "" {
		r.assume("auth_delay " + delay + " in " + r.conf.name() + ": that the answer is held back so long is not followed")
	}
	return r.finalize(status, EndDeny), true
}

// byAddress is the access module: the first rule that holds for the client decides.
func (r *run) byAddress() ruling {
	addr := r.client.addr.Addr()
	if addr.Is4In6() && slices.ContainsFunc(r.conf.access, accessRule.forIPv4) {
		addr = addr.Unmap() // it is judged as IPv6 only where nothing is said of IPv4
	}
	for i := range r.conf.access {
		rule := &r.conf.access[i]
		r.bound = r.bound || r.track && !rule.all
		if rule.covers(addr, r.client.isUnix()) {
			if rule.deny {
				return 403
			}
			return allowed
		}
	}
	return noOpinion
}

func (a accessRule) forIPv4() bool { return a.all || a.prefix.Addr().Is4() }

func (a *accessRule) covers(addr netip.Addr, unix bool) bool {
	switch {
	case a.all:
		return true
	case a.unix || unix:
		return a.unix && unix
	}
	return a.prefix.Addr().Is4() == addr.Is4() && a.prefix.Contains(addr)
}

// byPassword is auth_basic. Whether a password is right cannot be known; that none was sent can.
func (r *run) byPassword() ruling {
	c := r.conf
	if c.basic.Text == "" {
		return noOpinion
	}
	if realm := r.known(r.eval(c.basic, false)); realm == "off" {
		return noOpinion
	}
	if r.p.Authorized {
		r.assume("auth_basic: clients are taken to send a right user name and password")
		return allowed
	}
	for _, h := range r.req.Headers {
		if strings.EqualFold(h.Name, "Authorization") {
			r.assume("auth_basic: the Authorization header is taken to be right")
			return allowed
		}
	}
	return 401
}

// bySubrequest is auth_request: 2xx lets the request pass, 401 and 403 are handed on, all else becomes 500.
func (r *run) bySubrequest() ruling {
	c := r.conf
	if c.auth == "" {
		return noOpinion
	}
	r.step(c, "auth_request", c.auth)
	r.sendMirrored()
	status := 0
	if r.closed == 0 {
		status = r.subrequest(c.auth, "", "GET")
	}
	switch {
	case r.closed != 0: // a subrequest closes the connection of them all
		return ruling(r.closed)
	case status == 0:
		r.assume("auth_request " + c.auth + ": what it answers is not known; it is taken to let the request pass")
		return allowed
	case status == 401 || status == 403:
		return ruling(status)
	case status >= 200 && status < 300:
		return allowed
	}
	return 500
}

// subrequest runs another URI of the same server as part of this request, and returns its status; 0 where that cannot
// be known. It shares variables and the limiters' judgement with the main request.
func (r *run) subrequest(uri, args, method string) int {
	if r.subrequests++; r.subrequests > maxSubrequests {
		return 500
	}
	sub := *r
	sub.sub, sub.internal, sub.errorPage, sub.uriChanged = true, true, false, false
	sub.inAlias, sub.rewritten = false, false
	sub.method, sub.errStatus, sub.cycles = method, 0, maxCycles+1
	sub.conf, sub.handler, sub.redirect = r.home, noHandler, ""
	wasURI, wasArgs := r.vars.URI, r.vars.Args
	r.vars.URI, r.vars.Args = uri, args
	a := sub.serve(serverRewrite)
	r.vars.URI, r.vars.Args = wasURI, wasArgs
	return a.status
}

// maxSubrequests is nginx's bound on the subrequests of one request.
const maxSubrequests = 50

// mirror copies the request to other URIs. Their answers count for nothing, but a limiter judges them if none has
// judged the request so far. nginx sends them as soon as the request itself has to wait for something, or is done.
func (r *run) mirror() {
	if r.sub {
		return
	}
	for _, uri := range r.conf.mirrors {
		r.mirrored = append(r.mirrored, copied{uri, r.vars.Args, r.method})
	}
}

// sendMirrored sends the copies that are to be sent. Those that were not sent when the connection is closed, by return 444
// for instance, never are: ngx_http_terminate_request forgets what was posted.
func (r *run) sendMirrored() {
	for len(r.mirrored) > 0 && !r.background && r.closed == 0 {
		m := r.mirrored[0]
		r.mirrored = r.mirrored[1:]
		r.background = true
		r.subrequest(m.uri, m.args, m.method)
		r.background = false
	}
}
