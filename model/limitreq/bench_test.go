package limitreq

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

const benchKeys = 100_000

// benchOrder returns keys as $binary_remote_addr gives them, each of them once, in an order without a pattern.
func benchOrder() []string {
	keys := make([]string, benchKeys)
	for i := range keys {
		keys[i] = string(binary.BigEndian.AppendUint32(nil, 0x0a000000+uint32(i)))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// A benchRequest is a key, and where one or two zones keep it.
type benchRequest struct {
	key string
	at  [2]Ref
}

// BenchmarkDecide has 100,000 keys in play. "Resolved" means that a caller knows where their accounts are; otherwise
// each is looked up.
func BenchmarkDecide(b *testing.B) {
	for _, bench := range []struct {
		name     string
		zones    int
		resolved bool
	}{{"resolved/one", 1, true}, {"resolved/two", 2, true}, {"one", 1, false}, {"two", 2, false}} {
		b.Run(bench.name, func(b *testing.B) {
			limits := make([]Limit, bench.zones)
			for i := range limits {
				z, err := NewZone("z", 10_000, 20<<20)
				if err != nil {
					b.Fatal(err)
				}
				limits[i] = Limit{Zone: z, Burst: 20_000, Delay: NoDelay}
			}
			order := make([]benchRequest, benchKeys)
			now := clock.Up
			for n, key := range benchOrder() {
				r := &order[n]
				r.key = key
				for i := range limits {
					limits[i].Key, limits[i].At = key, Ref{}
				}
				Decide(now, limits, false)
				for i := range limits {
					if bench.resolved {
						limits[i].Resolve()
					}
					r.at[i] = limits[i].At
				}
			}
			b.ReportAllocs()
			n, passed := 0, 0
			for b.Loop() {
				r := &order[n]
				for i := range limits {
					limits[i].Key, limits[i].At = r.key, r.at[i]
				}
				if n++; n == len(order) {
					n, now = 0, now+1000 // 100,000 requests a second
				}
				if d := Decide(now, limits, false); d.Verdict == Passed {
					passed++
				}
			}
			if passed != b.N {
				b.Fatalf("%d of %d passed", passed, b.N)
			}
		})
	}
}

// BenchmarkDecideNewKeys fills a zone again and again, so that every request drops a key.
func BenchmarkDecideNewKeys(b *testing.B) {
	z, err := NewZone("z", 10_000, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	order := benchOrder()
	limits := []Limit{{Zone: z, Burst: 20_000}}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		limits[0].Key, limits[0].At = order[n%len(order)], Ref{}
		Decide(clock.Up+clock.Msec(n), limits, false)
		n++
	}
}
