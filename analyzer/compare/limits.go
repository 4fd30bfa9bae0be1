package compare

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A limit is a limit_req or limit_conn without its name: what it counts, and how much of it passes. Of limit_conn, burst is
// the number of connections, and nothing else counts.
type limit struct {
	zone    string
	key     string // canonical; equal keys tell the same requests apart
	shown   string // as written
	rate    int64  // thousandths of a request per second; -1 where it is not known
	perMin  int64
	burst   int64 // thousandths
	instant int64 // thousandths; excess up to it passes at once
	size    int64
	at      source.Span
	within  source.Span // the zone's directive
}

// A side is what one kind of limit amounts to at one place.
type side struct {
	conn   bool
	limits []limit
	own    *config.Level // at which the list is written
	at     source.Span
	status int
	dryRun bool

	statusAt, dryRunAt source.Span
}

func requestSide(s *config.Settings, keys *signer) side {
	if s == nil {
		return side{}
	}
	out := side{
		own: s.LimitReqs.At, at: spanOf(s.LimitReqs), status: s.LimitReqStatus.Value, dryRun: s.LimitReqDryRun.Value,
		statusAt: spanOf(s.LimitReqStatus), dryRunAt: spanOf(s.LimitReqDryRun),
	}
	for _, r := range s.LimitReqs.Value {
		l := limit{zone: r.ZoneName, rate: -1, burst: r.Burst, instant: min(r.Delay, r.Burst), at: r.Span}
		if r.NoDelay {
			l.instant = r.Burst
		}
		if z := r.Zone; z != nil {
			l.key, l.shown, l.rate, l.perMin, l.size, l.within = keys.key(z.Key), z.Key.Text, z.Rate, z.PerMinute, z.Size, z.Span
		} else {
			l.key = "zone " + r.ZoneName
		}
		out.limits = append(out.limits, l)
	}
	return out
}

func connSide(s *config.Settings, keys *signer) side {
	if s == nil {
		return side{conn: true}
	}
	out := side{
		conn: true, own: s.LimitConns.At, at: spanOf(s.LimitConns), status: s.LimitConnStatus.Value, dryRun: s.LimitConnDryRun.Value,
		statusAt: spanOf(s.LimitConnStatus), dryRunAt: spanOf(s.LimitConnDryRun),
	}
	for _, r := range s.LimitConns.Value {
		l := limit{zone: r.ZoneName, burst: int64(r.Max) * 1000, at: r.Span}
		if z := r.Zone; z != nil {
			l.key, l.shown, l.size, l.within = keys.key(z.Key), z.Key.Text, z.Size, z.Span
		} else {
			l.key = "zone " + r.ZoneName
		}
		out.limits = append(out.limits, l)
	}
	return out
}

func (s *side) name() string {
	if s.conn {
		return "limit_conn"
	}
	return "limit_req"
}

// limits compares one kind of limit at two places.
func (c *Comparer) limits(old, renewed side) []Difference {
	var list []Difference
	pairs, gone, come := match(old.limits, renewed.limits)
	for _, p := range pairs {
		list = append(list, c.paired(&old, &renewed, p[0], p[1])...)
	}
	for _, l := range gone {
		text := l.words(old.conn) + " no longer holds"
		switch {
		case len(renewed.limits) == 0:
			text += ": no " + old.name() + " does"
		case renewed.own != nil && old.own != nil && renewed.own.Kind > old.own.Kind:
			text += ": the " + old.name() + " written " + levelWords(renewed.own) + " takes the place of those around it"
		}
		list = append(list, Difference{Subject: old.name(), Direction: lessened(Lost, old.dryRun), Text: text, Old: l.at, New: renewed.at})
	}
	for _, l := range come {
		list = append(list, Difference{
			Subject: old.name(), Direction: lessened(Gained, renewed.dryRun), Text: l.words(old.conn) + " holds now", New: l.at,
		})
	}
	if len(old.limits) > 0 && len(renewed.limits) > 0 {
		list = append(list, modes(&old, &renewed)...)
	}
	return list
}

// lessened is the direction of a change of a limit that is only counted: nothing comes of it.
func lessened(d Direction, dryRun bool) Direction {
	if dryRun {
		return Other
	}
	return d
}

