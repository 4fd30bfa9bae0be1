package zone_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/zone"
)

func TestCapacityMeasured(t *testing.T) {
	all := measured.ReadCapacity(t, measured.Path(t, "vectors", "capacity.json"))
	n := 0
	for module, of := range map[string]func(int64, int, int) int{
		"limit_req": limitreq.Capacity, "limit_conn": limitconn.Capacity,
	} {
		if len(all[module]) == 0 {
			t.Errorf("no cases of %s", module)
		}
		for i := range all[module] {
			c := &all[module][i]
			shortest, longest := c.KeyLengths(t)
			for _, keyLen := range []int{shortest, longest} {
				n++
				if got := of(bytes(t, c.Size), c.NameBytes, keyLen); got != c.Holds() {
					t.Errorf("%s of %s, keys of %d, name of %d: %d keys, nginx %d", module, c.Size, keyLen, c.NameBytes, got, c.Holds())
				}
			}
		}
	}
	t.Logf("%d cases", n)
}

// TestCapacityTable holds what is known of the usual zones where the measurements are not at hand.
func TestCapacityTable(t *testing.T) {
	const k, m = 1 << 10, 1 << 20
	for _, tt := range []struct {
		of        func(int64, int, int) int
		size      int64
		name, key int
		want      int
	}{
		{limitreq.Capacity, 32 * k, 1, 4, 191},
		{limitreq.Capacity, 32 * k, 43, 4, 222},
		{limitreq.Capacity, 1 * m, 1, 4, 8095},
		{limitreq.Capacity, 1 * m, 1, 16, 8095},
		{limitreq.Capacity, 1 * m, 1, 48, 8095},
		{limitreq.Capacity, 1 * m, 1, 49, 4032},
		{limitreq.Capacity, 1 * m, 1, 1968, 504},
		{limitreq.Capacity, 1 * m, 1, 1969, 252},
		{limitreq.Capacity, 10 * m, 1, 16, 81375},
		{limitreq.Capacity, 10 * m, 1, 177, 20336},
		{limitconn.Capacity, 32 * k, 1, 4, 383},
		{limitconn.Capacity, 1 * m, 1, 4, 16191},
		{limitreq.Capacity, 32*k - 1, 1, 4, 0},
		{limitreq.Capacity, zone.MaxSize + 1, 1, 4, 0},
		{limitreq.Capacity, 1 * m, 1, -1, 0},
		{limitreq.Capacity, 32 * k, 40_000, 4, 0},
	} {
		if got := tt.of(tt.size, tt.name, tt.key); got != tt.want {
			t.Errorf("size %d, name of %d, key of %d: %d keys, want %d", tt.size, tt.name, tt.key, got, tt.want)
		}
	}
}

// A zone really takes as many keys as its capacity says, and not one more.
func TestCapacityIsWhatFits(t *testing.T) {
	layout := zone.Layout{Own: 80, Text: 22, Entry: 80}
	for _, keyLen := range []int{3, 48, 49, 300, 1000, 1968, 1969, 5000} {
		for _, name := range []int{1, 10, 11, 42, 43, 107, 300} {
			z, err := zone.New[int](layout, 100_000, strings.Repeat("n", name))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for {
				key := strconv.Itoa(n)
				if _, ok := z.Add(key + strings.Repeat("-", keyLen-len(key))); !ok {
					break
				}
				n++
			}
			if want := layout.Capacity(100_000, name, keyLen); n != want {
				t.Errorf("keys of %d, name of %d: %d fit, capacity %d", keyLen, name, n, want)
			}
		}
	}
}

func bytes(t *testing.T, size string) int64 {
	t.Helper()
	unit := map[byte]int64{'k': 1 << 10, 'm': 1 << 20}[size[len(size)-1]]
	digits := size[:len(size)-1]
	if unit == 0 {
		unit, digits = 1, size
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n * unit
}
