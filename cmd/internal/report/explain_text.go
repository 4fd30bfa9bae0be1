package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteExplanation writes an explanation for a person.
func WriteExplanation(w io.Writer, e Explanation, color bool) error {
	t := &explainWriter{errWriter{w: w}, palette{color}}
	t.print(t.p.bold(clean(e.Method+" "+e.URL)), "\n")
	t.blocks(e)
	t.client(e.Client)
	t.outcome(e)
	t.limits(e)
	for _, s := range e.Assumptions {
		t.field("assumed", clean(s))
	}
	return t.err
}

type explainWriter struct {
	errWriter
	p palette
}

// field writes what a line is about in a column of its own, then the text.
func (t *explainWriter) field(name, text string) {
	for i, line := range strings.Split(wrap(text, DefaultWidth-14), "\n") {
		if i > 0 {
			name = ""
		}
		t.print("  ", t.p.gutter(fmt.Sprintf("%-10s", name)), " ", line, "\n")
	}
}

func (t *explainWriter) blocks(e Explanation) {
	if e.Server == nil {
		t.field("server", "none: nginx refuses the request before it chooses one")
		return
	}
	name := *e.Server.Name
	if name == "" {
		name = "(no name)"
	}
	t.field("server", clean(name)+t.at(e.Server.File, e.Server.Line))
	if e.Location == nil {
		t.field("location", "none: the server itself answers")
	} else {
		t.field("location", clean(*e.Location.Label)+t.at(e.Location.File, e.Location.Line))
	}
	for _, step := range e.PathTaken {
		t.field("path", clean(step))
	}
}

func (t *explainWriter) at(file string, line int) string {
	if file == "" {
		return ""
	}
	return "  " + t.p.faint(fmt.Sprintf("%s:%d", clean(file), line))
}

func (t *explainWriter) client(c ExplainedClient) {
	switch {
	case c.RemoteAddr != c.RealipRemoteAddr:
		t.field("client", fmt.Sprintf("%s, taken from what %s sent, which is trusted", c.RemoteAddr, c.RealipRemoteAddr))
	case c.Trusted:
		t.field("client", c.RemoteAddr+", which is trusted but sent no other address")
	case c.Proxied:
		t.field("client", c.RemoteAddr+", which connects and is not trusted, so that its headers are not looked at")
	default:
		t.field("client", c.RemoteAddr+", which connects itself")
	}
}

func (t *explainWriter) outcome(e Explanation) {
	s := e.EndsIn
	switch {
	case e.Status != nil:
		s += fmt.Sprintf(", status %d", *e.Status)
	case e.EndsIn == "content":
		s += ", an upstream decides the status"
	}
	if e.Redirect != "" {
		s += ", to " + clean(e.Redirect)
	}
	t.field("ends in", s)
}

func (t *explainWriter) limits(e Explanation) {
	switch {
	case len(e.Limits) == 0 && e.LimiterRuns:
	case len(e.Limits) == 0:
		t.field("limit_req", "no limit judges this request")
	case !e.LimiterRuns:
		t.field("limit_req", "in effect, but no key counts")
	}
	for _, l := range e.Limits {
		t.limit(l, e)
	}
	for _, l := range e.ConnLimits {
		t.conn(l, e)
	}
}

func (t *explainWriter) limit(l ExplainedLimit, e Explanation) {
	t.field("limit_req", t.p.bold("zone "+clean(l.Zone))+t.at(l.Declared.File, l.Declared.Line)+t.inherited(l.Level, e))
	t.field("", key(l.Key, l.KeyValue, l.KeyUnknown, l.Counted))
	if l.RateMilli == 0 {
		t.field("", "the zone is not defined in what was read")
		return
	}
	t.field("", pace(l))
	t.field("", allowance(l, e.RejectStatus))
	if e.DryRun {
		t.field("", "dry run: counted and logged, but nobody is held up")
	}
	t.room(l.ZoneCapacity)
}

func (t *explainWriter) conn(l ExplainedConn, e Explanation) {
	t.field("limit_conn", t.p.bold("zone "+clean(l.Zone))+t.at(l.Declared.File, l.Declared.Line)+t.inherited(l.Level, e))
	t.field("", key(l.Key, l.KeyValue, l.KeyUnknown, l.Counted))
	t.field("", fmt.Sprintf("at most %d at the same time, the rest is refused with %d", l.Max, e.ConnStatus))
	if e.ConnDryRun {
		t.field("", "dry run: counted and logged, but nobody is refused")
	}
	t.room(l.ZoneCapacity)
}

func (t *explainWriter) room(capacity int) {
	if capacity > 0 {
		t.field("", fmt.Sprintf("the zone holds %d keys of this length", capacity))
	}
}

// inherited says that a limit was not written at the location itself.
func (t *explainWriter) inherited(level string, e Explanation) string {
	if level == "" || level == "location" || (level == "server" && e.Location == nil) {
		return ""
	}
	return t.p.faint(", inherited from " + level)
}

func key(template string, value *string, unknown string, counted bool) string {
	switch {
	case value == nil:
		return fmt.Sprintf("key %s cannot be known: %s", clean(template), clean(unknown))
	case !counted && *value == "":
		return fmt.Sprintf("key %s is empty, so the request is not counted", clean(template))
	case !counted:
		return fmt.Sprintf("key %s is not counted", clean(template))
	}
	return fmt.Sprintf("key %s = %s", clean(template), clean(*value))
}

// pace says how fast a bucket drains.
func pace(l ExplainedLimit) string {
	return fmt.Sprintf("%s requests a second: one every %s", milli(l.RateMilli), duration(l.IntervalMs))
}

// allowance says what happens to requests that come faster.
func allowance(l ExplainedLimit, status int) string {
	var b strings.Builder
	delay, spaced := l.Delay.(int64)
	switch {
	case l.Burst == 0:
		return fmt.Sprintf("any request that comes earlier is refused with %d", status)
	case !spaced || delay >= l.Burst:
		fmt.Fprintf(&b, "%d more pass at once", l.Burst)
	case delay == 0:
		fmt.Fprintf(&b, "%d more wait, the last for %s", l.Burst, duration(l.MaxDelayMs))
	default:
		fmt.Fprintf(&b, "%d more pass at once and %d more wait, the last for %s", delay, l.Burst-delay, duration(l.MaxDelayMs))
	}
	fmt.Fprintf(&b, "; beyond that requests are refused with %d", status)
	return b.String()
}
