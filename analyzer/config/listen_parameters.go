package config

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A listenParameter is a parameter of listen that is a word by itself.
type listenParameter struct {
	gone   directive.Version // first version without it
	old    directive.Version // first version that warns of it, and names the directive of this name in its place
	socket bool              // an option of the socket, which an address may have once
	set    func(*Listen)
}

var listenParameters = map[string]listenParameter{
	"default_server": {set: func(l *Listen) { l.Default = true }},
	"default":        {set: func(l *Listen) { l.Default = true }},
	"ssl":            {set: func(l *Listen) { l.SSL = true }},
	"http2":          {old: 1025001, set: func(l *Listen) { l.HTTP2 = true }},
	"spdy":           {gone: 1009005, set: func(*Listen) {}},
	"quic":           {set: func(l *Listen) { l.QUIC = true }},
	"proxy_protocol": {set: func(l *Listen) { l.ProxyProtocol = true }},
	"bind":           {socket: true},
	"deferred":       {socket: true},
	"reuseport":      {socket: true},
	"multipath":      {socket: true},
}

// listenParameters reads what stands behind the address. set says that options of the socket are among it.
func (r *resolver) listenParameters(it Item, l *Listen, s *scope) (set, ok bool) {
	for _, w := range it.ArgsFrom(1) {
		p, ok := listenParameters[w.Value]
		if !ok {
			if !r.listenOption(it, w, s) {
				return set, false
			}
			l.Dual = l.Dual || w.Value == "ipv6only=off"
			set = true
			continue
		}
		if !r.has(it, w) || p.gone != 0 && r.version >= p.gone {
			r.refuseNewer(it, w, s)
			return set, false
		}
		if p.old != 0 && r.version >= p.old {
			r.refuse(s.level, Refusal{
				Kind: UnsupportedVersion, Span: it.WordSpan(w), Line: line(it.Directive), Warning: true,
				Text: fmt.Sprintf(`the "listen ... %s" directive is deprecated, use the "%[1]s" directive instead`, w.Value),
			})
		}
		if p.set != nil {
			p.set(l)
		}
		set = set || p.socket
	}
	return set, !l.QUIC || r.besideQUIC(it, s)
}

// notQUIC are the parameters that nginx refuses beside quic, in the order in which it looks for them, and the first version
// that is known to.
var notQUIC = []struct {
	name  string
	since directive.Version
}{
	{"fastopen", 1027001},
	{"backlog", 1027001},
	{"deferred", 1027001},
	{"multipath", 1029007},
	{"ssl", 1025000},
	{"http2", 1025000},
	{"so_keepalive", 1025000},
	{"proxy_protocol", 1025000},
}

// besideQUIC looks for parameters that cannot stand beside quic.
func (r *resolver) besideQUIC(it Item, s *scope) bool {
	for _, not := range notQUIC {
		if r.version < not.since {
			continue
		}
		for _, w := range it.ArgsFrom(1) {
			if name, _, _ := strings.Cut(w.Value, "="); name == not.name {
				r.refuseWord(it, w, s.level, InvalidValue, `"listen" directive "`+name+`" parameter is incompatible with "quic"`)
				return false
			}
		}
	}
	return true
}

// listenOption looks at an option of the socket that has a value. What only other systems than Linux know is refused where nginx on Linux refuses it.
func (r *resolver) listenOption(it Item, w syntax.Word, s *scope) bool {
	name, text, _ := strings.Cut(w.Value, "=")
	if len(name) == len(w.Value) {
		return r.badParameter(it, w, s.level)
	}
	wrong := "invalid " + name + " " + quoted(w.Value)
	ok := true
	switch name {
	case "backlog":
		var n int64
		n, ok = atoi(text)
		ok = ok && n > 0
	case "fastopen":
		_, ok = atoi(text)
	case "rcvbuf", "sndbuf":
		_, ok = parseSize(text)
	case "ipv6only":
		ok = text == "on" || text == "off"
		wrong = `invalid ipv6only flags "` + text + `"`
		if !strings.HasPrefix(text, "o") {
			return r.badParameter(it, w, s.level)
		}
	case "so_keepalive":
		ok = text == "on" || text == "off" || keepaliveTimes(text)
		wrong = "invalid so_keepalive value: " + quoted(text)
	case "accept_filter": // elsewhere than on FreeBSD nginx only complains
	default:
		return r.badParameter(it, w, s.level)
	}
	if !ok {
		r.refuseWord(it, w, s.level, InvalidValue, wrong)
	}
	return ok
}

// keepaliveTimes reads "idle:interval:count", where each may be left out but not all.
func keepaliveTimes(text string) bool {
	idle, rest, _ := strings.Cut(text, ":")
	interval, count, _ := strings.Cut(rest, ":")
	if idle != "" && !validTime(idle, true) || interval != "" && !validTime(interval, true) {
		return false
	}
	if _, ok := atoi(count); count != "" && !ok {
		return false
	}
	return strings.Trim(text, ":") != ""
}
