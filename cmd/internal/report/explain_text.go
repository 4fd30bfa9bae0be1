package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// WriteExplanation writes an explanation for a person.
func WriteExplanation(w io.Writer, e Explanation, o Options) error {
	t := &explainWriter{errWriter{w: &inertWriter{w: w}}, palette{o.Color}, o.width()}
	t.print(t.p.bold(clean(e.Method+" "+e.URL)), "\n")
	t.blocks(e)
	t.chain(e.Chain)
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
	p     palette
	width int
}

// field writes what a line is about in a column of its own, then the text.
func (t *explainWriter) field(name, text string) {
	for i, line := range strings.Split(wrap(text, t.width-14), "\n") {
		if i > 0 {
			name = ""
		}
		t.print("  ", t.p.gutter(fmt.Sprintf("%-10s", name)), " ", line, "\n")
	}
}

func (t *explainWriter) blocks(e Explanation) {
	switch {
	case e.Server == nil && e.lost():
		t.field("server", cannotBeKnown)
		return
	case e.Server == nil:
		t.field("server", "none: nginx refuses the request before it chooses one")
		return
	}
	name := *e.Server.Name
	if name == "" {
		name = "(no name)"
	}
	t.field("server", clean(name)+t.at(e.Server.File, e.Server.Line))
	switch {
	case e.Location != nil:
		t.field("location", clean(*e.Location.Label)+t.at(e.Location.File, e.Location.Line))
	case e.lost():
		t.field("location", cannotBeKnown)
	default:
		t.field("location", "none: the server itself answers")
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
	asked := false
	for _, l := range e.Limits {
		asked = asked || l.asked
	}
	runs := e.LimiterRuns != nil && *e.LimiterRuns
	switch {
	case len(e.Limits) == 0 && runs:
	case len(e.Limits) == 0 && e.lost():
		t.field("limit_req", "whether a limit judges this request cannot be known")
	case len(e.Limits) == 0:
		t.field("limit_req", "no limit judges this request")
	case !asked:
		t.field("limit_req", unasked(e))
	case !runs:
		t.field("limit_req", "in effect, but no key counts")
	}
	for _, l := range e.Limits {
		t.limit(l, e)
	}
	for _, l := range e.ConnLimits {
		t.conn(l, e)
	}
}

// cannotBeKnown stands for what hangs on something that could not be decided; an assumption names it.
const cannotBeKnown = "cannot be known"

// lost says whether the request could not be followed to its end.
func (e *Explanation) lost() bool { return e.EndsIn == string(pipeline.EndUnknown) }

// unasked says why a request does not come as far as its limits.
func unasked(e Explanation) string {
	const before = " before the limits are judged"
	switch {
	case e.EndsIn == "return":
		return "return answers" + before
	case e.Redirect != "":
		return "nginx redirects" + before
	case e.EndsIn == "request":
		return "nginx refuses the request" + before
	}
	return "the request ends" + before
}

func (t *explainWriter) limit(l ExplainedLimit, e Explanation) {
	if !t.head("limit_req", l.Zone, l.Declared, l.standing) {
		return
	}
	t.field("", key(l.Key, l.KeyValue, l.KeyUnknown, l.Counted))
	switch {
	case l.RateMilli == 0:
		t.field("", "the zone is not defined in what was read")
		return
	case !l.Counted:
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
	if !t.head("limit_conn", l.Zone, l.Declared, l.standing) {
		return
	}
	t.field("", key(l.Key, l.KeyValue, l.KeyUnknown, l.Counted))
	if !l.Counted {
		return
	}
	t.field("", fmt.Sprintf("at most %d at the same time, the rest is refused with %d", l.Max, e.ConnStatus))
	if e.ConnDryRun {
		t.field("", "dry run: counted and logged, but nobody is refused")
	}
	t.room(l.ZoneCapacity)
}

// head names a limit, and says whether there is more to tell of it.
func (t *explainWriter) head(name, zone string, at Declared, s standing) (asked bool) {
	text := t.p.bold("zone "+clean(zone)) + t.at(at.File, at.Line)
	if s.from != "" {
		text += t.p.faint(", inherited from " + s.from)
	}
	if !s.asked {
		text += t.p.faint(", not asked")
	}
	t.field(name, text)
	return s.asked
}

func (t *explainWriter) room(capacity *int) {
	if capacity != nil {
		t.field("", fmt.Sprintf("the zone holds %s of this length", count(*capacity, "key")))
	}
}

func key(template string, value *string, unknown string, counted bool) string {
	switch {
	case value == nil:
		return fmt.Sprintf("key %s cannot be known: %s", clean(template), clean(unknown))
	case !counted && *value == "":
		return fmt.Sprintf("key %s is empty: not counted", clean(template))
	case !counted:
		return fmt.Sprintf("key %s is not counted", clean(template))
	}
	return fmt.Sprintf("key %s = %s", clean(template), clean(*value))
}

// pace says how fast a bucket drains.
func pace(l ExplainedLimit) string {
	requests := "requests"
	if l.RateMilli == 1000 {
		requests = "request"
	}
	return fmt.Sprintf("%s %s a second: one every %s", milli(l.RateMilli), requests, duration(l.IntervalMs))
}

// allowance says what happens to requests that come faster.
func allowance(l ExplainedLimit, status int) string {
	var b strings.Builder
	delay, spaced := l.Delay.(int64)
	switch {
	case l.Burst == 0:
		return fmt.Sprintf("any request that comes earlier is refused with %d", status)
	case !spaced || delay >= l.Burst:
		fmt.Fprintf(&b, "%s at once", more(l.Burst, "pass"))
	case delay == 0:
		fmt.Fprintf(&b, "%s, the last for %s", more(l.Burst, "wait"), duration(l.MaxDelayMs))
	default:
		fmt.Fprintf(&b, "%s at once and %s, the last for %s", more(delay, "pass"), more(l.Burst-delay, "wait"), duration(l.MaxDelayMs))
	}
	fmt.Fprintf(&b, "; beyond that requests are refused with %d", status)
	return b.String()
}

// more says that so many requests more do something: 1 more waits, 2 more wait.
func more(n int64, verb string) string {
	switch {
	case n != 1:
	case strings.HasSuffix(verb, "s"):
		verb += "es"
	default:
		verb += "s"
	}
	return fmt.Sprintf("%d more %s", n, verb)
}
