package config

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
)

// upstreamBlock notes an upstream, and looks at what stands in it.
func (r *resolver) upstreamBlock(it Item, v *visit, s *scope) {
	name := it.Arg(0)
	if earlier, ok := r.http.Upstreams[name]; ok {
		span := earlier.Head()
		r.refuse(s.level, Refusal{
			Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Related: &span,
			Text: "duplicate upstream " + quoted(name),
		})
	} else {
		r.http.Upstreams[name] = it
	}
	foreigners := r.foreigners
	r.foreigners = false
	inner := &scope{at: directive.Upstream, level: s.level}
	r.block(it, v, inner)
	if !inner.peers && !r.foreigners && !r.partial() { // a module of others may fill it
		r.refuse(s.level, Refusal{
			Kind: InvalidValue, Span: it.Head(), Line: it.File.Position(it.Block.Close).Line, Text: "no servers are inside upstream",
		})
	}
	r.foreigners = foreigners || r.foreigners
}

// upstreamHandler returns what reads a directive of an upstream.
func upstreamHandler(name string) handler {
	switch name {
	case "server":
		return (*resolver).upstreamServer
	case "zone":
		return (*resolver).upstreamZone
	}
	return nil
}

// upstreamServer looks at a server of an upstream.
func (r *resolver) upstreamServer(it Item, _ *visit, s *scope) {
	s.peers = true
	for _, w := range it.ArgsFrom(1) {
		name, text, _ := strings.Cut(w.Value, "=")
		var ok bool
		switch name {
		case "weight":
			var n int64
			n, ok = atoi(text)
			ok = ok && n > 0
		case "max_conns", "max_fails":
			_, ok = atoi(text)
		case "fail_timeout":
			ok = validTime(text, true)
		case "backup", "down", "resolve", "drain":
			ok = name == w.Value
		case "service", "route", "slow_start": // some of them in NGINX Plus only
			ok = text != ""
		default:
			ok = false
		}
		if !ok {
			r.badParameter(it, w, s.level)
			return
		}
	}
}

// upstreamZone notes the zone of an upstream, because its name is taken for limits. Upstreams may share one.
func (r *resolver) upstreamZone(it Item, _ *visit, s *scope) {
	size := int64(0)
	if it.NumArgs() > 1 {
		n, ok := parseSize(it.Arg(1))
		switch {
		case !ok:
			r.refuseWord(it, it.Word(1), s.level, InvalidValue, "invalid zone size "+quoted(it.Arg(1)))
			return
		case n < minZone:
			r.refuseWord(it, it.Word(1), s.level, InvalidValue, "zone "+quoted(it.Arg(0))+" is too small")
			return
		}
		size = n
	}
	r.share(it, it.Word(0), s.level, it.Arg(0), "upstream", size)
}

// sessionCache notes the zone of a TLS session cache, because its name is taken for limits.
func (r *resolver) sessionCache(it Item, _ *visit, s *scope) {
	for _, w := range it.Args() {
		if text, ok := strings.CutPrefix(w.Value, "shared:"); ok {
			name, size, _ := strings.Cut(text, ":")
			if n, ok := parseSize(size); ok && name != "" {
				r.share(it, w, s.level, name, it.Name().Value, n)
			}
		}
	}
}
