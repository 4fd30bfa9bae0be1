package config

import (
	"errors"
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
	if !inner.peers && !r.foreigners && !r.partial() && !v.tornIn(it.Block) { // a module of others may fill it
		r.refuse(s.level, Refusal{
			Kind: InvalidValue, Span: it.Head(), Line: it.File.Position(it.Block.Close).Line, Text: "no servers are inside upstream",
		})
	}
	if inner.peers && !inner.primary && !r.foreigners {
		r.reserves = append(r.reserves, it)
	}
	r.foreigners = foreigners || r.foreigners
}

// reservesOnly refuses upstreams that have only backup servers. nginx finds them when the http block closes, and names the
// line of the upstream.
func (r *resolver) reservesOnly() {
	if r.partial() {
		return
	}
	for _, it := range r.reserves {
		r.refuseHead(it, &r.http.Level, InvalidValue, "no servers in upstream "+quoted(it.Arg(0)))
	}
}

// upstreamHandler returns what reads a directive of an upstream.
func upstreamHandler(name string) handler {
	switch name {
	case "server":
		return (*resolver).upstreamServer
	case "zone":
		return (*resolver).upstreamZone
	case "hash", "ip_hash", "least_conn", "random":
		return (*resolver).balancing
	case "keepalive":
		return func(_ *resolver, _ Item, _ *visit, s *scope) { s.balanced = true }
	}
	return nil
}

// balancing notes how requests are shared among the servers. All methods but one have no place for a server to fall back to.
func (r *resolver) balancing(it Item, _ *visit, s *scope) {
	if s.balanced {
		r.refuse(s.level, Refusal{
			Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Warning: true, Text: "load balancing method redefined",
		})
	}
	s.balanced, s.noBackup = true, it.Name().Value != "least_conn"
	for i, w := range it.Args() {
		switch name := it.Name().Value; {
		case name == "hash" && i == 1 && w.Value != "consistent",
			name == "random" && i == 0 && w.Value != "two",
			name == "random" && i == 1 && w.Value != "least_conn" && !strings.HasPrefix(w.Value, "least_time"): // the last in NGINX Plus
			r.badParameter(it, w, s.level)
			return
		}
	}
}

// upstreamServer looks at a server of an upstream.
func (r *resolver) upstreamServer(it Item, _ *visit, s *scope) {
	s.peers = true
	backup := false
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
			backup = backup || name == "backup"
			if ok && name == "backup" && s.noBackup {
				r.refuseWord(it, w, s.level, InvalidValue, `balancing method does not support parameter "backup"`)
				return
			}
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
	s.primary = s.primary || !backup
	if err := upstreamAddress(it.Arg(0)); err != nil {
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, err.Error()+" in upstream "+quoted(it.Arg(0)))
	}
}

// upstreamAddress looks at the address of a server (ngx_parse_url). A name is looked for when nginx starts.
func upstreamAddress(text string) error {
	if _, unix := cutFold(text, "unix:"); !unix {
		_, port, ok := strings.Cut(text[strings.LastIndexByte(text, ']')+1:], ":")
		switch {
		case strings.Contains(port, "-"):
			return errors.New("invalid port") // no range
		case !ok:
			text += ":80" // a number alone is a host here
		}
	}
	_, err := parseListen(text)
	return err
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
