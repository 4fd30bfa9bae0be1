// Package limitreq is nginx's limit_req: excess per key in thousandths of a request, whole numbers throughout, divisions
// cut towards zero. It reads no clock, waits for nothing and knows no configuration: keys come resolved, and time comes
// with each request. Whoever delays a request, or asks a second time for the same one (nginx decides once for each
// request), is the caller.
package limitreq

import (
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/zone"
)

// NoDelay is the delay of "nodelay": beyond any excess.
const NoDelay = int64(1) << 62

// MaxKey is the longest key in bytes that is counted. nginx skips a longer one as it skips an empty one, with an error
// in its log.
const MaxKey = 65535

// A Verdict is what a limiter decided, in the words of $limit_req_status.
type Verdict string

// The verdicts. None means that no limiter ran, or that every key was empty.
const (
	None           Verdict = "NONE"
	Passed         Verdict = "PASSED"
	Delayed        Verdict = "DELAYED"
	Rejected       Verdict = "REJECTED"
	DelayedDryRun  Verdict = "DELAYED_DRY_RUN"
	RejectedDryRun Verdict = "REJECTED_DRY_RUN"
)

// A Decision is one answer of the limiter, with the numbers that nginx would log.
type Decision struct {
	Verdict Verdict
	Zone    int        // index into the limits asked, of the one that decided; -1 where none did
	Excess  int64      // thousandths of a request, for that limit
	Wait    clock.Msec // how long the request is held; zero unless Delayed
	DryWait clock.Msec // how long it would be held in earnest; zero unless DelayedDryRun
	Full    bool       // rejected because the zone had no room for the key; nginx then logs no excess
}

// A Limit is one limit_req directive in force, with the key's value for the request at hand. A zone stands in a list
// at most once, as nginx insists.
type Limit struct {
	Zone  *Zone
	Key   string // an empty key, and one above MaxKey, is not counted
	Burst int64  // thousandths of a request
	Delay int64  // thousandths of a request that pass at once; NoDelay for "nodelay"

	// At may say where the zone keeps Key, as Resolve has found; the zero Ref where that is not known. A caller who asks
	// again and again for the same keys, and keeps it beside each of them, saves looking them up. A key that the zone has
	// dropped meanwhile is noticed; whoever changes Zone or Key has to change At.
	At Ref
}

// A Ref is where a zone keeps a key. The zero Ref is nowhere.
type Ref = zone.Ref

// Resolve brings At up to date, for a caller who keeps it.
func (l *Limit) Resolve() {
	if !l.Zone.keys.Holds(l.At) {
		l.At = l.Zone.keys.Find(l.Key)
	}
}

// A Result is what one zone answered when it was asked.
type Result uint8

// The results, with nginx's own names behind them.
const (
	Charged Result = iota // OK: the last limit of the list, within its burst and charged
	Within                // AGAIN: an earlier limit, within its burst; charged if no later one rejects
	Over                  // BUSY: above its burst
	NoRoom                // ERROR: a new key, and no room for it
)

// A Lookup is what one limit found, in the order asked. nginx shows it in its debug log only.
type Lookup struct {
	Limit  int // index into the limits asked
	Result Result
	Excess int64 // thousandths of a request; zero for a new key
}

// Decide answers one request at time now, and charges it where no limit rejects it.
//
// Limits are asked in order; the first that is over its burst rejects, and then nobody is charged. Otherwise the longest
// wait counts, of equal waits that of the limit written last. A key that is new to a zone which is not the last of the
// list is charged as if it had last been seen when the clock stood at 0, so its first request counts where the clock is
// young. With dryRun the same is charged and the verdict only noted.
func Decide(now clock.Msec, limits []Limit, dryRun bool) Decision {
	if len(limits) == 1 {
		if _, passed := limits[0].Pass(now); passed {
			return Decision{Verdict: Passed, Zone: -1}
		}
		return decideOne(now, &limits[0], dryRun, nil)
	}
	return decide(now, limits, dryRun, nil)
}

// DecideLogged is Decide, and appends to log what each limit asked has found.
func DecideLogged(now clock.Msec, limits []Limit, dryRun bool, log []Lookup) (Decision, []Lookup) {
	if len(limits) == 1 {
		d := decideOne(now, &limits[0], dryRun, &log)
		return d, log
	}
	d := decide(now, limits, dryRun, &log)
	return d, log
}
