package config

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// minZone is the least size of a zone that nginx takes: eight pages, on a machine with pages of 4 KiB.
const minZone = 8 * 4096

// zones are all shared memory zones, of whatever module: their names share one space.
type zones struct {
	named map[string]*sharedZone
	order []*sharedZone // as nginx first hears of them

	refused map[string]bool // the names whose definition was refused: who asks for them is not to blame
}

// A sharedZone is what nginx knows of one name while it reads.
type sharedZone struct {
	name  string
	use   string      // the module that has it, by its zone directive; "" where that is not known
	size  int64       // 0 until it is defined
	span  source.Span // the word that defined it, or else the one that named it first
	early []zoneUse   // the limits that named it before it was defined, up to maxEarly
	key   string      // as written; of a defined zone
	bound bool        // defined
}

// A zoneUse is a place that names a zone.
type zoneUse struct {
	span  source.Span
	level *Level
}

// maxEarly bounds how many places are told of that name a zone which is nowhere.
const maxEarly = 100

func newZones() zones {
	return zones{named: make(map[string]*sharedZone), refused: make(map[string]bool)}
}

// share is nginx's look-up of a zone by name (ngx_shared_memory_add): it makes the zone where there is none, and refuses
// one that another module has, or that has another size. A size of 0 only refers to the zone.
func (r *resolver) share(it Item, w syntax.Word, l *Level, name, use string, size int64) *sharedZone {
	z := r.zones.named[name]
	if z == nil {
		z = &sharedZone{name: name, use: use, span: it.WordSpan(w)}
		r.zones.named[name] = z
		r.zones.order = append(r.zones.order, z)
	}
	if size == 0 && z.size == 0 && len(z.early) < maxEarly {
		z.early = append(z.early, zoneUse{it.WordSpan(w), l})
	}
	switch {
	case z.use != use:
		r.zones.refused[name] = true
		r.refuse(l, Refusal{
			Kind: ZoneDuplicate, Span: it.WordSpan(w), Line: line(it.Directive), Related: &z.span,
			Text: fmt.Sprintf(`the shared memory zone "%s" is already declared for a different use`, name),
		})
		return nil
	case z.size == 0:
		z.size = size
	case size != 0 && size != z.size:
		r.refuse(l, Refusal{
			Kind: ZoneDuplicate, Span: it.WordSpan(w), Line: line(it.Directive), Related: &z.span,
			Text: fmt.Sprintf(`the size %d of shared memory zone "%s" conflicts with already declared size %d`, size, name, z.size),
		})
		return nil
	}
	return z
}

// unknownZones tells of the zones that limits name and nothing defines. nginx finds them when it has read everything,
// and names no line; each limit that names the zone is a place to look. Where something could not be read, the
// zone may stand there.
func (r *resolver) unknownZones() {
	if r.partial() {
		return
	}
	for _, z := range r.zones.order {
		if z.size != 0 || r.zones.refused[z.name] {
			continue
		}
		for _, u := range z.early {
			r.refuse(u.level, Refusal{Kind: ZoneUnknown, Span: u.span, Text: `zero size shared memory zone "` + z.name + `"`})
		}
	}
}

// maxZone is more than nginx can map on any system of 64 bits.
const maxZone = 1 << 48

// hugeZones tells of zones that no machine has room for. nginx finds them when it has read everything, and names no line.
func (r *resolver) hugeZones() {
	for _, z := range r.zones.order {
		if z.size >= maxZone && z.bound {
			r.refuse(&r.http.Level, Refusal{
				Kind: InvalidValue, Span: z.span,
				Text: fmt.Sprintf("mmap(MAP_ANON|MAP_SHARED, %d) failed (12: Cannot allocate memory)", z.size),
			})
		}
	}
}

// refusedZone notes the zone that a refused directive would have defined.
func (r *resolver) refusedZone(it Item) {
	for _, w := range it.Args() {
		if text, ok := strings.CutPrefix(w.Value, "zone="); ok {
			if name, _, defines := strings.Cut(text, ":"); defines {
				r.zones.refused[name] = true
			}
		}
	}
}

// A zoneParameter is "zone=name:size".
type zoneParameter struct {
	word syntax.Word
	name string
	size int64
}

// zoneParameter reads one, and refuses what nginx refuses of it.
func (r *resolver) zoneParameter(it Item, w syntax.Word, l *Level) (zoneParameter, bool) {
	name, text, ok := strings.Cut(w.Value[len("zone="):], ":")
	size, number := parseSize(text)
	if !ok || !number {
		r.refuseWord(it, w, l, InvalidValue, "invalid zone size "+quoted(w.Value))
		return zoneParameter{}, false
	}
	if size < minZone {
		r.refuseWord(it, w, l, InvalidValue, "zone "+quoted(w.Value)+" is too small")
		return zoneParameter{}, false
	}
	return zoneParameter{w, name, size}, true
}

