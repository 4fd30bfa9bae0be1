package simulate

import (
	"math"
	"math/rand/v2"
)

// arrivals yields when each client begins, one after the other in order of time, in microseconds.
type arrivals struct {
	kind    ArrivalKind
	clients int32
	span    int64
	begun   int32
	at, end float64
	random  *rand.Rand
}

func newArrivals(o *Crowd, seed uint64, first int64) arrivals {
	return arrivals{
		kind: o.Arrival.Kind, clients: int32(o.Clients), span: o.Arrival.Span.Microseconds(),
		at: float64(first), end: float64(first + o.Arrival.Span.Microseconds()),
		random: rand.New(rand.NewPCG(seed, 0x6e67786c696d6974)),
	}
}

// next returns when the next client begins, and its number; ok is false behind the last one.
func (a *arrivals) next() (at int64, client int32, ok bool) {
	left := a.clients - a.begun
	if left <= 0 {
		return 0, 0, false
	}
	client = a.begun
	a.begun++
	switch a.kind {
	case Together:
	case Every:
		if client > 0 {
			a.at += float64(a.span)
		}
	case Poisson:
		// The first of n points that are spread evenly over what is left of the span: given how many come, the points of
		// a Poisson process are just that.
		a.at += (a.end - a.at) * (1 - math.Pow(1-a.random.Float64(), 1/float64(left)))
	}
	return int64(a.at), client, true
}
