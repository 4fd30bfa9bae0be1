package traffic

import (
	"math"
	"slices"
)

// A Retry is a policy by which a client's code makes a refused request again. Browsers themselves do not; libraries for
// requests do (ky, TanStack Query, axios-retry).
type Retry struct {
	Name       string
	Statuses   []int   // of answers after which it is made again
	AtMost     int     // how often, after the first time
	BaseMs     int64   // wait before the first time that it is made again
	Factor     float64 // by which each further wait is longer; 1 or more
	CapMs      int64   // no wait is longer; 0: no bound
	Jitter     Jitter
	RetryAfter bool // a Retry-After header of the answer takes the place of the wait
}

// A Jitter says how much of a wait is random.
type Jitter string

// The jitters.
const (
	NoJitter    Jitter = ""
	FullJitter  Jitter = "full"  // evenly between 0 and the wait
	EqualJitter Jitter = "equal" // evenly between half the wait and the wait
)

// Again says whether a request is made again after an answer with a status. Tries counts how often it was made before,
// so that it is 1 after the first time. A nil policy never does.
func (r *Retry) Again(status, tries int) bool {
	return r != nil && tries <= r.AtMost && slices.Contains(r.Statuses, status)
}

// longestWaitMs bounds a wait whose growth nothing else bounds.
const longestWaitMs = 24 * 60 * 60 * 1000

// WaitMs is how long the client waits before it makes a request again, tries counted as for Again. The draw is evenly
// between 0 and 1 and decides about the jitter. The header is what Retry-After says, in milliseconds; negative: there is none.
func (r *Retry) WaitMs(tries int, draw float64, header int64) float64 {
	if r.RetryAfter && header >= 0 {
		return float64(header)
	}
	wait := float64(r.BaseMs) * math.Pow(r.Factor, float64(tries-1))
	if r.CapMs > 0 {
		wait = min(wait, float64(r.CapMs))
	}
	wait = min(wait, longestWaitMs)
	switch r.Jitter {
	case FullJitter:
		wait *= draw
	case EqualJitter:
		wait *= (1 + draw) / 2
	case NoJitter:
	}
	return wait
}
