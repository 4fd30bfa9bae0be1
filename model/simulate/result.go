package simulate

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// A Result is what came of a simulation; its JSON form is that of the contract.
type Result struct {
	Locations   []LocationStat `json:"locations"` // that served something, in the order of the configuration
	Zones       []ZoneStat     `json:"zones"`     // of limit_req, that some request came to, by name
	ConnZones   []ConnZoneStat `json:"conn_zones"`
	Page        *PageStat      `json:"page"`               // of the people, or where there are none of everybody; nil for single requests
	Feeling     string         `json:"feeling"`            // what a user would notice, in one sentence; "" for single requests
	Crowds      []CrowdStat    `json:"crowds"`             // one for each of Options.Crowds; none for single requests
	Waterfalls  []Waterfall    `json:"waterfalls"`         // of the median and of the worst page of the people; only with Options.Detail
	Tests       []Test         `json:"tests"`              // those that were asked for
	Edge        *EdgeStat      `json:"edge,omitempty"`     // only with Options.Edge
	Mend        *Mend          `json:"mend"`               // the smallest change that lets the people through; nil where they suffer nothing, or nobody looked
	Trusting    *Trusting      `json:"trusting,omitempty"` // whom nginx takes for the clients that come through proxies; nil where they connect themselves
	Requests    []Row          `json:"requests"`           // only with Options.KeepRequests or for a stream of requests
	Assumptions []string       `json:"assumptions"`

	Tree      *config.Tree `json:"-"`
	Seen      *Seen        `json:"-"` // whom nginx takes for the clients; nil where they connect themselves
	Harms     []Harm       `json:"-"` // what held up or refused the people's requests
	ConnHarms []ConnHarm   `json:"-"`
}

// A LocationStat counts what one location suffered. A request counts at the location whose limits judged it, else at
// the one that answered.
type LocationStat struct {
	Server    string    `json:"server"`   // its first name
	Location  string    `json:"location"` // its label; "" for the server itself
	File      string    `json:"file"`
	Line      int       `json:"line"`
	Limited   bool      `json:"limited"` // some limit_req or limit_conn is in effect there
	Requests  int       `json:"requests"`
	Passed    int       `json:"passed"` // at once, those that no limiter judged among them
	Delayed   int       `json:"delayed"`
	Rejected  int       `json:"rejected"`   // by limit_req or limit_conn
	AtEdge    int       `json:"at_edge"`    // answered by the edge, so that they never came here; Requests does not count them
	Unknown   int       `json:"unknown"`    // could not be followed beyond this place: whether a limiter judges them cannot be known
	AddedMs   Quantiles `json:"added_ms"`   // what the limiter added, over all requests that were not refused
	ServedMs  Quantiles `json:"served_ms"`  // from arrival at nginx to its answer, of those that were not refused
	DryRun    int       `json:"dry_run"`    // would have been delayed or rejected, had the limit been in earnest
	NotIssued int       `json:"not_issued"` // never sent, because what they depend on was refused
}

// Quantiles are in milliseconds; all zero where nothing was measured.
type Quantiles struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// A ZoneStat says what one zone of limit_req did, and how full its fullest bucket got.
type ZoneStat struct {
	Zone      string      `json:"zone"`
	Key       string      `json:"key"` // as written
	RateMilli int64       `json:"rate_milli"`
	Limits    []ZoneLimit `json:"limits"` // that the requests met, in the order of the configuration

	Requests int       `json:"requests"` // that the zone counted, or would have had it not refused them
	Passed   int       `json:"passed"`   // neither held up nor refused by this zone; another one may have
	Delayed  int       `json:"delayed"`
	Rejected int       `json:"rejected"`
	AddedMs  Quantiles `json:"added_ms"` // what this zone added, over its requests that were not refused by it

	PeakExcessMilli int64  `json:"peak_excess_milli"` // of requests that were not refused
	PeakKey         string `json:"peak_key"`
	PeakMs          int64  `json:"peak_ms"`  // when that was
	EmptyMs         int64  `json:"empty_ms"` // when that key's bucket was empty again: the first time after PeakMs
	Keys            int    `json:"keys"`     // distinct keys that the zone holds at the end

	Series *Series `json:"series,omitempty"` // of the peak's key; only with Options.Detail
}

