// Package alerts writes what watches the limits of a configuration: Prometheus rules, the programs and settings of log
// exporters that feed them, and an awk script for cron. It knows the zones, what they may do and where that is logged; it
// reads no log and refuses to guess a limit's outcome where the configuration does not log it.
package alerts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Options are the thresholds of the rules.
type Options struct {
	Window       time.Duration // over which is counted
	RefusedShare float64       // of requests refused, above which is told: a single refusal in a real excess is protection at work
	DelayedShare float64       // of requests delayed, above which is told: ordinary pages wait
	LogFormat    string        // name of the log format that is read; "" for the one in which most limited places log
}

// The directives that refuse, as the counters name them.
const (
	limitReq  = "limit_req"
	limitConn = "limit_conn"
)

// A Plan is what there is to watch.
type Plan struct {
	Options
	Zones []Zone
	Log   *Log     // the access log that is read; nil where no limited place has one that is known
	Notes []string // what cannot be watched, and why
}

// A Zone is one zone that limits in effect name.
type Zone struct {
	Directive string // limit_req or limit_conn
	Name      string
	Place     string // file:line of its definition
	Rate      string // "5r/s", "10r/m"; "" for limit_conn
	Where     string // places where it is in effect, the first few
	Wait      string // the longest that a request may be held, "2 s"; "" where none is held
	DryRun    bool   // some of its limits only count
	Enforced  bool   // some of its limits refuse
	Statuses  []int  // of its refusals
	Refused   bool   // refusals reach the error log, at some place
	Hidden    bool   // and at some place they do not
	Delayed   bool   // delays reach the error log
}

// A Log is an access log by its format.
type Log struct {
	Format *config.LogFormat
	Paths  []string
	pieces []piece
}

// New plans what watches a configuration's limits.
func New(f *rule.Facts, o Options) (*Plan, error) {
	p := &Plan{Options: o}
	for _, z := range f.Zones() {
		if zone, used := p.zone(z); used {
			p.Zones = append(p.Zones, zone)
		}
	}
	if len(p.Zones) == 0 {
		return nil, fmt.Errorf("no limit_req or limit_conn is in effect anywhere: there is nothing to watch")
	}
	return p, p.chooseLog(f)
}

func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// zone describes a zone by the limits in effect that name it.
func (p *Plan) zone(z *rule.Zone) (Zone, bool) {
	out := Zone{Directive: limitConn, Name: z.Name, Place: place(z.Item.Head())}
	if z.Req != nil {
		out.Directive, out.Rate = limitReq, rule.RateOf(z.Req)
	}
	var wait int64
	var where []string
	hidden := make(map[string]bool)
	for _, use := range z.Uses {
		if use.Req != nil {
			wait = max(wait, rule.LongestDelay(use.Req))
		}
		for _, at := range use.Places {
			where = append(where, at.Context()[len(at.Context())-1])
			p.use(&out, at, use.Req != nil, hidden)
		}
	}
	if len(where) == 0 {
		return out, false
	}
	if wait > 0 {
		out.Wait = rule.AtMost(wait)
	}
	out.Where = rule.Some(where)
	slices.Sort(out.Statuses)
	p.tellHidden(&out, hidden)
	return out, true
}

// use adds what one place makes of the zone.
func (p *Plan) use(z *Zone, at rule.Place, req bool, hidden map[string]bool) {
	s := at.Settings
	status, level, dry := s.LimitConnStatus.Value, s.LimitConnLogLevel.Value, s.LimitConnDryRun.Value
	if req {
		status, level, dry = s.LimitReqStatus.Value, s.LimitReqLogLevel.Value, s.LimitReqDryRun.Value
	}
	z.DryRun = z.DryRun || dry
	z.Enforced = z.Enforced || !dry
	if !slices.Contains(z.Statuses, status) {
		z.Statuses = append(z.Statuses, status)
	}
	kept, nowhere := rule.KeptLevel(s.ErrorLogs.Value)
	refused, delayed := !nowhere && rule.KeepsLevel(kept, level), !nowhere && rule.KeepsLevel(kept, delayLevel(level))
	z.Refused, z.Hidden = z.Refused || refused, z.Hidden || !refused
	z.Delayed = z.Delayed || delayed
	switch {
	case nowhere:
		hidden["error_log keeps nothing"] = true
	case !refused:
		hidden[fmt.Sprintf("refusals are logged at %s, and error_log keeps %s and what is graver", level, kept)] = true
	}
}

