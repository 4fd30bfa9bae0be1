package limitreq

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

// Each fact is one sentence about limit_req, played on zones of 1r/s to 100r/s. The requests run in one line each:
// "time keys -> outcome", where keys are one for each limit ("-" is an empty one), and an outcome is the verdict in short
// with excess and zone as nginx would log them.
type fact struct {
	sentence string
	rates    []int64 // thousandths; one zone each, named a, b, c
	limits   []Limit // their zones are set by order
	dryRun   bool
	up       clock.Msec // 0: clock.Up
	requests string
}

var facts = []fact{
	{
		sentence: "a key not in the zone is within any burst",
		rates:    []int64{1000}, limits: []Limit{{}},
		requests: "0 u -> pass",
	},
	{
		sentence: "six at 2r/s with burst 4: one at once, four each 500 ms later, one refused",
		rates:    []int64{2000}, limits: []Limit{{Burst: 4000}},
		requests: `0 u -> pass
			2 u -> delay 0.996 a 498
			4 u -> delay 1.992 a 996
			6 u -> delay 2.988 a 1494
			8 u -> delay 3.984 a 1992
			10 u -> reject 4.980 a`,
	},
	{
		sentence: "without burst a request before the interval is refused, and one at its end is not",
		rates:    []int64{5000}, limits: []Limit{{}},
		requests: `0 u -> pass
			199 u -> reject 0.005 a
			200 u -> pass`,
	},
	{
		sentence: "an excess that equals the burst is not over it",
		rates:    []int64{1000}, limits: []Limit{{Burst: 1000, Delay: NoDelay}},
		requests: `0 u -> pass
			0 u -> pass
			0 u -> reject 2.000 a`,
	},
	{
		sentence: "10r/m is 166 thousandths: asked every 6000 ms it is over by 0.004",
		rates:    []int64{166}, limits: []Limit{{}},
		requests: `0 u -> pass
			6000 u -> reject 0.004 a
			6024 u -> reject 0.001 a
			6025 u -> pass`,
	},
	{
		sentence: "1r/m is one for each 62.5 s",
		rates:    []int64{16}, limits: []Limit{{}},
		requests: `0 u -> pass
			60000 u -> reject 0.040 a
			62499 u -> reject 0.001 a
			62500 u -> pass`,
	},
	{
		sentence: "a rejected request changes neither excess nor time",
		rates:    []int64{1000}, limits: []Limit{{}},
		requests: `0 u -> pass
			500 u -> reject 0.500 a
			999 u -> reject 0.001 a
			1000 u -> pass`,
	},
	{
		sentence: "the refill is cut at every charge: 10r/m charged every 5 ms refills nothing",
		rates:    []int64{166}, limits: []Limit{{Burst: 3000, Delay: NoDelay}},
		requests: `0 u -> pass
			5 u -> pass
			10 u -> pass
			15 u -> pass
			20 u -> reject 4.000 a`,
	},
	{
		sentence: "a delay lets that many pass at once, and the others wait for what is over it",
		rates:    []int64{10_000}, limits: []Limit{{Burst: 5000, Delay: 1000}},
		requests: `0 u -> pass
			0 u -> pass
			0 u -> delay 2.000 a 100
			0 u -> delay 3.000 a 200`,
	},
	{
		sentence: "a wait that comes to 0 ms is none",
		rates:    []int64{1_001_000}, limits: []Limit{{Burst: 5000}},
		requests: `0 u -> pass
			0 u -> pass
			0 u -> delay 2.000 a 1`,
	},
	{
		sentence: "time within the same millisecond does not move the time of the account",
		rates:    []int64{1000}, limits: []Limit{{Burst: 9000, Delay: NoDelay}},
		requests: `0 u -> pass
			0 u -> pass
			500 u -> pass
			1000 u -> pass`,
	},
	{
		sentence: "a clock gone back by a minute at most stands still, and further back it goes on by 1 ms",
		rates:    []int64{1000}, limits: []Limit{{Burst: 1000}},
		requests: `90000 u -> pass
			30000 u -> delay 1.000 a 1000
			30000 u -> reject 2.000 a
			29999 u -> reject 1.999 a`,
	},
	{
		sentence: "an empty key and one above 65535 bytes are skipped",
		rates:    []int64{1000}, limits: []Limit{{}},
		requests: `0 - -> none
			0 LONG -> none
			0 MAX -> pass
			0 MAX -> reject 1.000 a`,
	},
	{
		sentence: "the first limit over its burst rejects, no later one is asked, and nobody is charged",
		rates:    []int64{1000, 1000}, limits: []Limit{{}, {}},
		requests: `0 u v -> pass
			0 w v -> reject 1.000 b
			0 u x -> reject 1.000 a
			1000 u v -> pass`,
	},
	{
		sentence: "the longest wait counts, and its zone is named",
		rates:    []int64{10_000, 1000, 10_000}, limits: []Limit{{Burst: 9000}, {Burst: 9000}, {Burst: 9000}},
		requests: `0 u u u -> pass
			0 u u u -> delay 1.000 b 1000`,
	},
	{
		sentence: "of equal waits the zone written last is named",
		rates:    []int64{1000, 1000}, limits: []Limit{{Burst: 9000}, {Burst: 9000}},
		requests: `0 u u -> pass
			0 u u -> delay 1.000 b 1000`,
	},
	{
		sentence: "if the last limit's key is empty the others decide alone, charged all the same",
		rates:    []int64{1000, 1000}, limits: []Limit{{Burst: 1000}, {}},
		requests: `0 u - -> pass
			0 u - -> delay 1.000 a 1000
			0 u - -> reject 2.000 a
			0 - u -> pass
			0 - u -> reject 1.000 b`,
	},
	{
		sentence: "a key new to a zone that is not the last is charged from clock 0 on",
		rates:    []int64{16, 10_000}, limits: []Limit{{Burst: 1000}, {Burst: 5000}}, up: 30_000,
		requests: `0 u u -> delay 0.520 a 32500
			0 u u -> reject 1.520 a
			32500 w w -> pass`,
	},
	{
		sentence: "a dry run notes the verdict and charges as in earnest",
		rates:    []int64{1000}, limits: []Limit{{Burst: 1000}}, dryRun: true,
		requests: `0 u -> pass
			0 u -> dry-delay 1.000 a 1000
			0 u -> dry-reject 2.000 a
			0 u -> dry-reject 2.000 a`,
	},
}