// A ZoneLimit is one limit_req that counts in a zone.
type ZoneLimit struct {
	Server     string `json:"server"`
	Location   string `json:"location"`
	File       string `json:"file"` // of the directive
	Line       int    `json:"line"`
	BurstMilli int64  `json:"burst_milli"`
	DelayMilli int64  `json:"delay_milli"` // excess up to it passes at once; that is the burst with nodelay
	NoDelay    bool   `json:"nodelay"`
}

// A Series is the excess of one key over time: straight lines from point to point, and up to the burst of its limits.
// Where more happened than it holds, it keeps the first, the highest and the last of each span of time.
type Series struct {
	Key     string  `json:"key"`
	Points  []Point `json:"points"`
	Refused []Count `json:"refused"` // how many requests of the key the zone refused, by the same spans of time
}

// A Point is the excess at a time.
type Point struct {
	TMs         int64 `json:"t_ms"`
	ExcessMilli int64 `json:"excess_milli"`
}

// A Count is how often something happened from a time on.
type Count struct {
	TMs int64 `json:"t_ms"`
	N   int   `json:"n"`
}

// A ConnZoneStat says what one zone of limit_conn did.
type ConnZoneStat struct {
	Zone     string `json:"zone"`
	Key      string `json:"key"`      // as written
	Requests int    `json:"requests"` // that it counted or refused
	Rejected int    `json:"rejected"`
	Peak     int64  `json:"peak"` // most requests of one key at once
	PeakKey  string `json:"peak_key"`
}

// A PageStat compares whole page loads, from the first request's start to the last answer. A page is broken where a request
// was refused for good; its time ends with the last answer that came, so that it may be shorter than that of a whole one.
type PageStat struct {
	Pages       int       `json:"pages"`
	UnlimitedMs Quantiles `json:"unlimited_ms"`
	LimitedMs   Quantiles `json:"limited_ms"`
	BrokenPages int       `json:"broken_pages"`
}

// A CrowdStat is what one crowd did and suffered. A request that was sent again counts again.
type CrowdStat struct {
	Fan       string         `json:"fan"`
	Role      string         `json:"role"` // "people", or what the fan says
	Clients   int            `json:"clients"`
	Addresses int            `json:"addresses"`
	Requests  int            `json:"requests"`
	Passed    int            `json:"passed"`
	Delayed   int            `json:"delayed"`
	Rejected  int            `json:"rejected"`
	NotIssued int            `json:"not_issued"`
	Retries   int            `json:"retries"`  // requests that were sent again
	Blocked   int            `json:"blocked"`  // answered by the edge, see Options.Edge; Requests does not count them
	AddedMs   Quantiles      `json:"added_ms"` // over the requests that were not refused
	Added     []Bucket       `json:"added"`    // likewise, how many requests waited how long
	Page      PageStat       `json:"page"`
	Locations []LocationStat `json:"locations"` // as Result.Locations, of this crowd alone
}

// A Bucket counts times that are longer than the one of the bucket before, and not longer than its own.
type Bucket struct {
	UpToMs int64 `json:"up_to_ms"`
	N      int64 `json:"n"`
}

// A Waterfall is one page load, request by request. Times are in milliseconds from its start.
type Waterfall struct {
	Which   string  `json:"which"` // "median" or "worst"
	Fan     string  `json:"fan"`
	Client  int     `json:"client"` // counted from 1
	Load    int     `json:"load"`   // of this client, counted from 1
	StartMs int64   `json:"start_ms"`
	TookMs  int64   `json:"took_ms"`
	Broken  bool    `json:"broken"`
	Entries []Entry `json:"entries"`
	LeftOut int     `json:"left_out"` // entries beyond those that are kept
}

