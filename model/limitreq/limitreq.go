// Package limitreq is nginx's limit_req: excess per key in thousandths of a request, whole numbers throughout. It
// reads no clock, waits for nothing and knows no configuration.
package limitreq

import "github.com/ngxlimit/ngxlimit/model/clock"

// NoDelay is the delay of "nodelay": beyond any excess.
const NoDelay = int64(1) << 62

// Params are the numbers of one limit, in thousandths: of a request per second for Rate, of a request otherwise.
type Params struct{ Rate, Burst, Delay int64 }

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
	Full    bool       // rejected because the zone had no room for the key
}
