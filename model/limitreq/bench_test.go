package limitreq

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

const benchKeys = 100_000

// benchOrder returns keys as $binary_remote_addr gives them, in an order without a pattern.
func benchOrder() []string {
	keys := make([]string, benchKeys)
	for i := range keys {
		keys[i] = string(binary.BigEndian.AppendUint32(nil, 0x0a000000+uint32(i)))
	}
	order := make([]string, 1<<18)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range order {
		order[i] = keys[r.IntN(benchKeys)]
	}
	return order
}

// BenchmarkDecide has 100,000 keys in play, and keys resolved.
func BenchmarkDecide(b *testing.B) {
	for _, bench := range []struct {
		name  string
		zones int
	}{{"one", 1}, {"two", 2}} {
		b.Run(bench.name, func(b *testing.B) {
			order := benchOrder()
			limits := make([]Limit, bench.zones)
			for i := range limits {
				z, err := NewZone("z", 10_000, 20<<20)
				if err != nil {
					b.Fatal(err)
				}
				limits[i] = Limit{Zone: z, Burst: 20_000, Delay: NoDelay}
			}
			n := 0
			one := func() {
				for i := range limits {
					limits[i].Key = order[n&(len(order)-1)]
				}
				Decide(clock.Up+clock.Msec(n>>6), limits, false) // 64,000 requests a second
				n++
			}
			for range order {
				one()
			}
			b.ReportAllocs()
			for b.Loop() {
				one()
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
		limits[0].Key = order[n&(len(order)-1)]
		Decide(clock.Up+clock.Msec(n), limits, false)
		n++
	}
}
