package simulate

import (
	"math"

	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// What is random is drawn by what it is for, not in the order in which it is asked: a client has the same line and the
// server takes as long for its request with limits and without, and after any change of the configuration.

// A purpose keeps draws for different things about one request apart.
type purpose uint64

const (
	drawRTT purpose = iota + 1
	drawService
	drawThink
	drawRetry
	drawStream
)

// draw returns a number that is evenly spread over [0, 1), always the same for the same arguments.
func (s *simulation) draw(what purpose, l *load, id, n int64) float64 {
	h := mix(s.opts.Seed + uint64(what)*0x9e3779b97f4a7c15)
	h = mix(h ^ uint64(l.crowd.number)<<32 ^ uint64(l.client))
	h = mix(h ^ uint64(l.round)<<32 ^ uint64(id))
	h = mix(h ^ uint64(n))
	return float64(h>>11) / (1 << 53)
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A duration is a time in microseconds: always the same, or random.
type duration struct {
	fixed int64
	dist  *traffic.Dist // nil: fixed
}

// durationOf takes a distribution of milliseconds; nil is none.
func durationOf(d *traffic.Dist) duration {
	if d == nil {
		return duration{}
	}
	if d.Random() {
		return duration{dist: d}
	}
	return duration{fixed: microseconds(d.Quantile(0))}
}

func microseconds(ms float64) int64 { return int64(math.Round(ms * 1000)) }

// of returns the duration for one request of a load.
func (d *duration) of(s *simulation, what purpose, l *load, id, n int64) int64 {
	if d.dist == nil {
		return d.fixed
	}
	return microseconds(d.dist.Quantile(s.draw(what, l, id, n)))
}
