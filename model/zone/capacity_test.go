package zone_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/zone"
)

// A capacity is one case measured on nginx: how many new keys a zone took before it dropped one.
type capacity struct {
	Size     string          `json:"size"`
	KeyBytes json.RawMessage `json:"key_bytes"` // a number, or "7 to 15"
	Name     int             `json:"zone_name_bytes"`
	Measured int             `json:"measured"` // of limit_req
	Held     int             `json:"held"`     // of limit_conn
}

func TestCapacityMeasured(t *testing.T) {
	data, err := os.ReadFile(nginxtest.Shared(t, "oracle", "vectors", "capacity.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]capacity
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for module, of := range map[string]func(int64, int, int) int{
		"limit_req": limitreq.Capacity, "limit_conn": limitconn.Capacity,
	} {
		if len(all[module]) == 0 {
			t.Errorf("no cases of %s", module)
		}
		for _, c := range all[module] {
			for _, keyLen := range ends(t, c.KeyBytes) {
				n++
				if got := of(bytes(t, c.Size), c.Name, keyLen); got != c.Measured+c.Held {
					t.Errorf("%s of %s, keys of %d, name of %d: %d keys, nginx %d", module, c.Size, keyLen, c.Name, got, c.Measured+c.Held)
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

func ends(t *testing.T, keyBytes json.RawMessage) []int {
	t.Helper()
	var n int
	if json.Unmarshal(keyBytes, &n) == nil {
		return []int{n}
	}
	var span string
	if err := json.Unmarshal(keyBytes, &span); err != nil {
		t.Fatal(err)
	}
	from, to, ok := strings.Cut(span, " to ")
	low, err1 := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil {
		t.Fatalf("key_bytes %q", span)
	}
	return []int{low, high}
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