// modes compares how a kind of limit refuses, and whether it does.
func modes(old, renewed *side) []Difference {
	var list []Difference
	if old.dryRun != renewed.dryRun {
		d := Difference{Subject: old.name() + "_dry_run", Old: old.dryRunAt, New: renewed.dryRunAt}
		d.Direction, d.Text = Gained, old.name()+" is enforced: before, what it would refuse was only counted"
		if renewed.dryRun {
			d.Direction, d.Text = Lost, old.name()+" is no longer enforced: what it would refuse is only counted"
		}
		list = append(list, d)
	}
	if old.status != renewed.status {
		list = append(list, Difference{
			Subject: old.name() + "_status", Direction: Other, Old: old.statusAt, New: renewed.statusAt,
			Text: fmt.Sprintf("what is refused is answered %d instead of %d", renewed.status, old.status),
		})
	}
	return list
}

// paired compares one limit with what became of it.
func (c *Comparer) paired(s, renewed *side, o, n *limit) []Difference {
	same := o.same(n)
	if same {
		c.uses.note(s.conn, o, n)
	}
	var list []Difference
	d := Difference{Subject: s.name(), Old: o.at, New: n.at}
	switch {
	case o.key != n.key:
		d.Direction = Changed
		d.Text = c.keyWords(s.conn, o, n)
		list = append(list, d)
	case !same:
		d.Direction = way(o, n)
		d.Text = o.becomes(n, s.conn)
		list = append(list, d)
	}
	if o.size != n.size && o.size > 0 && n.size > 0 && (same || o.zone == n.zone) {
		list = append(list, Difference{
			Subject: s.name() + "_zone", Direction: Other, Old: o.within, New: n.within,
			Text: fmt.Sprintf("its zone %s has %s instead of %s", n.zone, sizeWords(n.size), sizeWords(o.size)),
		})
	}
	if s.dryRun || renewed.dryRun { // that it is enforced, or no longer is, is told of itself
		for i := range list {
			list[i].Direction = Other
		}
	}
	return list
}

// way says whether more or less comes through. How soon it does counts where the amount is the same.
func way(o, n *limit) Direction {
	rate, burst := compareRate(o, n), sign(n.burst-o.burst)
	amount := rate + burst
	switch {
	case rate*burst < 0:
		return Changed
	case amount > 0:
		return Loosened
	case amount < 0:
		return Tightened
	case n.instant > o.instant:
		return Loosened
	}
	return Tightened
}

// compareRate is 0 where a rate is not known.
func compareRate(o, n *limit) int {
	if o.rate < 0 || n.rate < 0 {
		return 0
	}
	return sign(n.rate - o.rate)
}

func sign(n int64) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

// match pairs limits with what became of them: those that are equal first, then those of the same zone that count alike,
// of the same key, and of the same zone.
func match(old, renewed []limit) (pairs [][2]*limit, gone, come []*limit) {
	took := make([]bool, len(renewed))
	left := make([]*limit, 0, len(old))
	for i := range old {
		left = append(left, &old[i])
	}
	for _, alike := range []func(o, n *limit) bool{
		func(o, n *limit) bool { return o.same(n) && o.zone == n.zone },
		(*limit).same,
		func(o, n *limit) bool { return o.key == n.key && o.zone == n.zone },
		func(o, n *limit) bool { return o.key == n.key },
		func(o, n *limit) bool { return o.zone == n.zone },
	} {
		left = slices.DeleteFunc(left, func(o *limit) bool {
			for i := range renewed {
				if !took[i] && alike(o, &renewed[i]) {
					took[i] = true
					pairs = append(pairs, [2]*limit{o, &renewed[i]})
					return true
				}
			}
			return false
		})
	}
	for i := range renewed {
		if !took[i] {
			come = append(come, &renewed[i])
		}
	}
	return pairs, left, come
}

func (l *limit) same(o *limit) bool {
	return l.key == o.key && l.rate == o.rate && l.burst == o.burst && l.instant == o.instant
}

// levelWords says where a list is written.
func levelWords(l *config.Level) string {
	switch l.Kind {
	case config.KindLocation:
		return "in the location"
	case config.KindServer:
		return "in the server"
	default:
		return "there"
	}
}

// sizeWords writes bytes as a configuration would.
func sizeWords(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "m"
	case n%(1<<10) == 0:
		return strconv.FormatInt(n>>10, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}
