package tune

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
)

// What people who mistype a password need, where nobody but attackers has logged in: some tries at once, and then ten a minute.
const (
	loginRate  = "10r/m"
	loginBurst = 5
)

// borrow chooses a limit for a place where only attackers go, or nobody whose key is known, of which the traffic does not say
// what people need: that of the places of its kind that lets most through, else one with which what people ask for elsewhere
// would pass. It returns false where there are no people anywhere.
func (c *Collector) borrow(g *collected, measured []*Group) bool {
	attackers := make([]series, 0, len(g.keys))
	for _, key := range sortedKeys(g.keys) {
		attackers = append(attackers, g.keys[key].at)
	}
	if from := lender(g, measured); from != nil {
		c := from.Frontier[from.Chosen]
		g.lend(Choice{Rate: c.Rate, Text: c.Text, Burst: c.Burst}, attackers)
		g.Basis = fmt.Sprintf("%s: the limit is that of %s, where people come", g.unmeasured(), nameBeside(from, g.Server))
		return true
	}
	if g.Kind == Login {
		for _, r := range perMinute {
			if r.text == loginRate {
				g.lend(Choice{Rate: r.milli, Text: r.text, Burst: loginBurst}, attackers)
			}
		}
		g.Basis = fmt.Sprintf("%s, and people log in nowhere else: %d more tries at once and %s are a custom, and not measured", g.unmeasured(), loginBurst, loginRate)
		return true
	}
	var people []series
	for _, name := range c.Clients() {
		if who := c.clients[name]; !who.attacks {
			people = append(people, who.at)
		}
	}
	if len(people) == 0 {
		return false
	}
	g.judge(people, attackers, c.o.Share, reserve{})
	g.lend(g.Frontier[g.Chosen], attackers)
	g.Basis = fmt.Sprintf("%s: with this limit all that %s who are people ask for elsewhere would pass", g.unmeasured(), numeral.Of(len(people), "client"))
	if len(people) == 1 {
		g.Basis = g.unmeasured() + ": with this limit all that the one client who is no attacker asks for elsewhere would pass"
	}
	return true
}

// unmeasured says why the traffic does not tell what people need at a place.
func (g *collected) unmeasured() string {
	if len(g.keys) == 0 {
		return "no request there has a key that is known and not empty"
	}
	return "only attackers come there"
}

// lend makes a choice that was measured elsewhere the only one of a group: what its own traffic would need is not known.
func (g *Group) lend(c Choice, attackers []series) {
	c.Hurt, c.Refused, c.AttackRefused = 0, 0, 0
	c.through(g.Kind)
	g.count(&c, nil, attackers)
	c.HurtAt = make([]int, len(Bursts))
	g.Frontier, g.Chosen = []Choice{c}, 0
}

// lender is the group of a kind that lets most through, of the same server where there is one.
func lender(g *collected, measured []*Group) *Group {
	var best *Group
	for _, m := range measured {
		if (m.Kind == Login) != (g.Kind == Login) || m.Kind == Total {
			continue
		}
		if best == nil || m.Server == g.Server && best.Server != g.Server ||
			(m.Server == g.Server) == (best.Server == g.Server) && m.Frontier[m.Chosen].Through > best.Frontier[best.Chosen].Through {
			best = m
		}
	}
	return best
}

// nameBeside names a group where another server is spoken of.
func nameBeside(g *Group, s *config.Server) string {
	if g.Server != s && g.Server.Names[0].Text != "" {
		return g.Server.Names[0].Text + " " + g.Label()
	}
	return g.Label()
}