// An Entry is one request of a waterfall, or one more try of it.
type Entry struct {
	Request   int     `json:"request"`    // its number in the fan, from 0
	DependsOn *int    `json:"depends_on"` // the number of the request that it waits for
	Try       int     `json:"try"`        // 0 for the first
	Method    string  `json:"method"`
	Path      string  `json:"path"`
	Kind      string  `json:"kind"`
	IssuedMs  int64   `json:"issued_ms"`   // when the client wants it
	SentMs    int64   `json:"sent_ms"`     // when a connection is free for it
	WaitMs    int64   `json:"wait_ms"`     // in the limiter
	ServiceMs int64   `json:"upstream_ms"` // what the server took; 0 where the limiter refused it
	EndMs     int64   `json:"end_ms"`      // when the client has the answer
	Verdict   string  `json:"verdict"`     // of the limiters: PASSED, DELAYED, REJECTED ...; NotSent, or Blocked by the edge
	Status    *int    `json:"status"`      // nil where an upstream decides
	Location  *string `json:"location"`
	Zone      *string `json:"zone"` // that held it up or refused it
}

// A Row is one request and its decision.
type Row struct {
	TMs         int64   `json:"t_ms"` // arrival at nginx
	ClientIP    string  `json:"client_ip"`
	URL         string  `json:"url"`
	Location    *string `json:"location"` // nil: none
	Outcome     string  `json:"outcome"`  // of limit_req; Unknown where the request could not be followed so far
	Zone        *string `json:"zone"`     // that decided, as nginx logs it; nil where it logs none
	ExcessMilli *int64  `json:"excess_milli"`
	NoRoomIn    string  `json:"no_room_in,omitempty"` // the zone that had no room for the key, which is why the request was refused
	DelayMs     int64   `json:"delay_ms"`
	Status      *int    `json:"status"`       // nil where an upstream decides
	ConnOutcome string  `json:"conn_outcome"` // of limit_conn
	ConnZone    *string `json:"conn_zone"`
	Edge        *Edge   `json:"edge"`
	Fan         string  `json:"fan,omitempty"`   // whose request it is, where several crowds come
	Retry       int     `json:"retry,omitempty"` // how often it was sent before
}

// Edge is what a rule of the edge did with a request.
type Edge struct {
	Rule    string `json:"rule"`
	Action  string `json:"action"`         // allow, log, challenge or block
	Kind    string `json:"kind,omitempty"` // the action as the product calls it, where that says more
	Counter int64  `json:"counter"`        // that belongs to the request, when its answer is there
}

// EdgeStat is what the edge did.
type EdgeStat struct {
	Front   string          `json:"front"`            // "Cloudflare"
	Window  string          `json:"window,omitempty"` // how it counted
	Stopped int             `json:"stopped"`          // requests that it answered itself
	Rules   []edge.RuleStat `json:"rules"`
	Other   *EdgeOther      `json:"other_window,omitempty"` // what another way of counting would have done
	Without *EdgeWithout    `json:"without,omitempty"`      // what nginx alone would do with the same clients; nil for single requests
}

// EdgeOther is what the edge would have done with the same requests, had it counted otherwise.
type EdgeOther struct {
	Window string `json:"window"`
	More   int    `json:"more"`  // requests that it would have stopped beside the others
	Fewer  int    `json:"fewer"` // that it would not have stopped
}

// EdgeWithout is what would become of the people's requests without the edge.
type EdgeWithout struct {
	Requests    int `json:"requests"`
	Delayed     int `json:"delayed"`
	Rejected    int `json:"rejected"`
	Pages       int `json:"pages"`
	BrokenPages int `json:"broken_pages"`
}
