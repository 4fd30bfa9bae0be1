package report

import (
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// An Explanation is what happens to one request, in the form of the contract.
type Explanation struct {
	Method       string           `json:"method"`
	URL          string           `json:"url"`
	Server       *ExplainedBlock  `json:"server"`
	Location     *ExplainedBlock  `json:"location"`
	PathTaken    []string         `json:"path_taken"`
	EndsIn       string           `json:"ends_in"`
	Status       *int             `json:"status"` // nil where an upstream would decide
	Redirect     string           `json:"redirect,omitempty"`
	LimiterRuns  *bool            `json:"limiter_runs"` // nil where the request could not be followed so far
	Limits       []ExplainedLimit `json:"limits"`
	ConnLimits   []ExplainedConn  `json:"conn_limits"`
	RejectStatus int              `json:"reject_status"`
	DryRun       bool             `json:"dry_run"`
	ConnStatus   int              `json:"conn_reject_status"`
	ConnDryRun   bool             `json:"conn_dry_run"`
	Client       ExplainedClient  `json:"client"`
	Chain        *ExplainedChain  `json:"chain,omitempty"` // the way through --chain
	Assumptions  []string         `json:"assumptions"`
}

// An ExplainedBlock is a server (Name) or a location (Label) and where it stands.
type ExplainedBlock struct {
	Name  *string `json:"name,omitempty"`
	Label *string `json:"label,omitempty"`
	File  string  `json:"file"`
	Line  int     `json:"line"`
}

// A Declared is the place of a directive.
type Declared struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// An ExplainedLimit is one limit_req that is in effect for the request.
type ExplainedLimit struct {
	Zone         string   `json:"zone"`
	Key          string   `json:"key"`
	KeyValue     *string  `json:"key_value"`             // nil where it cannot be known
	KeyUnknown   string   `json:"key_unknown,omitempty"` // why
	Counted      bool     `json:"counted"`
	RateMilli    int64    `json:"rate_milli"`
	Burst        int64    `json:"burst"`
	Delay        any      `json:"delay"` // "nodelay" or a whole number
	IntervalMs   int64    `json:"interval_ms"`
	MaxDelayMs   int64    `json:"max_delay_ms"`
	ZoneCapacity *int     `json:"zone_capacity"` // keys of this length that the zone holds; nil where the key is not known, or is empty
	Declared     Declared `json:"declared"`
	Level        string   `json:"level"`
	standing
}

// An ExplainedConn is one limit_conn that is in effect for the request.
type ExplainedConn struct {
	Zone         string   `json:"zone"`
	Key          string   `json:"key"`
	KeyValue     *string  `json:"key_value"`
	KeyUnknown   string   `json:"key_unknown,omitempty"`
	Counted      bool     `json:"counted"`
	Max          int      `json:"max"`
	ZoneCapacity *int     `json:"zone_capacity"` // see ExplainedLimit
	Declared     Declared `json:"declared"`
	Level        string   `json:"level"`
	standing
}

// A standing is what the text says of a limit beyond the JSON.
type standing struct {
	asked bool   // the request came as far as the limiter
	from  string // the block that the limit is inherited from, in words; "" where it is the request's own
}

// An ExplainedClient is whom the limiters saw.
type ExplainedClient struct {
	RemoteAddr       string `json:"remote_addr"`
	RealipRemoteAddr string `json:"realip_remote_addr"`
	Trusted          bool   `json:"trusted"`
	Proxied          bool   `json:"-"` // somebody else than the client connects
}

// Explain words a trace.
func Explain(method, url string, t *pipeline.Trace) Explanation {
	e := Explanation{
		Method: method, URL: url,
		PathTaken: append([]string{}, t.Path()...), EndsIn: string(t.EndsIn), Redirect: t.Redirect,
		LimiterRuns: &t.LimiterRan, Limits: []ExplainedLimit{}, ConnLimits: []ExplainedConn{},
		RejectStatus: t.RejectStatus, DryRun: t.DryRun, ConnStatus: t.ConnRejectStatus, ConnDryRun: t.ConnDryRun,
		Client: ExplainedClient{
			RemoteAddr: addrText(t.Client.Addr), RealipRemoteAddr: addrText(t.Client.Peer), Trusted: t.Client.Trusted,
		},
		Assumptions: append([]string{}, t.Assumptions...),
	}
	if t.Status != 0 {
		e.Status = &t.Status
	}
	if t.EndsIn == pipeline.EndUnknown && !t.LimiterRan {
		e.LimiterRuns = nil
	}
	if t.Server != nil {
		name := t.Server.Names[0].Text
		e.Server = block(t.Server.Directive)
		e.Server.Name = &name
	}
	if t.Location != nil {
		label := t.Location.Label()
		e.Location = block(t.Location.Directive)
		e.Location.Label = &label
	}
	for i := range t.Limits {
		e.Limits = append(e.Limits, explainLimit(&t.Limits[i], t))
	}
	for i := range t.Conns {
		e.ConnLimits = append(e.ConnLimits, explainConn(&t.Conns[i], t))
	}
	return e
}

// addrText writes an address; a unix socket has none.
func addrText(a netip.Addr) string {
	if !a.IsValid() {
		return "unix:"
	}
	return request.AddrText(a)
}

// block is where a block stands; a fragment's given context stands nowhere.
func block(d *syntax.Directive) *ExplainedBlock {
	if d == nil {
		return &ExplainedBlock{}
	}
	return &ExplainedBlock{File: d.File.Path, Line: d.Span().From().Line}
}

func declared(s source.Span) Declared {
	if s.File == nil {
		return Declared{}
	}
	return Declared{s.File.Path, s.From().Line}
}

func explainLimit(l *pipeline.Limit, t *pipeline.Trace) ExplainedLimit {
	out := ExplainedLimit{
		Zone: l.ZoneName, Counted: l.Counted, Burst: l.Burst / 1000, Delay: l.Delay / 1000, Declared: declared(l.Span),
	}
	if s := limitedSettings(t); s != nil {
		out.Level, out.from = levelOf(s.LimitReqs.From()), inheritedFrom(t, s.LimitReqs.From(), s.LimitReqs.At)
	}
	out.asked = l.Key.Reason() != limiterDidNotRun
	if l.NoDelay {
		out.Delay = "nodelay"
	}
	out.KeyValue, out.KeyUnknown = keyText(l.Key, t.Client)
	z := l.Zone
	if z == nil {
		return out
	}
	out.Key, out.RateMilli = z.Key.Text, z.Rate
	if z.Rate > 0 {
		out.IntervalMs = 1_000_000 / z.Rate
		if !l.NoDelay && l.Burst > l.Delay {
			out.MaxDelayMs = (l.Burst - l.Delay) * 1000 / z.Rate
		}
	}
	if n, ok := keyLength(l.Key); ok {
		out.ZoneCapacity = new(limitreq.Capacity(z.Size, len(z.Name), n))
	}
	return out
}

func explainConn(l *pipeline.ConnLimit, t *pipeline.Trace) ExplainedConn {
	out := ExplainedConn{Zone: l.ZoneName, Counted: l.Counted, Max: l.Max, Declared: declared(l.Span)}
	if t.ConnLevel != nil {
		s := t.ConnLevel.Settings
		out.Level, out.from = levelOf(s.LimitConns.From()), inheritedFrom(t, s.LimitConns.From(), s.LimitConns.At)
	}
	out.asked = l.Key.Reason() != limiterDidNotRun
	out.KeyValue, out.KeyUnknown = keyText(l.Key, t.Client)
	if z := l.Zone; z != nil {
		out.Key = z.Key.Text
		if n, ok := keyLength(l.Key); ok {
			out.ZoneCapacity = new(limitconn.Capacity(z.Size, len(z.Name), n))
		}
	}
	return out
}

// limiterDidNotRun is why the pipeline does not know the key of a limit that was not reached.
const limiterDidNotRun = "the limiter did not run"

// limitedSettings are those of the level whose limits are explained; nil where there is none.
func limitedSettings(t *pipeline.Trace) *config.Settings {
	if t.LimitedLevel == nil {
		return nil
	}
	return t.LimitedLevel.Settings
}

// levelOf names the kind of level at which the list in effect was written.
func levelOf(from config.Kind) string {
	switch from {
	case config.KindHTTP:
		return "http"
	case config.KindServer, config.KindServerIf:
		return "server"
	case config.KindLocation, config.KindIf, config.KindLimitExcept:
		return "location"
	case config.Default:
	}
	return ""
}

// inheritedFrom names the block around the request's own location, or its server where it has none, that holds the
// list in effect; "" where that is the request's own. An if block in the location counts as part of it.
func inheritedFrom(t *pipeline.Trace, from config.Kind, at *config.Level) string {
	switch levelOf(from) {
	case "http":
		return "http"
	case "server":
		if t.LimitedIn != nil {
			return "server"
		}
	case "location":
		if from == config.KindLocation && t.LimitedIn != nil && at != &t.LimitedIn.Level && at != t.LimitedLevel {
			return "an outer location"
		}
	}
	return ""
}

// keyText writes a key for people: the bytes of $binary_remote_addr as an address, wherever they came from.
func keyText(v value.Value, c pipeline.Client) (text *string, unknown string) {
	raw, ok := v.Known()
	if !ok {
		return nil, v.Reason()
	}
	for _, a := range []netip.Addr{c.Addr, c.Addr.Unmap(), c.Peer, c.Peer.Unmap()} {
		if !a.IsValid() {
			continue
		}
		if bytes := string(a.AsSlice()); raw == bytes || !plain(raw) {
			raw = strings.Replace(raw, bytes, request.AddrText(a), 1)
		}
	}
	return &raw, ""
}

func keyLength(v value.Value) (int, bool) {
	raw, ok := v.Known()
	return len(raw), ok && raw != ""
}
