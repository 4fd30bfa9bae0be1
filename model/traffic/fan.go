package traffic

import (
	"math"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A Fan is what one client asks for: the requests of a visit, each with what it waits for, and streams of requests at a
// rate. It holds no network time, so one fan serves any round trip and protocol.
type Fan struct {
	Name        string
	Description string
	Basis       string   // where the counts and times come from; what is estimated is called so
	Sources     []string // addresses of documents, or names of facts
	Note        string

	Role     Role     // the zero Role is People
	Protocol Protocol // over which such a client speaks where nobody says otherwise; "" for any
	RTTMs    *Dist    // likewise its round trip, in milliseconds; nil for any

	Requests     []FanRequest
	Streams      []Stream
	ClientQueues []ClientQueue
	Retries      []Retry
}

// A Role says whom a fan stands for.
type Role string

// The roles. People's requests should come through a limit, an attack's should not.
const (
	People Role = ""
	Attack Role = "attack"
)

// A Protocol is "h1" (a few connections, one request at a time on each), "h2" (all at once on one) or "".
type Protocol string

// A FanRequest is one request of a fan. Where Path or the value of a header holds a placeholder, it is another request for
// each client, see Expand.
type FanRequest struct {
	ID            string           // by which others of its file name it; "" for none
	Page          string           // which page of a visit it belongs to; "" where the visit is one page
	Method        string           // "GET" where the file names none
	Path          string           // the request target: path and query
	Kind          string           // one of Kinds; it stands for the time that the server needs where ServiceMs is nil
	DependsOn     *int             // index of the request whose complete answer must be there; nil: the start of the visit
	StartOffsetMs int64            // from that answer to the moment the client issues the request
	ThinkMs       *Dist            // what a person or a program waits on top of it, in milliseconds; nil: nothing
	ServiceMs     *Dist            // from the request's arrival to its answer, without limits, in milliseconds; nil: by Kind
	SizeBytes     *Dist            // of the answer; nil: not known
	Group         string           // queue of the client that it goes through; "" for none
	Retry         string           // name of the policy by which it is made again; "": it is not
	LongLived     bool             // the answer does not end: over HTTP/1.1 its connection stays taken
	Body          string           // tells requests of one path apart
	Headers       []request.Header // in the order written
}

// A Stream is requests of one client at a rate: what a program sends that does not wait for a page, or a page that asks
// again and again. Its requests are sent in turn, from the first again after the last.
type Stream struct {
	// Requests depend on nothing, have no offset and no group, and may hold the placeholder {n} beside {client}.
	Requests []FanRequest

	RatePerS  float64 // requests a second; above 0
	DurationS float64 // for so many seconds; the first request is sent at once
	Spacing   Spacing
	AtOnce    int // at most so many unanswered; one that is due then is sent when an answer comes. 0: no bound

	DependsOn     *int  // index of the fan's request whose complete answer must be there first; nil: the start of the visit
	StartOffsetMs int64 // from that answer to the first request
}

// Count is how many requests a stream has: those that are due before its duration is over.
func (s *Stream) Count() int64 {
	const rounding = 1e-9 // of a product such as 10 × 0.1
	return max(1, int64(math.Ceil(s.RatePerS*s.DurationS-rounding)))
}

// A Spacing says how the requests of a stream follow each other.
type Spacing string

// The spacings.
const (
	Evenly   Spacing = ""        // at equal distances
	AtRandom Spacing = "poisson" // the distances are random, with the rate as their mean
)

// A ClientQueue is a bound that the client's own code sets: at most AtOnce requests of a group unanswered.
type ClientQueue struct {
	Group     string
	AtOnce    int
	Protocols []string // "h1", "h2": where the bound holds
}

// Kinds are the kinds of requests that a fan may name.
var Kinds = []string{
	"html", "static", "image", "font", "api", "ajax", "query", "graphql", "preview", "rsc", "php-asset",
}

// Retry returns the policy of a name; nil for "" and for a name that the fan does not have.
func (f *Fan) Retry(name string) *Retry {
	for i := range f.Retries {
		if name != "" && f.Retries[i].Name == name {
			return &f.Retries[i]
		}
	}
	return nil
}

// togetherMs is the time within which requests count as sent together. A limit of 4 requests a second or fewer lets none
// of them drain meanwhile.
const togetherMs = 250

// Together is how many requests a client sends at most within a quarter of a second after one answer, or after the start:
// the burst that meets a limit over HTTP/2. Of streams it is how many they may have unanswered, or what their rate gives.
func (f *Fan) Together() int {
	starts := map[int][]int64{}
	for i := range f.Requests {
		on := -1
		if d := f.Requests[i].DependsOn; d != nil {
			on = *d
		}
		starts[on] = append(starts[on], f.Requests[i].StartOffsetMs)
	}
	most := 0
	for _, times := range starts {
		slices.Sort(times)
		first := 0
		for i, t := range times {
			for t-times[first] > togetherMs {
				first++
			}
			most = max(most, i-first+1)
		}
	}
	for i := range f.Streams {
		s := &f.Streams[i]
		n := min(int(math.Ceil(s.RatePerS*togetherMs/1000)), int(s.Count()))
		if s.AtOnce > 0 {
			n = min(n, s.AtOnce)
		}
		most = max(most, n)
	}
	return most
}