// limitReqZone reads limit_req_zone. Its parameters come in any order, and of two of a kind the later one holds.
func (r *resolver) limitReqZone(it Item, _ *visit, s *scope) {
	if !r.readReqZone(it, s) {
		r.refusedZone(it)
	}
}

func (r *resolver) readReqZone(it Item, s *scope) bool {
	key, ok := r.template(it, it.Word(0), s.level)
	if !ok {
		return false
	}
	z := &Zone{Rate: 1000, Key: key, Directive: it.Directive, Via: it.Via, Span: it.Head(), KeySpan: it.WordSpan(it.Word(0))}
	var zone zoneParameter
	for _, w := range it.ArgsFrom(1) {
		switch {
		case strings.HasPrefix(w.Value, "zone="):
			zone, ok = r.zoneParameter(it, w, s.level)
			z.SizeSpan = it.WordSpan(w)
		case strings.HasPrefix(w.Value, "rate="):
			z.Rate, z.PerMinute, ok = parseRate(w.Value[len("rate="):])
			z.RateSpan = it.WordSpan(w)
			if !ok {
				r.refuseWord(it, w, s.level, InvalidRate, "invalid rate "+quoted(w.Value))
			}
		default:
			ok = r.badParameter(it, w, s.level)
		}
		if !ok {
			return false
		}
	}
	if !r.bindZone(it, s.level, zone) {
		return false
	}
	z.Name, z.Size = zone.name, zone.size
	r.http.Zones[z.Name] = z
	return true
}

// bindZone defines a zone under its name, for the module of the directive.
func (r *resolver) bindZone(it Item, l *Level, zone zoneParameter) bool {
	use := it.Name().Value
	if zone.name == "" {
		r.refuseHead(it, l, InvalidValue, quoted(use)+` must have "zone" parameter`)
		return false
	}
	shared := r.share(it, zone.word, l, zone.name, use, zone.size)
	if shared == nil {
		return false
	}
	if shared.bound {
		r.refuse(l, Refusal{
			Kind: ZoneDuplicate, Span: it.WordSpan(zone.word), Line: line(it.Directive), Related: &shared.span,
			Text: fmt.Sprintf(`%s "%s" is already bound to key "%s"`, use, zone.name, shared.key),
		})
		return false
	}
	shared.bound, shared.key, shared.span = true, it.Arg(0), it.WordSpan(zone.word)
	return true
}

// parseRate reads "10r/s", "10r/m" or "10" into thousandths of a request per second, cut off as nginx does. Of a rate by
// the minute it returns the number as well.
func parseRate(text string) (rate, perMinute int64, ok bool) {
	if number, is := strings.CutSuffix(text, "r/s"); is {
		text = number
	} else if number, is := strings.CutSuffix(text, "r/m"); is {
		n, ok := atoi(number)
		return thousandths(n) / 60, n, ok && n > 0
	}
	n, ok := atoi(text)
	return thousandths(n), 0, ok && n > 0
}

// limitConnZone reads limit_conn_zone.
func (r *resolver) limitConnZone(it Item, _ *visit, s *scope) {
	if !r.readConnZone(it, s) {
		r.refusedZone(it)
	}
}

func (r *resolver) readConnZone(it Item, s *scope) bool {
	key, ok := r.template(it, it.Word(0), s.level)
	if !ok {
		return false
	}
	var zone zoneParameter
	for _, w := range it.ArgsFrom(1) {
		if !strings.HasPrefix(w.Value, "zone=") {
			return r.badParameter(it, w, s.level)
		}
		if zone, ok = r.zoneParameter(it, w, s.level); !ok {
			return false
		}
	}
	if !r.bindZone(it, s.level, zone) {
		return false
	}
	r.http.ConnZones[zone.name] = &ConnZone{
		Name: zone.name, Key: key, Size: zone.size, Directive: it.Directive, Via: it.Via,
		Span: it.Head(), KeySpan: it.WordSpan(it.Word(0)), SizeSpan: it.WordSpan(zone.word),
	}
	return true
}

// badParameter refuses a parameter that the directive has not; it returns false.
func (r *resolver) badParameter(it Item, w syntax.Word, l *Level) bool {
	r.refuseWord(it, w, l, InvalidValue, "invalid parameter "+quoted(w.Value))
	return false
}

// otherZoneHandler returns what notes the name of a zone that another module defines at http level.
func otherZoneHandler(name string) handler {
	switch name {
	case "proxy_cache_path", "fastcgi_cache_path", "uwsgi_cache_path", "scgi_cache_path":
		return (*resolver).cachePath
	}
	return nil
}

// cachePath notes the zone of a cache, because its name is taken for limits.
func (r *resolver) cachePath(it Item, _ *visit, s *scope) {
	for _, w := range it.Args() {
		if text, ok := strings.CutPrefix(w.Value, "keys_zone="); ok {
			name, size, _ := strings.Cut(text, ":")
			if n, ok := parseSize(size); ok && name != "" {
				r.share(it, w, s.level, name, it.Name().Value, n)
			}
		}
	}
}
