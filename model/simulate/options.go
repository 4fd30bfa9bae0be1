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
	}
	return o, nil
}
