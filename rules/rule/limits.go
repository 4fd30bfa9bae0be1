package rule

import (
	"math"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A List is a list of limits as it is written, and the places where it is in effect: a level inherits the whole list of
// the nearest level that has one. A snippet that many levels include is one list.
type List[L any] struct {
	Standing
	Limits []L
}

// A Standing is where a list of limits stands.
type Standing struct {
	At     *config.Level // where it is written; the first such level
	Levels int           // how many levels it is written at
	Places []Place       // where it is in effect, in the order of the configuration; empty where every level below has a list of its own
}

// LimitReqs returns each written list of limit_req that is in effect somewhere, in the order of the first place.
func (f *Facts) LimitReqs() []List[*config.LimitReq] { return f.limitReqs() }

// LimitConns returns each written list of limit_conn that is in effect somewhere, in the order of the first place.
func (f *Facts) LimitConns() []List[*config.LimitConn] { return f.limitConns() }

// text tells lists apart by the directives that they are written with.
type text struct {
	first, last *syntax.Directive
	n           int
}

// findLists groups places by the list that they share. There may be a hundred thousand of either: of a list that is in effect
// at successive places these are not kept a second time, and the others cut theirs from one array.
func findLists[L any](places []Place, of func(*config.Settings) *config.Setting[[]L], directive func(L) *syntax.Directive) []List[L] {
	written := 0
	for _, p := range places {
		if of(p.Settings).At == p.Level {
			written++
		}
	}
	lists := make([]List[L], 0, written)
	extents := make([]extent, 0, written)
	index := make(map[text]int32, written)
	settings := make(map[*config.Setting[[]L]]int32, written)
	list := make([]int32, len(places)) // of each place; -1 for none
	for i, p := range places {
		s := of(p.Settings)
		if list[i] = -1; len(s.Value) == 0 || s.At == nil {
			continue
		}
		n, ok := settings[s]
		if !ok {
			key := text{directive(s.Value[0]), directive(s.Value[len(s.Value)-1]), len(s.Value)}
			if n, ok = index[key]; !ok {
				n = int32(len(lists))
				index[key] = n
				lists = append(lists, List[L]{Standing{At: s.At}, s.Value})
				extents = append(extents, extent{first: i})
			}
			settings[s] = n
			lists[n].Levels++
		}
		list[i] = n
		extents[n].size++
		extents[n].last = i
	}
	apart := 0
	for _, e := range extents {
		if !e.whole() {
			apart += e.size
		}
	}
	backing := make([]Place, apart)
	for i, e := range extents {
		if e.whole() {
			lists[i].Places = e.of(places)
		} else {
			lists[i].Places, backing = backing[:0:e.size], backing[e.size:]
		}
	}
	for i, n := range list {
		if n >= 0 && !extents[n].whole() {
			lists[n].Places = append(lists[n].Places, places[i])
		}
	}
	return lists
}

// An extent says which of all places are some of them: the first, the last, and how many.
type extent struct{ first, last, size int }

// whole says that no other place lies between.
func (e extent) whole() bool { return e.last-e.first+1 == e.size }

// of returns the places where the extent is whole.
func (e extent) of(all []Place) []Place { return all[e.first : e.last+1 : e.last+1] }

// Judges says whether a request from outside that ends up at the place can be judged by the limits in effect there: not
// where each is answered or sent elsewhere before (see Answerer), not in an internal location, which takes no request from
// outside, and not at a server whose location / takes whatever no other one does.
func (p Place) Judges() bool {
	if p.known {
		return p.judges
	}
	if _, answered := p.Answerer(); answered {
		return false
	}
	if p.Location == nil {
		return !slices.ContainsFunc(p.Server.Locations, isRoot)
	}
	return !p.Location.Internal
}

// CatchesAll says whether a place takes whatever no other one takes: location / or a regex for everything; or the server
// itself, where it has a root of its own to serve and no such location.
func (p Place) CatchesAll() bool {
	if p.known {
		return p.catchesAll
	}
	if p.Kind != config.KindServer {
		return p.Kind == config.KindLocation && p.Location.Outer == nil && isRoot(p.Location)
	}
	if _, ok := p.Effective("root"); !ok {
		return false
	}
	return !slices.ContainsFunc(p.Server.Locations, isRoot)
}

func isRoot(l *config.Location) bool {
	switch l.Modifier {
	case "", "^~":
		return l.Pattern == "/"
	case "~", "~*":
		return matchesAll(l.Pattern)
	}
	return false
}

// matchesAll says whether a regex is one of the usual ways to match every URI.
func matchesAll(regex string) bool {
	switch regex {
	case "/", "^/", "^", "$", ".", ".*", ".+", "^.+$", "^.+", "(.+)", "^(.+)$", "(.*)", "^.*", "^.*$", "^/.*", "^/.*$", "/.*", "/(.*)", "^/(.*)$", "^/(.*)", "^(.*)$", "^(.*)", "^/?(.*)$":
		return true
	}
	return false
}

// LongestDelay is how many milliseconds the last request within a limit's burst waits; the limit's zone must be known.
func LongestDelay(l *config.LimitReq) int64 {
	if l.Zone.Rate <= 0 || l.Delay >= l.Burst {
		return 0
	}
	return min(l.Burst-l.Delay, math.MaxInt64/1000) * 1000 / l.Zone.Rate
}

// ClosedFor is how many milliseconds a bucket that stands at a level refuses everything to a limit with a smaller burst.
// Level and burst are in thousandths of a request, the rate in thousandths a second, and above 0.
func ClosedFor(level, burst, rate int64) int64 {
	drain := level - burst + 1000
	if drain <= 0 {
		return 0
	}
	return (min(drain, math.MaxInt64/2000)*1000 + rate - 1) / rate
}
