package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// A Protocol says how a browser's requests share connections.
type Protocol string

// The protocols.
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

// A Crowd is clients who load the same fan, each for itself. Zero values have the meanings given.
type Crowd struct {
	Fan *traffic.Fan

	Clients    int           // 0 is 1
	PerAddress []int         // how many share the first address, the second ...; begun again behind the last, on further addresses; nil is one each
	Same       bool          // on the addresses of the crowd before it, from the first one on
	Start      time.Duration // when the first client begins, later than that of other crowds
	Arrival    Arrival
	Repeat     int           // loads of the fan by each client; 0 is 1
	Every      time.Duration // from the start of one load to the start of the next
}

// Options say what is simulated. Zero values have the meanings given.
type Options struct {
	Crowds []Crowd        // each on addresses of its own
	Server *config.Server // nil: the one that Host leads to
	Host   string         // "": a name of Server, else the first server with a limit
	Scheme string         // "http" or "https", by which clients come; "": https where the server has it
	Port   uint16         // likewise; 0: any that the server listens on

	Via []chain.Way // proxies in front of nginx; clients take them in turn. nil: clients connect themselves

	Protocol   Protocol      // of the clients; "": as the fan says, else HTTP2 where the server offers it, else HTTP1
	UpstreamMs *traffic.Dist // service time of every request; nil: as the fan says, else by its kind, see ServiceMs
	RTTMs      *traffic.Dist // of each client; nil: as the fan says, else DefaultRTTMs
	Seed       uint64

	KeepRequests bool                               // fill Result.Requests
	Detail       bool                               // fill Result.Waterfalls and the series of zones; the traffic is run a second time for it
	Edge         func() edge.Layer                  // makes the edge network that clients come through first, anew for each run; nil for none
	Sent         func(clock.Msec, *request.Request) // told of each request that comes to nginx, and when; nil: nobody wants to know
	Progress     func(done, total int64)            // nil, or called now and then while it runs, with numbers of requests
	Open         bool                               // limits count, but neither hold back nor refuse; see Harm
	NoLimits     bool                               // what the same traffic would be without limit_req and limit_conn

	offered Protocol // by the server
}

// DefaultRTTMs is the round trip of a desktop on a good line (Lighthouse's desktop preset).
const DefaultRTTMs = 40

// What a simulation takes at most. Beyond it clients' numbers would not fit, and no answer would come within a day.
const (
	maxClients = 10_000_000
	maxRepeat  = 1_000_000
	maxOfFan   = 1 << 30 // requests of one load
	maxSpan    = 10 * 365 * 24 * time.Hour
)

// normal returns the options with every default filled in.
func (o Options) normal() (Options, error) {
	switch {
	case len(o.Crowds) == 0:
		return o, errors.New("there is nobody to send requests")
	case o.Protocol != "" && o.Protocol != HTTP1 && o.Protocol != HTTP2:
		return o, fmt.Errorf("protocol %q is neither h1 nor h2", string(o.Protocol))
	}
	o.Crowds = slices.Clone(o.Crowds)
	for i := range o.Crowds {
		if err := o.Crowds[i].normal(); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (c *Crowd) normal() error {
	if c.Fan == nil || len(c.Fan.Requests)+len(c.Fan.Streams) == 0 {
		return errors.New("the fan has no requests")
	}
	if c.Clients < 0 || c.Repeat < 0 {
		return fmt.Errorf("%d clients with %d loads each: there are no fewer than none", c.Clients, c.Repeat)
	}
	c.Clients, c.Repeat = max(c.Clients, 1), max(c.Repeat, 1)
	if len(c.PerAddress) == 0 {
		c.PerAddress = []int{1}
	}
	for _, n := range c.PerAddress {
		if n < 1 || n > maxClients {
			return fmt.Errorf("an address is shared by %d clients, not by 1 to %d", n, maxClients)
		}
	}
	switch {
	case c.Clients > maxClients:
		return fmt.Errorf("%d clients are more than %d", c.Clients, maxClients)
	case c.Repeat > maxRepeat:
		return fmt.Errorf("%d loads of a page are more than %d", c.Repeat, maxRepeat)
	case c.Arrival.Span < 0 || c.Every < 0 || c.Start < 0:
		return errors.New("a span of time is negative")
	case c.Every > maxSpan/time.Duration(c.Repeat), c.Arrival.Span > maxSpan, c.Start > maxSpan,
		c.Arrival.Kind == Every && c.Arrival.Span > maxSpan/time.Duration(c.Clients):
		return errors.New("the clients' loads take longer than ten years")
	}
	return runnable(c.Fan)
}

// Requests returns how many requests the crowds send, those that are sent again left aside.
func (o *Options) Requests() int64 {
	var n int64
	for i := range o.Crowds {
		n += o.Crowds[i].requests()
	}
	return n
}

func (c *Crowd) requests() int64 {
	n := int64(len(c.Fan.Requests))
	for i := range c.Fan.Streams {
		n += c.Fan.Streams[i].Count()
	}
	return n * max(int64(c.Clients), 1) * max(int64(c.Repeat), 1)
}

// protocolOf returns the protocol of a fan's clients.
func (o *Options) protocolOf(fan *traffic.Fan) Protocol {
	switch {
	case o.Protocol != "":
		return o.Protocol
	case fan.Protocol != "":
		return Protocol(fan.Protocol)
	case o.offered != "":
		return o.offered
	}
	return HTTP2
}

// rttOf returns the round trip of a fan's clients.
func (o *Options) rttOf(fan *traffic.Fan) duration {
	switch {
	case o.RTTMs != nil:
		return durationOf(o.RTTMs)
	case fan.RTTMs != nil:
		return durationOf(fan.RTTMs)
	}
	return duration{fixed: DefaultRTTMs * 1000}
}

// serviceOf returns how long the server takes for a request.
func (o *Options) serviceOf(r *traffic.FanRequest) duration {
	switch {
	case o.UpstreamMs != nil:
		return durationOf(o.UpstreamMs)
	case r.ServiceMs != nil:
		return durationOf(r.ServiceMs)
	}
	ms, known := ServiceMs[r.Kind]
	if !known {
		ms = ServiceMs["api"]
	}
	return duration{fixed: ms * 1000}
}

// runnable says what is wrong with a fan that cannot be run.
func runnable(fan *traffic.Fan) error {
	total := int64(len(fan.Requests))
	for i := range fan.Streams {
		st := &fan.Streams[i]
		switch on := st.DependsOn; {
		case len(st.Requests) == 0 || !(st.RatePerS > 0):
			return fmt.Errorf("stream %d of the fan sends nothing", i)
		case on != nil && (*on < 0 || *on >= len(fan.Requests)):
			return fmt.Errorf("stream %d of the fan waits for request %d, which it does not have", i, *on)
		}
		if total += st.Count(); total > maxOfFan {
			return fmt.Errorf("a load of the fan has more than %d requests", maxOfFan)
		}
	}
	return treeShaped(fan)
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
