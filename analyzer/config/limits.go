package config

import (
	"math"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// unlimitedDelay is the delay that nodelay stands for: beyond any excess.
const unlimitedDelay = math.MaxInt64 / 1000 * 1000

// limitReq reads limit_req. Its parameters come in any order, and of two of a kind the later one holds; nodelay and
// delay= are of one kind.
func (r *resolver) limitReq(it Item, _ *visit, s *scope) {
	limit := &LimitReq{Directive: it.Directive, Via: it.Via, Span: it.Head()}
	var shared *sharedZone
	for _, w := range it.Args() {
		ok := true
		switch text := w.Value; {
		case strings.HasPrefix(text, "zone="):
			limit.ZoneName = text[len("zone="):]
			shared = r.share(it, w, s.level, limit.ZoneName, "limit_req_zone", 0)
			ok = shared != nil
		case strings.HasPrefix(text, "burst="):
			limit.Burst, ok = count(text[len("burst="):])
			if !ok {
				r.refuseWord(it, w, s.level, InvalidBurst, "invalid burst value "+quoted(text))
			}
		case strings.HasPrefix(text, "delay="):
			if !r.has(it, w) {
				r.refuseNewer(it, w, s)
			}
			limit.Delay, ok = count(text[len("delay="):])
			limit.HasDelay, limit.NoDelay = true, false
			if !ok {
				r.refuseWord(it, w, s.level, InvalidValue, "invalid delay value "+quoted(text))
			}
		case text == "nodelay":
			limit.Delay, limit.NoDelay, limit.WroteNoDelay = unlimitedDelay, true, true
		default:
			ok = r.badParameter(it, w, s.level)
		}
		if !ok {
			return
		}
	}
	if shared == nil {
		r.refuseHead(it, s.level, InvalidValue, `"limit_req" must have "zone" parameter`)
		return
	}
	own := s.level.ownReqs()
	if own.LimitReqs != nil {
		for _, other := range own.LimitReqs.Value {
			if other.ZoneName == limit.ZoneName {
				r.duplicateLimit(it, s, other.Span)
				return
			}
		}
	}
	appendTo(&own.LimitReqs, it, s.level, limit)
}

// duplicateLimit refuses a second limit on one zone.
func (r *resolver) duplicateLimit(it Item, s *scope, earlier source.Span) {
	r.refuse(s.level, Refusal{
		Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Related: &earlier,
		Text: quoted(it.Name().Value) + " directive is duplicate",
	})
}

// count reads a number of requests, which must be positive, into thousandths.
func count(text string) (int64, bool) {
	n, ok := atoi(text)
	return thousandths(n), ok && n > 0
}

// limitConn reads limit_conn.
func (r *resolver) limitConn(it Item, _ *visit, s *scope) {
	name := it.Arg(0)
	if r.share(it, it.Word(0), s.level, name, "limit_conn_zone", 0) == nil {
		return
	}
	own := s.level.ownConns()
	if own.LimitConns != nil {
		for _, other := range own.LimitConns.Value {
			if other.ZoneName == name {
				r.duplicateLimit(it, s, other.Span)
				return
			}
		}
	}
	n, ok := atoi(it.Arg(1))
	if !ok || n == 0 {
		r.refuseWord(it, it.Word(1), s.level, InvalidValue, "invalid number of connections "+quoted(it.Arg(1)))
		return
	}
	if n > 65535 {
		r.refuseWord(it, it.Word(1), s.level, InvalidValue, "connection limit must be less 65536")
		return
	}
	appendTo(&own.LimitConns, it, s.level, &LimitConn{
		ZoneName: name, Max: int(n), Directive: it.Directive, Via: it.Via, Span: it.Head(),
	})
}

// bindLimits leads the limits of every level to their zones, wherever those are defined.
func (h *HTTP) bindLimits() {
	bind := func(l *Level) {
		s := l.Settings
		if s.LimitReqs.At == l {
			for _, limit := range s.LimitReqs.Value {
				limit.Zone = h.Zones[limit.ZoneName]
			}
		}
		if s.LimitConns.At == l {
			for _, limit := range s.LimitConns.Value {
				limit.Zone = h.ConnZones[limit.ZoneName]
			}
		}
	}
	bind(&h.Level)
	for _, s := range h.Servers {
		bind(&s.Level)
		for l := range s.AllLocations {
			bind(&l.Level)
		}
	}
}

// has says whether the nginx that is judged for has a parameter of the directive.
func (r *resolver) has(it Item, w syntax.Word) bool {
	return r.version >= directive.ParameterSince(it.Name().Value, w.Value)
}

// refuseNewer refuses a parameter that the nginx that is judged for has not, as that nginx does.
func (r *resolver) refuseNewer(it Item, w syntax.Word, s *scope) {
	r.refuseWord(it, w, s.level, UnsupportedVersion, "invalid parameter "+quoted(w.Value))
}
