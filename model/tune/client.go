package tune

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// A client is what an address did, over all groups.
type client struct {
	at            series
	agents, users few
	tries         []try
	failed        int // tries that were refused by the application
	attacks       bool
}

// A few counts different hashes, up to its room.
type few struct {
	n    int
	seen [8]uint32
}

func (f *few) add(hash uint32) {
	if hash != 0 && f.n < len(f.seen) && !slices.Contains(f.seen[:f.n], hash) {
		f.seen[f.n] = hash
		f.n++
	}
}

func (c *Collector) clientOf(name string) *client {
	who := c.clients[name]
	if who == nil {
		who = &client{}
		c.clients[name] = who
	}
	return who
}

// Clients are the addresses that have come, in order of their text.
func (c *Collector) Clients() []string { return sortedKeys(c.clients) }

func (w *client) saw(v *Visit, at uint32) {
	w.at = append(w.at, at)
	w.agents.add(v.Agent)
	w.users.add(v.User)
}

func (w *client) login(v *Visit, at uint32) {
	w.tries = append(w.tries, try{at, v.Agent, v.User})
	switch v.Status {
	case 400, 401, 403, 422:
		w.failed++
	}
}

// Whoever does more than this is taken for an attacker; people behind one address make the top as well, so that it has to be
// far above the others, and not look like several people.
const (
	tenSeconds    = clock.Msec(10_000)
	attackAtLeast = 200 // requests within ten seconds
	attackTimes   = 20  // as many as the median client
	attackTop     = 5   // or, among many clients, as many as the busiest of 99 in a hundred
	manyClients   = 100
	guesses       = 20 // tries to log in, nine of ten in vain
	sharedAgents  = 5
	sharedUsers   = 3
)

// judgeClients tells attackers from people, and notes addresses that several people share.
func (c *Collector) judgeClients() {
	names := sortedKeys(c.clients)
	busiest := make([]int, len(names))
	for i, name := range names {
		who := c.clients[name]
		who.at.order()
		busiest[i] = who.at.busiest(tenSeconds)
	}
	sorted := slices.Sorted(slices.Values(busiest))
	median, top := sorted[(len(sorted)-1)/2], sorted[(len(sorted)-1)*99/100]
	for i, name := range names {
		who := c.clients[name]
		shared := who.agents.n >= sharedAgents || who.users.n >= sharedUsers
		if shared {
			c.plan.Shared = append(c.plan.Shared, Shared{Client: c.shown(name), Agents: who.agents.n, Users: who.users.n})
		}
		why, logins, rush := "", len(who.tries), who.rush()
		switch {
		case c.o.People != nil && c.o.People(name):
		case c.o.Attackers != nil && c.o.Attackers(name):
			why = "named as one"
		case logins >= guesses && who.failed*10 >= logins*9:
			why = fmt.Sprintf("%s of %s tries to log in failed", numeral.Count(who.failed), numeral.Count(logins))
		case !shared && logins >= guesses && logins*2 >= len(who.at):
			why = fmt.Sprintf("%s of its %s are tries to log in", numeral.Count(logins), numeral.Of(len(who.at), "request"))
		case rush.machine():
			why = rush.text()
		case !shared && len(names) > 1 && busiest[i] >= attackAtLeast && busiest[i] >= attackTimes*median:
			why = fmt.Sprintf("%s within ten seconds, the median client has %s", numeral.Of(busiest[i], "request"), numeral.Count(median))
		case !shared && len(names) >= manyClients && busiest[i] >= attackAtLeast && busiest[i] >= attackTop*top:
			why = fmt.Sprintf("%s within ten seconds, 99 of 100 clients have at most %s", numeral.Of(busiest[i], "request"), numeral.Count(top))
		}
		if why == "" && rush.Tries > 0 && (c.o.People == nil || !c.o.People(name)) {
			c.plan.Unsure = append(c.plan.Unsure, Unsure{c.shown(name), rush})
		}
		if why != "" {
			who.attacks = true
			c.plan.Attackers = append(c.plan.Attackers, Attacker{Client: c.shown(name), Why: why, Requests: len(who.at), Busiest: busiest[i]})
		}
	}
	slices.SortStableFunc(c.plan.Attackers, func(a, b Attacker) int { return cmp.Compare(b.Requests, a.Requests) })
}

// shown is an address as the plan has it.
func (c *Collector) shown(name string) string {
	if c.o.Redact == nil || name == "" {
		return name
	}
	return c.o.Redact(name)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
