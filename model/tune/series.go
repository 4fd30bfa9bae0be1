package tune

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

// A series is when the requests of one key came, in milliseconds since the traffic began.
type series []uint32

// order sorts the series by time: a log is in the order in which requests end.
func (s series) order() {
	if !slices.IsSorted(s) {
		slices.Sort(s)
	}
}

// full is what one request charges, in thousandths of a request.
const full = 1000

// drained is what is left of an excess after some time, with one more request charged.
// Source: ngx_http_limit_req_lookup.
func drained(excess, rate int64, since uint32) int64 {
	return max(excess-rate*int64(since)/full+full, 0)
}

// need is the largest excess that the series comes to where all of it passes, in thousandths of a request: the least burst
// with which nothing is refused, at a rate in thousandths of a request per second.
func (s series) need(rate int64) int64 {
	var excess, most int64
	for i := 1; i < len(s); i++ {
		excess = drained(excess, rate, s[i]-s[i-1])
		most = max(most, excess)
	}
	return most
}

// refused is how many requests of the series a limit with nodelay refuses: these are not charged.
func (s series) refused(rate, burst int64) int {
	if len(s) == 0 {
		return 0
	}
	var excess int64
	last, n := s[0], 0
	for _, at := range s[1:] {
		now := drained(excess, rate, at-last)
		if now > burst {
			n++
			continue
		}
		excess, last = now, at
	}
	return n
}

// busiest is the most requests within a span.
func (s series) busiest(span clock.Msec) int {
	most, from := 0, 0
	for i, at := range s {
		for clock.Msec(at-s[from]) >= span {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}
