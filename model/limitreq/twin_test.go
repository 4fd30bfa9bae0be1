package limitreq

import (
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

// A plainZone is a zone as one would tell it: a list of keys, the most recently used last, with numbers of any size. It
// holds as many keys as its capacity says, so all keys have to lie in one slot size.
type plainZone struct {
	rate  int64
	holds int
	keys  []plainKey
}

type plainKey struct {
	text   string
	excess *big.Int
	last   int64
}

// after is the excess of one more request, and the time that has passed as nginx takes it.
func (k *plainKey) after(now, rate int64) (*big.Int, int64) {
	passed := now - k.last
	if passed < -60000 {
		passed = 1
	}
	passed = max(passed, 0)
	e := new(big.Int).Mul(big.NewInt(rate), big.NewInt(passed))
	e.Quo(e, big.NewInt(1000))
	e.Sub(k.excess, e)
	e.Add(e, big.NewInt(1000))
	if e.Sign() < 0 {
		e.SetInt64(0)
	}
	return e, passed
}

func (k *plainKey) charge(now, rate int64) *big.Int {
	e, passed := k.after(now, rate)
	k.excess = e
	if passed != 0 {
		k.last = now
	}
	return e
}

// use brings a key to the end of the list and reports whether it was there.
func (z *plainZone) use(text string) bool {
	i := slices.IndexFunc(z.keys, func(k plainKey) bool { return k.text == text })
	if i < 0 {
		return false
	}
	k := z.keys[i]
	z.keys = append(slices.Delete(z.keys, i, i+1), k)
	return true
}

func (z *plainZone) newest() *plainKey { return &z.keys[len(z.keys)-1] }

// dropIdle drops up to two of the least recently used, each only if it is idle and owes nothing.
func (z *plainZone) dropIdle(now int64) {
	for range 2 {
		if len(z.keys) == 0 {
			return
		}
		idle := now - z.keys[0].last
		if idle < 0 {
			idle = -idle
		}
		drained := new(big.Int).Mul(big.NewInt(z.rate), big.NewInt(idle))
		drained.Quo(drained, big.NewInt(1000))
		if idle < 60000 || z.keys[0].excess.Cmp(drained) > 0 {
			return
		}
		z.keys = slices.Delete(z.keys, 0, 1)
	}
}

func (z *plainZone) admit(text string, now int64) {
	z.dropIdle(now)
	if len(z.keys) == z.holds {
		z.keys = slices.Delete(z.keys, 0, 1)
		z.dropIdle(now)
	}
	z.keys = append(z.keys, plainKey{text: text, excess: new(big.Int)})
}

type plainLimit struct {
	zone         *plainZone
	key          string
	burst, delay int64
}

// decidePlainly follows the account of the arithmetic sentence by sentence.
func decidePlainly(now int64, limits []plainLimit, dryRun bool) Decision {
	asked := 0
	lastExcess := new(big.Int)
	for i, l := range limits {
		if l.key == "" {
			continue
		}
		asked++
		known := l.zone.use(l.key)
		if !known {
			l.zone.admit(l.key, now)
			if i == len(limits)-1 {
				l.zone.newest().last = now
			}
			continue
		}
		e, _ := l.zone.newest().after(now, l.zone.rate)
		if e.Cmp(big.NewInt(l.burst)) > 0 {
			v := Rejected
			if dryRun {
				v = RejectedDryRun
			}
			return Decision{Verdict: v, Zone: i, Excess: e.Int64()}
		}
		if i == len(limits)-1 {
			lastExcess = l.zone.newest().charge(now, l.zone.rate)
		}
	}
	if asked == 0 {
		return Decision{Verdict: None, Zone: -1}
	}
	d := Decision{Verdict: Passed, Zone: -1}
	for i := len(limits) - 1; i >= 0; i-- {
		l := limits[i]
		if l.key == "" {
			continue
		}
		e := lastExcess
		if i < len(limits)-1 {
			e = l.zone.newest().charge(now, l.zone.rate)
		}
		wait := new(big.Int).Sub(e, big.NewInt(l.delay))
		wait.Mul(wait, big.NewInt(1000))
		wait.Quo(wait, big.NewInt(l.zone.rate))
		if wait.Sign() > 0 && wait.Int64() > int64(d.Wait) {
			d = Decision{Verdict: Delayed, Zone: i, Excess: e.Int64(), Wait: clock.Msec(wait.Int64())}
		}
	}
	if dryRun && d.Verdict == Delayed {
		d.Verdict, d.Wait, d.DryWait = DelayedDryRun, 0, d.Wait
	}
	return d
}

// TestTwin compares every decision on random traffic through one to three zones that fill up, with a clock that jumps
// and goes back. Often the model is told where the key was when it was last there, which may be long ago.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "zones")
		model, plain := make([]Limit, n), make([]plainLimit, n)
		for i := range n {
			rate := rapid.OneOf(rapid.Int64Range(1, 3000), rapid.Int64Range(1, 50_000_000)).Draw(t, "rate")
			z, err := NewZone("z", rate, 32<<10)
			if err != nil {
				t.Fatal(err)
			}
			// Long keys make the zone small: 10 fit.
			p := &plainZone{rate: rate, holds: Capacity(32<<10, 1, 1000)}
			burst := rapid.Int64Range(0, 8).Draw(t, "burst") * 1000
			delay := rapid.SampledFrom([]int64{0, 0, 1000, 3000, NoDelay}).Draw(t, "delay")
			model[i] = Limit{Zone: z, Burst: burst, Delay: delay}
			plain[i] = plainLimit{zone: p, burst: burst, delay: delay}
		}
		pad := string(make([]byte, 999))
		seen := make([]map[string]Ref, n)
		for i := range seen {
			seen[i] = map[string]Ref{}
		}
		now := int64(clock.Up)
		if rapid.IntRange(0, 3).Draw(t, "young") == 0 {
			now = rapid.Int64Range(0, 100_000).Draw(t, "up")
		}
		for step := range rapid.IntRange(1, 200).Draw(t, "requests") {
			now += rapid.OneOf(
				rapid.Int64Range(0, 3), rapid.Int64Range(0, 1500), rapid.Int64Range(-70_000, 70_000),
			).Draw(t, "passed")
			now = max(now, 0)
			for i := range model {
				key := ""
				if k := rapid.IntRange(-1, 13).Draw(t, "key"); k >= 0 {
					key = pad + string(rune('a'+k))
				}
				model[i].Key, plain[i].key = key, key
				model[i].At = Ref{}
				if rapid.Bool().Draw(t, "resolved") {
					model[i].At = seen[i][key]
				}
			}
			dryRun := rapid.IntRange(0, 4).Draw(t, "dry") == 0
			got, want := Decide(clock.Msec(now), model, dryRun), decidePlainly(now, plain, dryRun)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("request %d at %d (-plain +model):\n%s", step, now, diff)
			}
			for i := range model {
				if model[i].Resolve(); model[i].At != (Ref{}) {
					seen[i][model[i].Key] = model[i].At
				}
				if model[i].Zone.Len() != len(plain[i].zone.keys) {
					t.Fatalf("zone %d: %d keys, plainly %d", i, model[i].Zone.Len(), len(plain[i].zone.keys))
				}
			}
		}
	})
}

// A rejected request leaves every account as it was.
func TestRejectedIsNotCharged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z, err := NewZone("z", rapid.Int64Range(1, 5000).Draw(t, "rate"), 32<<10)
		if err != nil {
			t.Fatal(err)
		}
		now := clock.Up
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += clock.Msec(rapid.Int64Range(0, 800).Draw(t, "passed"))
			before, _ := z.State("u")
			d := Decide(now, []Limit{{Zone: z, Key: "u", Burst: 2000, Delay: NoDelay}}, false)
			after, _ := z.State("u")
			if d.Verdict == Rejected && before != after {
				t.Fatalf("rejected, and %+v became %+v", before, after)
			}
			if after.Excess > 2000 {
				t.Fatalf("excess %d above the burst is kept", after.Excess)
			}
		}
	})
}
