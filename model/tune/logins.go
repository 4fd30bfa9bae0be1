package tune

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// A try is one try to log in: when, with which browser, and as whom the log knows it (hashes; 0 for unknown).
type try struct{ at, agent, user uint32 }

// Tries to log in are looked at by the minute, as a password is typed in seconds: what one address does over a day says little
// of the minute in which it guesses. What people ask for before and after they log in comes within some seconds.
const (
	minute = clock.Msec(60_000)
	around = 10_000 // milliseconds
)

// A Rush is the minute in which an address tries most often to log in.
type Rush struct {
	Tries    int
	Requests int // of all kinds, from ten seconds before the first try of that minute to ten seconds after the last
	Agents   int // different browsers that tried; 0 where the log does not say
	Users    int // different names of $remote_user, likewise
}

// machine says that no people can be behind a rush: each browser or user tries more often than anybody types within a minute,
// and little else is asked for, where people load pages before and after.
func (r *Rush) machine() bool {
	return r.Tries >= guesses*max(1, r.Agents, r.Users) && r.Tries*2 >= r.Requests
}

func (r *Rush) text() string {
	by := ""
	if r.Agents > 0 {
		by = ", by " + numeral.Of(r.Agents, "browser")
	}
	return fmt.Sprintf("%s of the %s that it sends around one minute are tries to log in%s", numeral.Count(r.Tries), numeral.Of(r.Requests, "request"), by)
}

// rush finds the minute with most tries; one that only a machine can make goes before all others. The client's requests are in
// order.
func (w *client) rush() Rush {
	slices.SortFunc(w.tries, func(a, b try) int { return cmp.Compare(a.at, b.at) })
	agents, users := tally{}, tally{}
	var worst Rush
	from := 0
	for i, t := range w.tries {
		agents.add(t.agent, 1)
		users.add(t.user, 1)
		for ; clock.Msec(t.at-w.tries[from].at) >= minute; from++ {
			agents.add(w.tries[from].agent, -1)
			users.add(w.tries[from].user, -1)
		}
		r := Rush{Tries: i - from + 1, Agents: len(agents), Users: len(users)}
		if r.Tries < guesses {
			continue
		}
		first := w.tries[from].at
		begin, _ := slices.BinarySearch(w.at, first-min(first, around))
		end, _ := slices.BinarySearch(w.at, t.at+around+1)
		r.Requests = end - begin
		if m := r.machine(); m && !worst.machine() || m == worst.machine() && r.Tries > worst.Tries {
			worst = r
		}
	}
	return worst
}

// A tally counts what is known, by its hash.
type tally map[uint32]int

func (t tally) add(hash uint32, n int) {
	if hash == 0 {
		return
	}
	if t[hash] += n; t[hash] == 0 {
		delete(t, hash)
	}
}

// An Unsure is a client of which the traffic does not say whether it is many people or a machine. Room is made for it.
type Unsure struct {
	Client string
	Rush   Rush
}

// A Spread is how many requests the keys of people make within their busiest minute: half of the keys and 99 in 100 of them at
// most, and the busiest.
type Spread struct {
	P50, P99, Most int
}

// spreadOf orders the busiest minutes of keys.
func spreadOf(most []int) Spread {
	sorted := slices.Sorted(slices.Values(most))
	n := len(sorted)
	if n == 0 {
		return Spread{}
	}
	return Spread{P50: sorted[(n-1)/2], P99: sorted[(n*99+99)/100-1], Most: sorted[n-1]}
}
