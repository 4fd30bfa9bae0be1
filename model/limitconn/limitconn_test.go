package limitconn

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newZone(t testing.TB, name string, size int64) *Zone {
	t.Helper()
	z, err := NewZone(name, size)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestLimitReached(t *testing.T) {
	z := newZone(t, "c", 32<<10)
	limits := []Limit{{Zone: z, Key: "u", Max: 2}}
	_, first := Start(limits, false)
	_, second := Start(limits, false)
	if d, _ := Start(limits, false); d.Verdict != Rejected || d.Zone != 0 || d.Full {
		t.Errorf("third at once: %+v", d)
	}
	first.Finish()
	first.Finish()
	if z.Count("u") != 1 {
		t.Errorf("%d counted after one of two has finished, twice told", z.Count("u"))
	}
	if d, _ := Start(limits, false); d.Verdict != Passed || !slices.Equal(d.Counts, []int64{2}) {
		t.Errorf("after one has finished: %+v", d)
	}
	second.Finish()
}

func TestKeyGoesWithItsLastRequest(t *testing.T) {
	z := newZone(t, "c", 32<<10)
	_, hold := Start([]Limit{{Zone: z, Key: "u", Max: 1}}, false)
	if z.Len() != 1 || z.Name() != "c" {
		t.Errorf("%d keys in %s", z.Len(), z.Name())
	}
	hold.Finish()
	if z.Len() != 0 || z.Count("u") != 0 {
		t.Errorf("%d keys", z.Len())
	}
}

func TestLaterRejectionTakesBackEarlierCounts(t *testing.T) {
	a, b := newZone(t, "a", 32<<10), newZone(t, "b", 32<<10)
	Start([]Limit{{Zone: b, Key: "s", Max: 1}}, false)
	for _, dryRun := range []bool{false, true} {
		d, hold := Start([]Limit{{Zone: a, Key: "u", Max: 9}, {Zone: b, Key: "s", Max: 1}}, dryRun)
		want := Rejected
		if dryRun {
			want = RejectedDryRun
		}
		if d.Verdict != want || d.Zone != 1 || a.Len() != 0 || b.Count("s") != 1 {
			t.Errorf("%+v; %d in a, %d in b", d, a.Len(), b.Count("s"))
		}
		hold.Finish()
		if b.Count("s") != 1 {
			t.Error("a rejected request gave back what was not its own")
		}
	}
}

func TestSkippedKeys(t *testing.T) {
	z := newZone(t, "c", 32<<10)
	for key, want := range map[string]Verdict{
		"": None, strings.Repeat("k", MaxKey): Passed, strings.Repeat("k", MaxKey+1): None,
	} {
		if d, _ := Start([]Limit{{Zone: z, Key: key, Max: 1}}, false); d.Verdict != want || d.Zone != -1 {
			t.Errorf("key of %d bytes: %+v", len(key), d)
		}
	}
}

func TestFullZoneRefusesAndDropsNothing(t *testing.T) {
	z := newZone(t, "c", 32<<10)
	for i := range Capacity(32<<10, 1, 4) {
		if d, _ := Start([]Limit{{Zone: z, Key: strconv.Itoa(1000 + i), Max: 1}}, false); d.Verdict != Passed {
			t.Fatalf("key %d: %+v", i, d)
		}
	}
	if d, _ := Start([]Limit{{Zone: z, Key: "more", Max: 1}}, false); d.Verdict != Rejected || !d.Full || z.Len() != 383 {
		t.Errorf("%+v, %d keys", d, z.Len())
	}
}

func TestNewZoneRefuses(t *testing.T) {
	if _, err := NewZone("c", 32<<10-1); err == nil || !strings.HasPrefix(err.Error(), `zone "c"`) {
		t.Errorf("error %v", err)
	}
}

// What is counted is always what is in flight, and nothing is left when all have finished.
func TestCountsAreWhatIsInFlight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zones := make([]*Zone, 2)
		for i := range zones {
			z, err := NewZone("z", 32<<10)
			if err != nil {
				t.Fatal(err)
			}
			zones[i] = z
		}
		counts := []map[string]int64{{}, {}}
		type flight struct {
			keys []string
			hold *Hold
		}
		var flights []flight
		land := func(i int) {
			flights[i].hold.Finish()
			for z, k := range flights[i].keys {
				counts[z][k]--
			}
			flights = slices.Delete(flights, i, i+1)
		}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if len(flights) > 0 && rapid.Bool().Draw(t, "land") {
				land(rapid.IntRange(0, len(flights)-1).Draw(t, "which"))
				continue
			}
			keys := []string{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "k"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "k")}
			limits := []Limit{{zones[0], keys[0], 3}, {zones[1], keys[1], 2}}
			full := slices.IndexFunc([]bool{counts[0][keys[0]] >= 3, counts[1][keys[1]] >= 2}, func(b bool) bool { return b })
			d, hold := Start(limits, false)
			if d.Zone != full || (d.Verdict == Rejected) != (full >= 0) {
				t.Fatalf("%+v with %v", d, counts)
			}
			if full < 0 {
				flights = append(flights, flight{keys, hold})
				counts[0][keys[0]]++
				counts[1][keys[1]]++
			}
			for z := range zones {
				for k, n := range counts[z] {
					if got := zones[z].Count(k); got != n {
						t.Fatalf("%s: %d counted, %d in flight", k, got, n)
					}
				}
			}
		}
		for len(flights) > 0 {
			land(0)
		}
		if zones[0].Len()+zones[1].Len() != 0 {
			t.Fatal("keys are left")
		}
	})
}
