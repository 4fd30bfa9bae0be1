package simulate

import (
	"errors"
	"fmt"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// A Protocol says how a browser's requests share connections.
type Protocol string

// The protocols. The zero Protocol is HTTP2.
const (
	HTTP1 Protocol = "h1" // at most six connections a host, one request at a time on each
	HTTP2 Protocol = "h2" // all at once
)

// An ArrivalKind says when the clients begin.
type ArrivalKind uint8

// The kinds of arrival.
const (
	Together ArrivalKind = iota // all at the same instant
	Poisson                     // at random, evenly spread over the span
	Every                       // one each span
)

// An Arrival says when the clients begin their page.
type Arrival struct {
	Kind ArrivalKind
	Span time.Duration // Poisson: within it all have come; Every: from one to the next
}

// Options say what is simulated. Zero values have the meanings given.
type Options struct {
	Fan    *traffic.Fan
	Server *config.Server // nil: the one that Host leads to
	Host   string         // "": a name of Server, else the first server with a limit

	Clients           int // 0 is 1
	ClientsPerAddress int // how many share one address; 0 is 1
	Arrival           Arrival
	Repeat            int           // page loads of each client; 0 is 1
	Every             time.Duration // from the start of one load to the start of the next

	Protocol   Protocol
	UpstreamMs int64 // service time of every request; negative: by its kind, see ServiceMs
	RTTMs      int64 // negative: DefaultRTTMs
	Seed       uint64

	KeepRequests bool // fill Result.Requests
	NoLimits     bool // what the same traffic would be without limit_req and limit_conn
}

// DefaultRTTMs is the round trip of a desktop on a good line (Lighthouse's desktop preset).
const DefaultRTTMs = 40

// What a simulation takes at most. Beyond it clients' numbers would not fit, and no answer would come within a day.
const (
	maxClients = 10_000_000
	maxRepeat  = 1_000_000
	maxMs      = 24 * 60 * 60 * 1000
	maxSpan    = 10 * 365 * 24 * time.Hour
)

// normal returns the options with every default filled in.
func (o Options) normal() (Options, error) {
	o.Clients, o.ClientsPerAddress, o.Repeat = max(o.Clients, 1), max(o.ClientsPerAddress, 1), max(o.Repeat, 1)
	if o.Protocol == "" {
		o.Protocol = HTTP2
	}
	if o.RTTMs < 0 {
		o.RTTMs = DefaultRTTMs
	}
	switch {
	case o.Fan == nil || len(o.Fan.Requests) == 0:
		return o, errors.New("the fan has no requests")
	case o.Protocol != HTTP1 && o.Protocol != HTTP2:
		return o, fmt.Errorf("protocol %q is neither h1 nor h2", string(o.Protocol))
	case o.Clients > maxClients:
		return o, fmt.Errorf("%d clients are more than %d", o.Clients, maxClients)
	case o.Repeat > maxRepeat:
		return o, fmt.Errorf("%d loads of a page are more than %d", o.Repeat, maxRepeat)
	case o.UpstreamMs > maxMs || o.RTTMs > maxMs:
		return o, fmt.Errorf("a time of %d ms is longer than a day", max(o.UpstreamMs, o.RTTMs))
	case o.Arrival.Span < 0 || o.Every < 0:
		return o, errors.New("a span of time is negative")
	case o.Every > maxSpan/time.Duration(o.Repeat), o.Arrival.Span > maxSpan,
		o.Arrival.Kind == Every && o.Arrival.Span > maxSpan/time.Duration(o.Clients):
		return o, errors.New("the clients' loads take longer than ten years")
	}
	return o, treeShaped(o.Fan)
}

// treeShaped says what is wrong with a fan whose requests wait for each other in a circle, or for something that is not
// there; no such request would ever be sent.
func treeShaped(fan *traffic.Fan) error {
	rooted := make([]bool, len(fan.Requests)) // it is known to lead to the start
	for i := range fan.Requests {
		var way []int
		for at := i; !rooted[at]; {
			way = append(way, at)
			on := fan.Requests[at].DependsOn
			if on == nil {
				break
			}
			if at = *on; at < 0 || at >= len(fan.Requests) {
				return fmt.Errorf("request %d of the fan waits for request %d, which it does not have", i, at)
			}
			if len(way) > len(fan.Requests) {
				return fmt.Errorf("request %d of the fan waits for itself", i)
			}
		}
		for _, at := range way {
			rooted[at] = true
		}
	}
	return nil
}
