package mend

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// How invasive a change is. Adding a word to a directive is the least; a rate holds for all that count in its zone; what
// is left out of a limit is protected by it no longer; and a new key gives the zone another meaning.
const (
	costNodelay = 1
	costTrust   = 1 // a line
	costBurst   = 2
	costConn    = 2
	costRate    = 4
	costExempt  = 5
	costKey     = 6
)

// A harmed limit is a limit_req that holds up or refuses people, at one place or several.
type harmed struct {
	*config.LimitReq
	need int64 // requests: the burst that with nodelay refuses none of them
}

// candidates are the changes to be tried, those of one kind for all limits that do harm together.
func (s *search) candidates() []candidate {
	s.base = s.trust()
	var list []candidate
	if s.base.kind != "" {
		list = append(list, s.base)
	}
	found, ok := s.run(s.base.edits, s.openly())
	if !ok {
		return list
	}
	limits, conns := s.harmed(found)
	if len(limits)+len(conns) == 0 {
		return list
	}
	conn := raiseConns(conns)
	if conn.kind != "" {
		list = append(list, s.base.and(conn))
	}
	with := func(c candidate) {
		if c.kind != "" {
			list = append(list, s.base.and(c).and(conn))
		}
	}
	if len(limits) == 0 {
		return list
	}
	with(addNodelay(limits))
	with(raiseBurst(limits, false))
	with(raiseBurst(limits, true))
	for _, nodelay := range []bool{false, true} {
		with(s.raiseRate(limits, conn, nodelay))
	}
	for _, c := range slices.Concat(s.exempt(limits), s.otherKeys(limits)) {
		with(c)
	}
	return list
}

// openly are the options of a run in which limits only count, and only people come.
func (s *search) openly() simulate.Options {
	o := onlyPeople(s.o)
	o.Open = true
	return o
}

// harmed lists the limits that did people harm, and those that will once no other one does, each directive once, as they
// stand in the configuration that was given. The needs are those of an open run, of that configuration with the base's
// edits.
func (s *search) harmed(open *simulate.Result) (limits []harmed, conns []simulate.ConnHarm) {
	given := counterparts(open.Tree, s.tree)
	for _, h := range open.Harms {
		if h.NeedMilli > h.Limit.Burst || !h.Limit.NoDelay && h.NeedMilli > h.Limit.Delay {
			limits = s.addLimit(limits, h.Limit, given[h.Limit.Directive], (h.NeedMilli+999)/1000)
		}
	}
	for _, h := range s.r.Harms {
		if h.Delayed+h.Rejected > 0 {
			limits = s.addLimit(limits, h.Limit, h.Limit.Directive, 0)
		}
	}
	for _, h := range open.ConnHarms {
		if h.Need > int64(h.Limit.Max) {
			conns = addConn(conns, h.Limit, given[h.Limit.Directive], h.Need)
		}
	}
	for _, h := range s.r.ConnHarms {
		if h.Rejected > 0 {
			conns = addConn(conns, h.Limit, h.Limit.Directive, 0)
		}
	}
	return limits, conns
}

// addLimit adds a limit that stands at a directive, or what it needs more.
func (s *search) addLimit(list []harmed, l *config.LimitReq, d *syntax.Directive, need int64) []harmed {
	zone := s.tree.HTTP.Zones[l.ZoneName]
	if d == nil || zone == nil {
		return list
	}
	if i := slices.IndexFunc(list, func(h harmed) bool { return h.Directive == d }); i >= 0 {
		list[i].need = max(list[i].need, need)
		return list
	}
	limit := *l
	limit.Directive, limit.Zone = d, zone
	return append(list, harmed{&limit, need})
}

func addConn(list []simulate.ConnHarm, l *config.LimitConn, d *syntax.Directive, need int64) []simulate.ConnHarm {
	if d == nil {
		return list
	}
	if i := slices.IndexFunc(list, func(h simulate.ConnHarm) bool { return h.Limit.Directive == d }); i >= 0 {
		list[i].Need = max(list[i].Need, need)
		return list
	}
	limit := *l
	limit.Directive = d
	return append(list, simulate.ConnHarm{Limit: &limit, Need: need})
}

// counterparts finds the limits of one configuration in another that has the same in the same order.
func counterparts(from, to *config.Tree) map[*syntax.Directive]*syntax.Directive {
	pairs := map[*syntax.Directive]*syntax.Directive{}
	for i, doc := range from.Input.Documents {
		was, is := limitsIn(doc), limitsIn(to.Input.Documents[i])
		for j := range min(len(was), len(is)) {
			pairs[was[j]] = is[j]
		}
	}
	return pairs
}

// limitsIn lists the limits of a file in order.
func limitsIn(doc *syntax.Document) []*syntax.Directive {
	var found []*syntax.Directive
	stack := [][]syntax.Directive{doc.Directives}
	for len(stack) > 0 {
		list := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range list {
			d := &list[i]
			if d.Block != nil {
				stack = append(stack, list[i+1:], d.Block.Directives)
				break
			}
			if name := d.Name().Value; name == "limit_req" || name == "limit_conn" {
				found = append(found, d)
			}
		}
	}
	return found
}