func (p *Plan) tellHidden(z *Zone, hidden map[string]bool) {
	for _, why := range sortedKeys(hidden) {
		p.note("zone %q: %s, at some of its places at least: the error log does not tell of it there", z.Name, why)
	}
	if z.Wait != "" && !z.Delayed && z.Refused {
		p.note("zone %q: delays are logged one level below refusals, which error_log leaves out: only $limit_req_status tells of them", z.Name)
	}
}

// delayLevel is the level at which delays are logged: one below that of refusals, and at most info.
// Source: ngx_http_limit_req_merge_conf.
func delayLevel(refusals string) string {
	levels := [...]string{"error", "warn", "notice", "info"}
	i := slices.Index(levels[:], refusals)
	return levels[min(i+1, len(levels)-1)]
}

// chooseLog takes the format in which most limited places log, or that which was asked for.
func (p *Plan) chooseLog(f *rule.Facts) error {
	places := make(map[*config.LogFormat]int)
	paths := make(map[*config.LogFormat][]string)
	for _, at := range f.Places() {
		if !f.Limited(at) {
			continue
		}
		for _, log := range at.Settings.AccessLogs.Value {
			format := f.Tree.HTTP.LogFormats[log.Format]
			if format == nil || log.Path == "/dev/null" {
				continue
			}
			places[format]++
			if path := comment(log.Path); !slices.Contains(paths[format], path) {
				paths[format] = append(paths[format], path)
			}
		}
	}
	formats := make([]*config.LogFormat, 0, len(places))
	for format := range places {
		formats = append(formats, format)
	}
	tells := func(f *config.LogFormat) int {
		if (&Plan{Log: &Log{pieces: split(f.Text)}}).Has(limitReqStatus) {
			return 1
		}
		return 0
	}
	slices.SortFunc(formats, func(a, b *config.LogFormat) int {
		return cmp.Or(cmp.Compare(places[b], places[a]), cmp.Compare(tells(b), tells(a)), strings.Compare(a.Name, b.Name))
	})
	names := make([]string, len(formats))
	for i, format := range formats {
		names[i] = format.Name
		if p.LogFormat == format.Name || p.LogFormat == "" && i == 0 {
			p.Log = &Log{Format: format, Paths: paths[format], pieces: split(format.Text)}
		}
	}
	switch {
	case p.Log == nil && p.LogFormat != "":
		return fmt.Errorf("log format %q: no limited location logs in it: they use %s", p.LogFormat, rule.Some(names))
	case p.Log == nil:
		p.note("no limited location has an access log that is known: only the error log is watched")
	case len(names) > 1 && p.LogFormat == "":
		p.note("limited locations log in %d formats: %s: this reads %s; --log-format names another", len(names), rule.Some(names), p.Log.Format.Name)
	}
	p.tellLacking()
	return nil
}

// tellLacking says which variables the log lacks.
func (p *Plan) tellLacking() {
	if p.Log == nil {
		return
	}
	for _, v := range [...]struct{ name, lost string }{
		{limitReqStatus, "refusals and delays are not in it"},
		{requestTime, "request times are not in it"},
		{upstreamTime, "what the upstream needs is not in it"},
	} {
		if !p.Has(v.name) && (v.name != limitReqStatus || p.limitsRequests()) {
			p.note("log format %s has no $%s: %s", p.Log.Format.Name, v.name, v.lost)
		}
	}
}

func (p *Plan) limitsRequests() bool {
	return slices.ContainsFunc(p.Zones, func(z Zone) bool { return z.Directive == limitReq })
}

// Delays says whether any limit holds requests.
func (p *Plan) Delays() bool {
	return slices.ContainsFunc(p.Zones, func(z Zone) bool { return z.Wait != "" })
}

// Has says whether the access log holds a variable, which comes without "$".
func (p *Plan) Has(variable string) bool {
	return p.Log != nil && slices.ContainsFunc(p.Log.pieces, func(x piece) bool { return x.variable == variable })
}

func place(s source.Span) string {
	return fmt.Sprintf("%s:%d", comment(s.File.Path), s.From().Line)
}
