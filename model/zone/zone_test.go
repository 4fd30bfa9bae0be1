package zone

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

var testLayout = Layout{Own: 80, Text: 22, Entry: 80}

// TestZoneTwin compares a zone with a list of keys, oldest first.
func TestZoneTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z, err := New[int](testLayout, MinSize, "z")
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		states := map[string]int{}
		keys := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(0, 250).Draw(t, "key")
			return strconv.Itoa(n*n*n) + "suffix"[:n%7] // of 1 to 14 bytes
		})
		for i := range rapid.IntRange(0, 1500).Draw(t, "steps") {
			key := keys.Draw(t, "k")
			at := slices.Index(list, key)
			r := z.Find(key)
			if (r != None) != (at >= 0) {
				t.Fatalf("key %q is ref %d, at %d of the list", key, r, at)
			}
			switch {
			case r == None:
				_, ok := z.Add(key)
				if ok != (len(list) < testLayout.Capacity(MinSize, 1, len(key))) {
					t.Fatalf("add to %d keys: %v", len(list), ok)
				}
				if !ok {
					z.Remove(z.Oldest())
					delete(states, list[0])
					list = list[1:]
					continue
				}
				*z.At(z.Find(key)) = i
				list = append(list, key)
				states[key] = i
			case rapid.IntRange(0, 4).Draw(t, "op") == 0:
				z.Remove(r)
				list = slices.Delete(list, at, at+1)
				delete(states, key)
			default:
				if z.Key(r) != key || *z.At(r) != states[key] {
					t.Fatalf("key %q has state %d under %q, want %d", key, *z.At(r), z.Key(r), states[key])
				}
				z.Use(r)
				list = append(slices.Delete(list, at, at+1), key)
			}
			oldest := z.Oldest()
			if z.Len() != len(list) || (oldest == None) != (len(list) == 0) || oldest != None && z.Key(oldest) != list[0] {
				t.Fatalf("%d keys of %d, oldest ref %d", z.Len(), len(list), oldest)
			}
		}
	})
}

// A Ref is good from Add to Remove, and not for what comes into its slot afterwards.
func TestRefs(t *testing.T) {
	z, err := New[int](testLayout, MinSize, "z")
	if err != nil {
		t.Fatal(err)
	}
	if z.Holds(None) {
		t.Error("an empty zone holds None")
	}
	a, _ := z.Add("a")
	b, _ := z.Add("b")
	z.Remove(a)
	if z.Holds(a) || !z.Holds(b) || z.Holds(None) {
		t.Errorf("a was removed, b is there: %v, %v; None: %v", z.Holds(a), z.Holds(b), z.Holds(None))
	}
	c, _ := z.Add("c")
	if c.slot != a.slot {
		t.Fatalf("slot %d of a key that is gone is not used again, but %d", a.slot, c.slot)
	}
	if z.Holds(a) || !z.Holds(c) || z.Find("c") != c || z.Oldest() != b {
		t.Errorf("a %v, c %v at %v; %v is the oldest", z.Holds(a), z.Holds(c), z.Find("c"), z.Oldest())
	}
	z.Reset()
	d, ok := z.Add("d")
	if !ok || z.Len() != 1 || z.Find("b") != None || z.Holds(b) || z.Holds(a) || !z.Holds(d) || z.Oldest() != d {
		t.Errorf("a zone as new with d holds %d keys, b is there: %v, d: %v", z.Len(), z.Holds(b), z.Holds(d))
	}
}

// The memory of the order is bounded by the most entries there ever were, however they come, go and are used.
func TestOrderIsBounded(t *testing.T) {
	z, err := New[int](testLayout, MinSize, "z")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		if z.Len() == 2 {
			z.Remove(z.Find(strconv.Itoa(i - 1 - i%2)))
		}
		r, ok := z.Add(strconv.Itoa(i))
		if !ok {
			t.Fatal("no room")
		}
		z.Use(r)
	}
	if n := len(z.order.heap); n > 2 {
		t.Errorf("%d uses kept for 2 slots", n)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, size := range []int64{-1, 0, MinSize - 1, MaxSize + 1} {
		if _, err := New[int](testLayout, size, "z"); err == nil {
			t.Errorf("size %d is taken", size)
		}
	}
}
