package cloudflare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

const keyed = `{"ref": "k", "expression": "true", "action": "block", "ratelimit": {"characteristics": ["cf.colo.id", "http.request.headers[\"x-key\"]"], "period": 10, "requests_per_period": 1, "mitigation_timeout": 0}}`

func keyedRequest(n int) *edge.Request {
	return &edge.Request{Host: "a.example", Target: "/", Client: request.Addr4(1), Headers: []request.Header{{Name: "X-Key", Value: fmt.Sprint(n)}}}
}

// TestBound has millions of keys come: counters of windows that are over are let go, decisions stay, and memory is bounded.
func TestBound(t *testing.T) {
	defer func(n int) { mostCombinations = n }(mostCombinations)
	mostCombinations = 1000
	for _, w := range Windows {
		l, err := New(read(t, ruleset(keyed), nil).Rulesets, Options{Window: w})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 200_000 {
			now := clock.Msec(n) * 50 // some 400 keys within two periods
			if d := l.Decide(now, keyedRequest(n)); d.Action.Stops() {
				t.Fatalf("%s: key %d is new, and stopped", w, n)
			}
			if d := l.Decide(now, keyedRequest(n)); !d.Action.Stops() {
				t.Fatalf("%s: key %d came twice, and passed", w, n)
			}
		}
		k := l.zones[0].rules[0].keys
		if len(k.ids) > mostCombinations || int(k.next) > mostCombinations || len(l.zones[0].rules[0].counters) > mostCombinations || k.lost > 0 {
			t.Errorf("%s: %d combinations, %d numbers, %d lost", w, len(k.ids), k.next, k.lost)
		}
	}
}

// TestForgets holds the memory of a layer to what comes within a window, whatever came before.
func TestForgets(t *testing.T) {
	for _, w := range Windows {
		l, err := New(read(t, ruleset(keyed), nil).Rulesets, Options{Window: w})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for n := range 100_000 {
			now := clock.Msec(n) * 50 // some 400 keys within two periods
			if d := l.Decide(now, keyedRequest(n)); d.Action.Stops() || d.Counter != 1 {
				t.Fatalf("%s: key %d is new: %+v", w, n, d)
			}
			most = max(most, len(l.zones[0].rules[0].keys.ids))
		}
		if rep := l.Report(); most > leastFull || len(l.zones[0].rules[0].counters) > leastFull || rep.Rules[0].Keys != 100_000 || len(rep.Rules[0].Why) > 0 {
			t.Errorf("%s: %d combinations at a time: %+v", w, most, rep.Rules[0])
		}
	}
}

// TestNoRoom says what was not counted where more combinations come at once than there is room for.
func TestNoRoom(t *testing.T) {
	defer func(n int) { mostCombinations = n }(mostCombinations)
	mostCombinations = 1000
	l, err := New(read(t, ruleset(keyed), nil).Rulesets, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5000 {
		l.Decide(0, keyedRequest(n))
	}
	if d := l.Decide(1, keyedRequest(0)); !d.Action.Stops() {
		t.Error("a key that is counted is let pass")
	}
	if said := strings.Join(l.Report().Said, "\n"); !strings.Contains(said, "4,000 times a request was not counted, as 1,000 combinations") {
		t.Error(said)
	}
	if d := l.Decide(100_000, keyedRequest(9999)); d.Rule != "k" || d.Counter != 1 {
		for n := range 200 { // until it is looked for room again
			d = l.Decide(100_000, keyedRequest(10_000+n))
		}
		if d.Counter != 1 {
			t.Errorf("there is no room when the windows are over: %+v", d)
		}
	}
}
