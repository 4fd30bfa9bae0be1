// Package edge is what an edge network in front of nginx is to the rest of the model: a layer that judges a request
// before nginx sees it, and learns of the answer. It knows no product; those are in the packages below it
// (model/edge/cloudflare, model/edge/awswaf), which all are a Layer.
package edge

import (
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// An Action is what became of a request, in the words of the JSON output.
type Action string

// The actions.
const (
	Allow     Action = "allow"     // a rule matched or counted it, and let it pass
	Log       Action = "log"       // it passes, and is noted
	Challenge Action = "challenge" // the visitor has to prove something first; the request itself goes no further
	Block     Action = "block"     // it is answered at once
)

// Stops says whether a request with the action reaches nobody behind the edge.
func (a Action) Stops() bool { return a == Block || a == Challenge }

// A Decision is what a layer says of one request.
type Decision struct {
	Rule    string // by name; "" where none matched or counted the request
	Action  Action // "" where Rule is
	Kind    string // the action as the product calls it: "managed_challenge"; "" where Action says it all
	Counter int64  // of the request's own combination at that rule, cut to whole requests
	Status  int    // of the answer, where Action stops the request

	RetryAfterMs int64 // what that answer says of when to ask again; negative for nothing
	PastCache    bool  // the request goes to nginx, even where the edge has the answer
}

// A Response is what came back for a request that a layer let through.
type Response struct {
	Status  int              // 0 where it is not known
	Headers []request.Header // of the answer
	Known   bool             // Headers are all there are
}

// A Layer stands in front of nginx. Times are in milliseconds from a moment at which the provider's own clock begins a
// new window of every length; they may go back. A Layer is used by one goroutine at a time.
type Layer interface {
	// Decide judges a request that comes at a time.
	Decide(now clock.Msec, req *Request) Decision
	// Observe tells what came of a request that Decide let through, and returns that decision with its counter as it is
	// then; where it named no rule, one of the first rule that counted the answer. It may come after the Decide of later
	// requests.
	Observe(now clock.Msec, req *Request, resp *Response, was Decision) Decision
	// Report tells what was done so far.
	Report() Report
	// Reads tells what the rules look at.
	Reads() Reads
}

// A Report is what a layer did.
type Report struct {
	Front  string     // the product: "Cloudflare"
	Window string     // how it counted: "buckets"; "" where there is one way only
	Rules  []RuleStat // in the order in which they run
	Said   []string   // what was taken for granted

	Other       string // with what it was compared; "" for nothing
	More, Fewer int    // requests that the other one would have stopped beside these, that it would not
}

// A RuleStat is what one rule did.
type RuleStat struct {
	Rule       string `json:"rule"`
	Says       string `json:"description,omitempty"` // the rule's own words, where the name is not made of them
	Limit      int64  `json:"limit"`                 // requests, or score, in PeriodS that pass
	Score      bool   `json:"score,omitempty"`       // it is a score
	PeriodS    int64  `json:"period_s"`
	TimeoutS   int64  `json:"timeout_s"`
	Matched    int    `json:"matched"`
	Counted    int    `json:"counted"`
	Blocked    int    `json:"blocked"`
	Challenged int    `json:"challenged"`
	Logged     int    `json:"logged"`
	Unknown    int    `json:"unknown"` // whether it matches could not be known; taken as no match
	Why        string `json:"unknown_because,omitempty"`
	Peak       int64  `json:"peak"` // the highest counter
	Keys       int    `json:"keys"` // counters that were made: one for each combination; one more where it comes again after its window was over and it was let go
}
