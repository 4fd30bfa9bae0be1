package tune

import (
	"fmt"
	"math"
	"slices"
)

// A step is a rate that people write.
type step struct {
	text  string
	milli int64
}

// perSecond and perMinute are the rates that are tried. nginx reads 10r/m as 166 thousandths of a request per second.
var perSecond, perMinute = func() (second, minute []step) {
	for _, n := range []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000, 5000, 10000} {
		second = append(second, step{fmt.Sprintf("%dr/s", n), n * full})
	}
	for _, n := range []int64{1, 2, 3, 5, 6, 10, 12, 15, 20, 30, 40, 60, 90, 120, 300, 600} {
		minute = append(minute, step{fmt.Sprintf("%dr/m", n), n * full / 60})
	}
	return second, minute
}()

func ratesOf(k Kind) []step {
	if k == Login {
		return perMinute
	}
	return perSecond
}

// A reserve is what a total keeps for one client at its own limit: a flood from one address must not shut out all others.
type reserve struct{ rate, burst int64 }

// leastBurst is the burst of what no two requests of one client came to within the time of a rate: without one nobody may ask
// again at once, as people do who mistype a password or click twice, though none did in the traffic.
const leastBurst = 1

// judge fills the frontier of a group from its clients' series, and chooses.
func (g *Group) judge(people, attackers []series, share float64, kept reserve) {
	g.Frontier, g.Chosen = nil, 0
	mayHurt := int((1 - share) * float64(len(people)) * (1 + 1e-9))
	needs := make([]int64, len(people))
	for _, r := range ratesOf(g.Kind) {
		if r.milli <= kept.rate {
			continue
		}
		for i, s := range people {
			needs[i] = s.need(r.milli - kept.rate)
		}
		slices.Sort(needs)
		var most int64
		if n := len(needs) - mayHurt; n > 0 {
			most = needs[n-1]
		}
		if kept.rate > 0 {
			most += kept.burst + full
		}
		c := Choice{Rate: r.milli, Text: r.text, Burst: max(leastBurst, (most+full-1)/full)}
		c.through(g.Kind)
		for _, burst := range Bursts {
			within, _ := slices.BinarySearch(needs, burst*full+1)
			c.HurtAt = append(c.HurtAt, len(needs)-within)
		}
		g.count(&c, people, attackers)
		g.Frontier = append(g.Frontier, c)
		if most == 0 {
			break // a higher rate changes nothing
		}
	}
	best := int64(math.MaxInt64)
	for i := range g.Frontier {
		if c := &g.Frontier[i]; c.Through < best {
			best, g.Chosen = c.Through, i
		}
	}
}

// through fills in what a flood from one key gets.
func (c *Choice) through(k Kind) { c.Through = c.Burst + 1 + int64(horizonOf(k))*c.Rate/full/1000 }

// count runs the limit of a choice over the group.
func (g *Group) count(c *Choice, people, attackers []series) {
	for _, s := range people {
		if n := s.refused(c.Rate, c.Burst*full); n > 0 {
			c.Hurt++
			c.Refused += n
		}
	}
	for _, s := range attackers {
		c.AttackRefused += s.refused(c.Rate, c.Burst*full)
	}
}
