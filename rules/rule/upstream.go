package rule

import (
	"strconv"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Upstream returns what hands the place's requests on to an upstream: the place's own directive, or in an if that of its
// location.
func (p Place) Upstream() (config.Item, bool) {
	switch {
	case p.Location == nil, p.known && !p.passes:
		return config.Item{}, false
	case p.passes && p.Kind != config.KindIf:
		return *p.Location.Handler, true
	}
	if p.Kind == config.KindIf {
		for _, it := range p.Items {
			if strings.HasSuffix(it.Name().Value, "_pass") {
				return it, true
			}
		}
	}
	if h := p.Location.Handler; h != nil && strings.HasSuffix(h.Name().Value, "_pass") {
		return *h, true
	}
	return config.Item{}, false
}

// Backend tells whose requests the place's are: equal for two places that hand requests on to the same program. Of FastCGI
// and the like the files count too, since one process serves many sites. It is "" where there is no upstream.
func (p Place) Backend() string {
	pass, ok := p.Upstream()
	if !ok {
		return ""
	}
	to := pass.Arg(0)
	if pass.Name().Value == "proxy_pass" || pass.Name().Value == "grpc_pass" {
		if _, rest, cut := strings.Cut(to, "://"); cut {
			to = rest
		}
		host, _, _ := strings.Cut(to, "/")
		return pass.Name().Value + " " + host + p.chosenByCode()
	}
	root := ""
	if it, ok := p.Effective("root"); ok {
		root = it.Arg(0)
	}
	return pass.Name().Value + " " + to + " " + root
}

// codes are the directives of embedded code that may choose a peer by what the place has set.
var codes = [...]string{"rewrite_by_lua_block", "rewrite_by_lua_file", "access_by_lua_block", "access_by_lua_file"}

// chosenByCode is what the place sets, where embedded code reads it: that of ingress-nginx has one upstream for everything,
// and chooses the peer by $proxy_upstream_name. Without code it is "".
func (p Place) chosenByCode() string {
	for _, name := range codes {
		if _, ok := p.Effective(name); !ok {
			continue
		}
		var b strings.Builder
		for _, it := range p.Location.FindAll("set") {
			b.WriteString(" " + it.Arg(0) + "=" + it.Arg(1))
		}
		return b.String()
	}
	return ""
}

// Guarded says whether only some clients get an answer at the place, by what is in effect there: a password, a certificate,
// a subrequest, or rules about addresses.
func (p Place) Guarded() bool {
	for _, name := range [...]string{"auth_basic", "auth_request", "auth_jwt", "ssl_verify_client"} {
		if it, ok := p.Effective(name); ok && it.Arg(0) != "off" {
			return true
		}
	}
	it, ok := p.Effective("deny")
	return ok && it.Arg(0) == "all"
}

// Unlimited says whether no limit_req at all is in effect at the place.
func (p Place) Unlimited() bool { return len(p.Settings.LimitReqs.Value) == 0 }

// Limited says whether a limit_req in effect at the place counts people, be it only what they post.
func (f *Facts) Limited(p Place) bool {
	for _, l := range p.Settings.LimitReqs.Value {
		if l.Zone != nil && !f.Key(l.Zone.Key).Exempt {
			return true
		}
	}
	return false
}

// PlaceOf returns the place that a location is.
func PlaceOf(l *config.Location) Place { return Place{Level: &l.Level, Server: l.Server, Location: l} }

// HandsOnUpgrade says whether the place hands on what a client asks for to change to a websocket.
func (p Place) HandsOnUpgrade() bool {
	if _, ok := p.Upstream(); !ok {
		return false
	}
	for _, h := range headersAt(p) {
		if strings.EqualFold(h.Arg(0), "Upgrade") && h.Arg(1) != "" {
			return true
		}
	}
	return false
}

// enduring is from what proxy_read_timeout on an unbuffered answer is taken to be a stream of events.
const enduring = time.Hour

// Streams says whether a place hands on what an upstream writes bit by bit, for as long as a client listens: it is not buffered,
// and may be silent for long.
func (p Place) Streams() bool {
	buffering, ok := p.Effective("proxy_buffering")
	if !ok || !strings.EqualFold(buffering.Arg(0), "off") {
		return false
	}
	timeout, ok := p.Effective("proxy_read_timeout")
	if !ok {
		return false
	}
	text := timeout.Arg(0)
	if strings.ContainsAny(text, "dwMy") {
		return true // days and more
	}
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	return err == nil && d >= enduring
}
