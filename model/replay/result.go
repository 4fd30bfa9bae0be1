package replay

import (
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// A Result is what came of a replay; its JSON form is that of the contract.
type Result struct {
	Lines     int64        `json:"lines"`   // of all logs, blank ones left aside
	Skipped   int64        `json:"skipped"` // of these, could not be used; see Faults
	Outside   int64        `json:"outside"` // of these, before --from or from --to on
	Requests  int64        `json:"requests"`
	FromMs    int64        `json:"from_ms"` // arrival of the first request, in milliseconds since 1970
	ToMs      int64        `json:"to_ms"`   // of the last
	Logs      []LogStat    `json:"logs"`
	Faults    []FaultStat  `json:"faults"`
	Agreement Agreement    `json:"agreement"`
	Locations []Location   `json:"locations"`
	Zones     []Zone       `json:"zones"`
	ConnZones []ConnZone   `json:"conn_zones"`
	Keys      []KeyStat    `json:"keys"`    // those that were refused and delayed most, then the busiest
	URIs      []URIStat    `json:"uris"`    // likewise; paths without their query
	Windows   []WindowStat `json:"windows"` // the worst of each width and place
	Series    Series       `json:"series"`  // of all nginx hosts together
	Times     []TimesStat  `json:"times"`   // of the places whose requests went to an upstream, in the order of the configuration
	Pages     []PageStat   `json:"pages"`   // that were recognised, the most frequent first
	Diagnosis []Diagnosis  `json:"diagnosis"`
	Edge      *EdgeStat    `json:"edge,omitempty"` // only with Options.Edge

	Assumptions []string `json:"assumptions"`
}

// Unusable says that at least half of the lines could not be used: what came of the others means nothing.
func (r *Result) Unusable() bool { return r.Lines > 0 && 2*r.Skipped >= r.Lines }

// A LogStat is one log.
type LogStat struct {
	Name   string `json:"name"`
	Nginx  string `json:"nginx,omitempty"`
	Format string `json:"format"`
	Lines  int64  `json:"lines"`
	Used   int64  `json:"used"`
	FromMs int64  `json:"from_ms"` // of the times that are logged
	ToMs   int64  `json:"to_ms"`
	Coarse bool   `json:"coarse"`          // its times are whole seconds: see wholeness
	Error  string `json:"error,omitempty"` // that ended it early
}

// BrokenLog is the kind of a fault of a log that could not be read to its end. All others are of lines.
const BrokenLog = "broken"

// A FaultStat is one thing that is wrong with lines.
type FaultStat struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Lines   int64  `json:"lines"`
	File    string `json:"file"` // of the first
	Line    int64  `json:"line"` // counted from 1
	Skipped bool   `json:"skipped"`
}

// An Agreement compares decisions with the words of $limit_req_status in the log.
type Agreement struct {
	Logged  int64         `json:"logged"`  // decisions that the log tells
	Same    int64         `json:"same"`    // of these, that the model makes too
	Shifted int64         `json:"shifted"` // of the same, those that take the arrival 1 ms earlier or later, which the log cannot tell
	Kinds   []Disagreeing `json:"kinds"`   // why the others differ
}

// Disagreeing is one kind of disagreement.
type Disagreeing struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	N        int64  `json:"n"`
	Logged   string `json:"logged"` // of the first
	Replayed string `json:"replayed"`
	File     string `json:"file"`
	Line     int64  `json:"line"`
}

// A Location is what one location suffered on one nginx.
type Location struct {
	Nginx string `json:"nginx,omitempty"`
	simulate.LocationStat
}

// A Zone is what one zone did on one nginx.
type Zone struct {
	Nginx string `json:"nginx,omitempty"`
	simulate.ZoneStat
}

// A ConnZone is what one zone of limit_conn did on one nginx.
type ConnZone struct {
	Nginx string `json:"nginx,omitempty"`
	simulate.ConnZoneStat
}

// A KeyStat is what one key of a zone met.
type KeyStat struct {
	Nginx           string `json:"nginx,omitempty"`
	Zone            string `json:"zone"`
	Key             string `json:"key"`
	Requests        int64  `json:"requests"`
	Passed          int64  `json:"passed"`
	Delayed         int64  `json:"delayed"`
	Rejected        int64  `json:"rejected"`
	PeakExcessMilli int64  `json:"peak_excess_milli"`
	LongestMs       int64  `json:"longest_ms"`       // that a request was delayed
	MostInSecond    int64  `json:"most_in_a_second"` // requests
	Agents          int64  `json:"agents"`           // distinct user agents, about; 0 where the log has none
	Users           int64  `json:"users"`            // likewise of $remote_user
	URIs            int64  `json:"uris"`             // likewise of paths
	FirstMs         int64  `json:"first_ms"`
	LastMs          int64  `json:"last_ms"`
}

// A URIStat is what one path met.
type URIStat struct {
	Nginx     string `json:"nginx,omitempty"`
	Server    string `json:"server"`
	Path      string `json:"path"`
	Requests  int64  `json:"requests"`
	Passed    int64  `json:"passed"`
	Delayed   int64  `json:"delayed"`
	Rejected  int64  `json:"rejected"`
	LongestMs int64  `json:"longest_ms"`
	File      string `json:"file,omitempty"` // of the first that was delayed or refused
	Line      int64  `json:"line,omitempty"`
}

// A WindowStat is one stretch of time at one place.
type WindowStat struct {
	Nginx    string `json:"nginx,omitempty"`
	WidthMs  int64  `json:"width_ms"`
	FromMs   int64  `json:"from_ms"`
	Server   string `json:"server"`
	Location string `json:"location"`
	Requests int64  `json:"requests"`
	Passed   int64  `json:"passed"`
	Delayed  int64  `json:"delayed"`
	Rejected int64  `json:"rejected"`
	Hit      int64  `json:"hit"` // windows of this width and place in which something was delayed or refused
}

// A TimesStat compares how long requests took with how long their upstreams did, as the log tells it.
type TimesStat struct {
	Nginx      string             `json:"nginx,omitempty"`
	Server     string             `json:"server"`
	Location   string             `json:"location"`
	Requests   int64              `json:"requests"` // of which the log tells both
	RequestMs  simulate.Quantiles `json:"request_ms"`
	UpstreamMs simulate.Quantiles `json:"upstream_ms"`
}

// A PageStat is a page that was recognised by what visitors ask for in one go.
type PageStat struct {
	Nginx    string             `json:"nginx,omitempty"`
	Server   string             `json:"server"`
	Path     string             `json:"path"`
	Loads    int64              `json:"loads"`
	Requests simulate.Quantiles `json:"requests"` // of one load
	SpanMs   simulate.Quantiles `json:"span_ms"`  // from its first request to the last
}

// A Diagnosis is something that the traffic shows of the limits.
type Diagnosis struct {
	Nginx     string         `json:"nginx,omitempty"`
	Kind      string         `json:"kind"`
	Message   string         `json:"message"`
	Server    string         `json:"server,omitempty"`
	Location  string         `json:"location,omitempty"`
	File      string         `json:"file,omitempty"` // of the configuration
	Line      int            `json:"line,omitempty"`
	Directive string         `json:"directive,omitempty"` // that stands there
	Evidence  map[string]any `json:"evidence"`
}