// addNodelay adds nodelay wherever a burst is waited out.
func addNodelay(limits []harmed) candidate {
	c := candidate{kind: "nodelay", title: "add nodelay to " + names(limits)}
	for _, l := range limits {
		if l.Burst == 0 || l.NoDelay {
			continue
		}
		c.cost += costNodelay
		c.edits = append(c.edits, nodelay(l.LimitReq)...)
	}
	return orNone(c)
}

// nodelay lets excess within the burst pass at once. delay= and burst= leave no room for it.
func nodelay(l *config.LimitReq) []source.Edit {
	if l.NoDelay {
		return nil
	}
	if edits := l.Directive.ReplaceWord("delay=", "nodelay"); len(edits) > 0 {
		return edits
	}
	return []source.Edit{l.Directive.AppendWord("nodelay")}
}

// raiseBurst raises the burst to what people need.
func raiseBurst(limits []harmed, noDelay bool) candidate {
	c := candidate{kind: "burst"}
	var most int64
	for _, l := range limits {
		burst := []source.Edit{}
		if l.need*1000 > l.Burst {
			word := fmt.Sprintf("burst=%d", l.need)
			if burst = l.Directive.ReplaceWord("burst=", word); len(burst) == 0 {
				if noDelay && !l.NoDelay && !l.HasDelay {
					word += " nodelay"
				}
				burst = []source.Edit{l.Directive.AppendWord(word)}
			}
			c.cost += costBurst
			most = max(most, l.need)
		}
		c.edits = append(c.edits, burst...)
		if noDelay && (l.Burst > 0 || l.HasDelay) && !l.NoDelay {
			c.cost += costNodelay
			c.edits = append(c.edits, nodelay(l.LimitReq)...)
		}
	}
	if most == 0 {
		return candidate{}
	}
	c.title = fmt.Sprintf("raise burst to %d in %s", most, names(limits))
	if noDelay {
		c.kind, c.title = "burst+nodelay", fmt.Sprintf("burst=%d nodelay in %s", most, names(limits))
		if !slices.ContainsFunc(limits, func(l harmed) bool { return !l.NoDelay }) {
			return candidate{} // raising the burst alone says it
		}
	}
	return orNone(c)
}

// raiseConns lets as many requests be counted at once as people make.
func raiseConns(conns []simulate.ConnHarm) candidate {
	c := candidate{kind: "conn"}
	var most int64
	for _, h := range conns {
		if h.Need <= int64(h.Limit.Max) || h.Limit.Directive.NumArgs() < 2 {
			continue
		}
		c.cost += costConn
		d := h.Limit.Directive
		c.edits = append(c.edits, source.Edit{Span: d.WordSpan(d.Word(1)), Text: fmt.Sprint(h.Need)})
		most = max(most, h.Need)
	}
	c.title = fmt.Sprintf("raise limit_conn to %d", most)
	return orNone(c)
}

// rates are what a rate is raised to, in requests a second.
var rates = []int64{1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10000}

// raiseRate raises the rates of the zones to the smallest round number that mends, or else to the largest.
func (s *search) raiseRate(limits []harmed, conn candidate, noDelay bool) candidate {
	at := func(rate int64) candidate {
		c := candidate{kind: "rate", title: fmt.Sprintf("raise the rate to %dr/s in %s", rate, zoneNames(limits))}
		for _, z := range zonesOf(limits) {
			if z.Rate >= rate*1000 {
				continue
			}
			c.cost += costRate
			word := fmt.Sprintf("rate=%dr/s", rate)
			if z.RateSpan.File == nil {
				c.edits = append(c.edits, z.Directive.AppendWord(word))
			} else {
				c.edits = append(c.edits, source.Edit{Span: z.RateSpan, Text: word})
			}
		}
		if c = orNone(c); noDelay && c.kind != "" {
			title := c.title + ", with nodelay"
			c = c.and(addNodelay(limits))
			c.title = title
		}
		return c
	}
	if noDelay && addNodelay(limits).kind == "" {
		return candidate{} // the same as without
	}
	higher := slices.DeleteFunc(slices.Clone(rates), func(rate int64) bool { return at(rate).kind == "" })
	if len(higher) == 0 {
		return candidate{}
	}
	low, high := 0, len(higher)-1
	for low < high && s.affordable() {
		mid := (low + high) / 2
		c := s.base.and(at(higher[mid])).and(conn)
		if r, ok := s.run(c.edits, s.o); ok && s.mends(r) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return at(higher[high])
}

// orNone is the change, or the one without a kind where it changes nothing.
func orNone(c candidate) candidate {
	if len(c.edits) == 0 {
		return candidate{}
	}
	return c
}

func zonesOf(limits []harmed) []*config.Zone {
	var list []*config.Zone
	for _, l := range limits {
		if !slices.Contains(list, l.Zone) {
			list = append(list, l.Zone)
		}
	}
	return list
}

// names tells which directives are meant.
func names(limits []harmed) string { return "limit_req zone=" + joined(limits) }

// zoneNames tells which zones are meant.
func zoneNames(limits []harmed) string { return "zone " + joined(limits) }

func joined(limits []harmed) string {
	zones := zonesOf(limits)
	names := make([]string, len(zones))
	for i, z := range zones {
		names[i] = z.Name
	}
	return and(names)
}
