package simulate

// A Result is what came of a simulation; its JSON form is that of the contract.
type Result struct {
	Locations   []LocationStat `json:"locations"` // that served something, in the order of the configuration
	Zones       []ZoneStat     `json:"zones"`
	Page        *PageStat      `json:"page"`     // nil for single requests
	Requests    []Row          `json:"requests"` // only with Options.KeepRequests or for a stream of requests
	Assumptions []string       `json:"assumptions"`
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

// A ZoneStat says how full the fullest bucket of a zone got.
type ZoneStat struct {
	Zone            string `json:"zone"`
	PeakExcessMilli int64  `json:"peak_excess_milli"` // of requests that were not refused
	PeakKey         string `json:"peak_key"`
	Keys            int    `json:"keys"` // distinct keys that the zone holds at the end
}

// A PageStat compares whole page loads, from the first request's start to the last answer. A page is broken where a request
// was refused; its time ends with the last answer that came, so that it may be shorter than that of a whole one.
type PageStat struct {
	Pages       int       `json:"pages"`
	UnlimitedMs Quantiles `json:"unlimited_ms"`
	LimitedMs   Quantiles `json:"limited_ms"`
	BrokenPages int       `json:"broken_pages"`
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
}

// Edge is what a rule before nginx did; the model of the edge fills it.
type Edge struct {
	Rule    string `json:"rule"`
	Action  string `json:"action"`
	Counter int64  `json:"counter"`
}
