package measured

import (
	"path/filepath"
	"testing"
)

// A Verdict is what limit_req decided about one request. Of a run the look-ups, the wait and the alert are not known.
type Verdict struct {
	Outcome     string   // as in $limit_req_status; NONE where that is empty
	ExcessMilli *int64   `json:"excess_milli"` // as logged, in thousandths of a request; nil where nothing was
	Zone        *string  // likewise
	DelayMs     *int64   `json:"delay_ms"` // nil unless really delayed
	Status      *int     // nil where nginx had not answered
	Lookups     [][3]any // zone, result and excess of each zone that was asked
	Alert       string   // nginx's words where a zone had no room
}

// UnmarshalJSON refuses unknown fields.
func (v *Verdict) UnmarshalJSON(data []byte) error {
	type plain Verdict
	return decided(data, (*plain)(v))
}

// A Run is a configuration, requests in time order, and what nginx decided for each.
type Run struct {
	Config   string // path
	Requests string // path of the requests, in the form of simulate --requests
	Expected []Verdict
	About    About
}

// About is what a run says of itself.
type About struct {
	ID, Description string
	Requests        int
}

// ReadRun reads the folder of a run.
func ReadRun(t testing.TB, dir string) *Run {
	t.Helper()
	r := &Run{Config: filepath.Join(dir, "nginx.conf"), Requests: filepath.Join(dir, "requests.ndjson")}
	r.Expected = readLines[Verdict](t, filepath.Join(dir, "expected.ndjson"))
	r.About = read[About](t, filepath.Join(dir, "about.json"))
	return r
}

// A Zone is a zone as written in limit_req_zone or limit_conn_zone.
type Zone struct{ Name, Key, Rate, Size string }

// A LimitReq is a scenario of limit_req: a configuration and requests at exact milliseconds.
type LimitReq struct {
	Name, Description string
	Tags              []string
	Zones             []Zone
	ReqLimits                              // where there is one location
	Locations         map[string]ReqLimits // where there are several
	Uptime            *int64               `json:"monotonic_at_t0_ms"` // nginx's clock at 0 ms; nil for long up
	Config            string               // what stands in http
	Requests          []struct {
		TMs      int64 `json:"t_ms"`
		URL      string
		ClientIP string `json:"client_ip"`
		Headers  Headers
		Location string            // whose limits decide; "" where there is one
		Key      map[string]string // of each zone; an address as text
		Expect   Verdict
	}
}

// ReqLimits are the limits of a location, in the order written.
type ReqLimits struct {
	Limits []struct {
		Zone      string
		Burst     int64
		NoDelay   bool
		Delay     *int64 // nil: none
		Directive string
	}
	DryRun bool `json:"dry_run"`
	Status int
}

// ReadLimitReq reads one scenario of limit_req.
func ReadLimitReq(t testing.TB, path string) *LimitReq {
	t.Helper()
	s := read[LimitReq](t, path)
	return &s
}

// A LimitConn is a scenario of limit_conn, step by step.
type LimitConn struct {
	Name, Description string
	Zones             []Zone
	ConnLimits
	Locations map[string]ConnLimits
	Config    string // what stands in http
	Steps     []ConnStep
}

// ConnLimits are the limits of a location, in the order written.
type ConnLimits struct {
	Limits []struct {
		Zone string
		Conn int64
	}
	DryRun bool `json:"dry_run"`
	Status int
}

// A ConnStep is one thing that happens to a request, and how it then stands.
type ConnStep struct {
	Op            string // start, finish, abort, wait
	ID            string // of the request
	URL           string
	Ms            int64  // that a wait lasts
	H2, KeepAlive string // a connection that several requests share
	Expect        ConnState
}

// A ConnState is how a request stands after a step.
type ConnState struct {
	Outcome  *string // as in $limit_conn_status; nil while not known
	Status   *int    // nil while in flight
	Zone     *string // that the message names
	Counts   []int64 // of each zone, in the order asked and as far as it got; nil where not said
	InFlight bool    `json:"in_flight"`
	Waiting  bool    `json:"waiting_in_limit_req"`
	LimitReq *string `json:"limit_req"` // $limit_req_status; nil where not said
}

// UnmarshalJSON refuses unknown fields.
func (s *ConnState) UnmarshalJSON(data []byte) error {
	type plain ConnState
	return decided(data, (*plain)(s))
}

// ReadLimitConn reads the scenarios of limit_conn.
func ReadLimitConn(t testing.TB, path string) []LimitConn {
	t.Helper()
	return read[[]LimitConn](t, path)
}