func TestFacts(t *testing.T) {
	for _, f := range facts {
		t.Run(strings.ReplaceAll(f.sentence, " ", "_"), func(t *testing.T) { f.play(t) })
	}
}

func (f *fact) play(t *testing.T) {
	limits := append([]Limit(nil), f.limits...)
	for i, rate := range f.rates {
		z, err := NewZone(string(rune('a'+i)), rate, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		limits[i].Zone = z
	}
	start := f.up
	if start == 0 {
		start = clock.Up
	}
	for line := range strings.Lines(f.requests) {
		line = strings.TrimSpace(line)
		request, want, ok := strings.Cut(line, " -> ")
		words := strings.Fields(request)
		var now int64
		if _, err := fmt.Sscan(words[0], &now); err != nil || !ok || len(words) != 1+len(limits) {
			t.Fatalf("line %q: %v", line, err)
		}
		for i := range limits {
			switch limits[i].Key = words[1+i]; words[1+i] {
			case "-":
				limits[i].Key = ""
			case "MAX":
				limits[i].Key = strings.Repeat("k", MaxKey)
			case "LONG":
				limits[i].Key = strings.Repeat("k", MaxKey+1)
			}
		}
		if got := inWords(Decide(start+clock.Msec(now), limits, f.dryRun), limits); got != want {
			t.Errorf("%s: got %s", line, got)
		}
	}
}

func inWords(d Decision, limits []Limit) string {
	words := map[Verdict]string{
		None: "none", Passed: "pass", Delayed: "delay", Rejected: "reject",
		DelayedDryRun: "dry-delay", RejectedDryRun: "dry-reject",
	}[d.Verdict]
	if d.Zone >= 0 {
		words += fmt.Sprintf(" %d.%03d %s", d.Excess/1000, d.Excess%1000, limits[d.Zone].Zone.Name())
	}
	if wait := d.Wait + d.DryWait; wait > 0 {
		words += fmt.Sprintf(" %d", wait)
	}
	return words
}

// A zone asked before the one that rejects keeps what it had, and a key new to it stays there as of clock 0.
func TestNewKeyStaysUncharged(t *testing.T) {
	a, b := newZone(t, 1000), newZone(t, 1000)
	limits := []Limit{{Zone: a, Key: "new"}, {Zone: b, Key: "u"}}
	Decide(clock.Up, limits[1:], false)
	d, log := DecideLogged(clock.Up, limits, false, nil)
	if d.Verdict != Rejected || d.Zone != 1 {
		t.Errorf("%+v", d)
	}
	if diff := cmp.Diff([]Lookup{{0, Within, 0}, {1, Over, 1000}}, log); diff != "" {
		t.Error(diff)
	}
	if s, ok := a.State("new"); !ok || s != (State{}) {
		t.Errorf("state %+v, %v", s, ok)
	}
}

func newZone(t testing.TB, rate int64) *Zone {
	t.Helper()
	z, err := NewZone("z", rate, 32<<10)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// fill puts n keys into a zone.
func fill(z *Zone, now clock.Msec, n int) {
	for i := range n {
		Decide(now, []Limit{{Zone: z, Key: fmt.Sprint("k", i)}}, false)
	}
}

func TestFullZoneForgetsTheLeastRecentlyUsed(t *testing.T) {
	z := newZone(t, 1)
	fill(z, clock.Up, 191)
	// A rejection counts as use, so k0 stays and k1 goes.
	if d := Decide(clock.Up, []Limit{{Zone: z, Key: "k0"}}, false); d.Verdict != Rejected {
		t.Errorf("%+v", d)
	}
	if d := Decide(clock.Up, []Limit{{Zone: z, Key: "new"}}, false); d.Verdict != Passed {
		t.Errorf("%+v", d)
	}
	_, k0 := z.State("k0")
	_, k1 := z.State("k1")
	_, k2 := z.State("k2")
	if !k0 || k1 || !k2 || z.Len() != 191 {
		t.Errorf("k0 %v, k1 %v, k2 %v, %d keys", k0, k1, k2, z.Len())
	}
}

func TestIdleKeysGoAfterAMinuteTwoAtATime(t *testing.T) {
	for _, tt := range []struct {
		idle clock.Msec
		want int
	}{{59_999, 11}, {60_000, 9}} {
		z := newZone(t, 1000)
		fill(z, clock.Up, 10)
		Decide(clock.Up+tt.idle, []Limit{{Zone: z, Key: "k9"}}, false) // a known key drops nobody
		if z.Len() != 10 {
			t.Errorf("%d keys after a known one", z.Len())
		}
		Decide(clock.Up+tt.idle, []Limit{{Zone: z, Key: "new"}}, false)
		if z.Len() != tt.want {
			t.Errorf("idle for %d ms: %d keys, want %d", tt.idle, z.Len(), tt.want)
		}
	}
}

func TestIdleKeyThatOwesStays(t *testing.T) {
	z := newZone(t, 16)
	limits := []Limit{{Zone: z, Key: "debtor", Burst: 2000, Delay: NoDelay}}
	Decide(clock.Up, limits, false)
	Decide(clock.Up, limits, false)
	fill(z, clock.Up, 3)
	Decide(clock.Up+62_499, []Limit{{Zone: z, Key: "new"}}, false)
	if z.Len() != 5 {
		t.Errorf("%d keys while the oldest owes", z.Len())
	}
	Decide(clock.Up+62_500, []Limit{{Zone: z, Key: "newer"}}, false)
	if z.Len() != 4 {
		t.Errorf("%d keys when the oldest owes nothing", z.Len())
	}
}

// Where keys of another slot size hold all pages a new key finds no room, is refused, and has dropped a key in vain.
func TestNoRoom(t *testing.T) {
	z := newZone(t, 1000)
	fill(z, clock.Up, 191)
	for _, dryRun := range []bool{false, true} {
		before := z.Len()
		d, log := DecideLogged(clock.Up, []Limit{{Zone: z, Key: strings.Repeat("x", 49)}}, dryRun, nil)
		want := Decision{Verdict: Rejected, Full: true}
		if dryRun {
			want.Verdict = RejectedDryRun
		}
		if diff := cmp.Diff(want, d); diff != "" || z.Len() != before-1 {
			t.Errorf("%d keys left of %d: %s", z.Len(), before, diff)
		}
		if diff := cmp.Diff([]Lookup{{0, NoRoom, 0}}, log); diff != "" {
			t.Error(diff)
		}
	}
}

// A key that not even an empty zone has room for drops all others, try by try.
func TestNoRoomInAnEmptyZone(t *testing.T) {
	z := newZone(t, 1000)
	fill(z, clock.Up, 2)
	for range 4 {
		if d := Decide(clock.Up, []Limit{{Zone: z, Key: strings.Repeat("x", 60_000)}}, false); !d.Full {
			t.Errorf("%+v", d)
		}
	}
	if z.Len() != 0 {
		t.Errorf("%d keys", z.Len())
	}
}

func TestNewZoneRefuses(t *testing.T) {
	for _, tt := range []struct{ rate, size int64 }{{0, 1 << 20}, {-5, 1 << 20}, {1000, 32<<10 - 1}, {1000, 1 << 50}} {
		if _, err := NewZone("z", tt.rate, tt.size); err == nil || !strings.HasPrefix(err.Error(), `zone "z"`) {
			t.Errorf("rate %d, size %d: %v", tt.rate, tt.size, err)
		}
	}
}

// More limits than usual, and none, are decided alike.
func TestManyLimits(t *testing.T) {
	if d := Decide(0, nil, false); d.Verdict != None || d.Zone != -1 {
		t.Errorf("%+v", d)
	}
	var limits []Limit
	for range 20 {
		limits = append(limits, Limit{Zone: newZone(t, 1000), Key: "u", Burst: 1000})
	}
	Decide(clock.Up, limits, false)
	if d := Decide(clock.Up, limits, false); d.Verdict != Delayed || d.Zone != 19 || d.Wait != 1000 {
		t.Errorf("%+v", d)
	}
	if d := Decide(clock.Up, limits, false); d.Verdict != Rejected || d.Zone != 0 {
		t.Errorf("%+v", d)
	}
}
