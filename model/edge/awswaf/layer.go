package awswaf

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// Lag is how far behind the traffic a rate-based rule decides, in milliseconds. The documentation says that detecting a
// rate, and that it has sunk, takes some time, usually below 30 seconds; this is the middle of what is seen.
const Lag clock.Msec = 20_000

// A Layer runs a web ACL. It is an edge.Layer.
type Layer struct {
	rules []*running
	rest  *edge.RuleStat // what the default action stops; nil where it lets pass
	acl   *ACL
}

// byDefault is by what name reports know the default action of a web ACL, as AWS's own metrics do.
const byDefault = "Default_Action"

type running struct {
	*Rule
	counters map[string]*counter
	key      []byte
	stat     edge.RuleStat

	full   int   // how many combinations there may be before it is looked for those that can be let go
	missed int64 // requests since the last sweep that found no room
	lost   int64 // requests that were not counted, as there was no room
}

// mostCounters bounds the combinations of a rule that are counted at a time. Tests lower it.
var mostCounters = 1 << 19

// leastFull is how many combinations there may be at any rate.
const leastFull = 4096

// room says whether one more combination can be counted; those of which nothing came within a window are let go when there
// are twice as many as there were left the last time.
func (r *running) room(now clock.Msec) bool {
	if len(r.counters) < min(max(r.full, leastFull), mostCounters) {
		return true
	}
	if len(r.counters) >= mostCounters && r.missed > 0 && r.missed < int64(mostCounters)/8 {
		r.missed++
		return false
	}
	r.missed = 1
	for key, c := range r.counters {
		if c.marks[len(c.marks)-1].at <= now-Lag-r.Rate.window {
			delete(r.counters, key)
		}
	}
	r.full = 2 * len(r.counters)
	if len(r.counters) < mostCounters {
		r.missed = 0
		return true
	}
	return false
}

// counter is what came for one combination of keys within the window, and the lag before it.
type counter struct {
	marks []mark // oldest first
	head  int    // the first within the window, seen with the lag
	mid   int    // the first that is not seen yet
	sum   int64  // of those between
}

type mark struct {
	at clock.Msec
	n  int64
}

// New makes a layer of a web ACL.
func New(acl *ACL) *Layer {
	l := &Layer{acl: acl}
	for _, u := range acl.Rules {
		r := &running{Rule: u, stat: edge.RuleStat{Rule: u.Name}}
		if u.Rate != nil {
			r.counters = map[string]*counter{}
			r.stat.Limit, r.stat.PeriodS = u.Rate.Limit, u.Rate.WindowS
		}
		l.rules = append(l.rules, r)
	}
	if acl.Default.Kind == "Block" {
		l.rest = &edge.RuleStat{Rule: byDefault}
	}
	return l
}

// Decide judges a request by the rules in the order of their priority: Allow and whatever stops it end that. With what is
// left the web ACL's default action is done; where a rule that is unknown may have let the request pass, it is taken to.
func (l *Layer) Decide(now clock.Msec, req *edge.Request) edge.Decision {
	var d edge.Decision
	mayPass := ""
	for _, r := range l.rules {
		if r.Unknown != "" {
			r.dark(r.Unknown)
			if r.passes() {
				mayPass = r.Unknown
			}
			continue
		}
		fits, why := lang.True, r.hidden(req)
		if why != "" {
			fits = lang.Unknown
		} else if r.When != nil {
			fits, why = r.When.test(req)
		}
		if fits == lang.Unknown {
			r.dark(why)
			if r.passes() {
				mayPass = why
			}
		}
		if fits != lang.True {
			continue
		}
		got, acts := r.judge(now, req)
		switch {
		case !acts && r.Rate == nil:
			continue
		case d.Rule == "" || got.Action.Stops() || d.Action == edge.Allow && got.Action == edge.Log:
			d = got
		}
		if got.Action.Stops() || acts && r.Action.Kind == "Allow" {
			return d
		}
	}
	switch {
	case l.rest == nil:
		return d
	case mayPass != "":
		l.rest.Unknown++
		if l.rest.Why == "" {
			l.rest.Why = mayPass
		}
		return d
	}
	l.rest.Matched++
	l.rest.Blocked++
	return edge.Decision{Rule: byDefault, Action: edge.Block, Status: l.acl.Default.Status, RetryAfterMs: -1}
}

// passes says whether a rule may let requests pass all others: a rule that does, or a group of rules of which nobody knows.
func (r *Rule) passes() bool { return r.Action.Kind == "Allow" || r.Action.Kind == "" && r.Rate == nil }

// hidden says what of a logged request a rule looks at that the log does not tell; "" for nothing.
func (r *running) hidden(req *edge.Request) string {
	if req.KnowsAll() {
		return ""
	}
	if header := notIn(r.reads.Headers, req.Knows); header != "" {
		return "the log does not tell the header " + header
	}
	if cookie := notIn(r.reads.Cookies, req.KnowsCookie); cookie != "" {
		return "the log does not tell the cookie " + cookie
	}
	if !req.Client.IsValid() {
		return "the client's address is not known"
	}
	return ""
}

func notIn(names []string, known func(string) bool) string {
	for _, name := range names {
		if !known(name) {
			return name
		}
	}
	return ""
}

// Reads tells what the rules look at.
func (l *Layer) Reads() edge.Reads {
	var all edge.Reads
	for _, r := range l.rules {
		for _, name := range r.reads.Headers {
			all.AddHeader(name)
		}
		for _, name := range r.reads.Cookies {
			all.AddCookie(name)
		}
		all.Query = all.Query || r.reads.Query
	}
	return all
}

func (r *running) dark(why string) {
	r.stat.Unknown++
	if r.stat.Why == "" {
		r.stat.Why = why
	}
}

// judge counts a request and says what the rule does with it.
func (r *running) judge(now clock.Msec, req *edge.Request) (d edge.Decision, acts bool) {
	r.stat.Matched++
	d = edge.Decision{Rule: r.Name, Action: edge.Allow}
	if r.Rate != nil {
		r.key = r.key[:0]
		for _, k := range r.Rate.keys {
			var ok bool
			if r.key, ok = k(req, r.key); !ok {
				return edge.Decision{}, false
			}
		}
		c := r.counters[string(r.key)]
		if c == nil {
			if !r.room(now) {
				r.lost++
				return d, false
			}
			c = &counter{}
			r.counters[string(r.key)] = c
			r.stat.Keys++
		}
		r.stat.Counted++
		d.Counter = c.take(now, r.Rate.window)
		r.stat.Peak = max(r.stat.Peak, d.Counter)
		if d.Counter <= r.Rate.Limit {
			return d, false
		}
	}
	d.RetryAfterMs = -1
	switch r.Action.Kind {
	case "Block":
		d.Action, d.Status = edge.Block, r.Action.Status
		r.stat.Blocked++
	case "Captcha":
		d.Action, d.Kind, d.Status = edge.Challenge, "captcha", 405
		r.stat.Challenged++
	case "Challenge":
		d.Action, d.Kind, d.Status = edge.Challenge, "challenge", 202
		r.stat.Challenged++
	case "Count":
		d.Action = edge.Log
		r.stat.Logged++
	}
	return d, true
}

// take counts one request, and returns how many the rule has seen in its window: what came within the lag is not seen
// yet. Requests that are stopped count too.
func (c *counter) take(now, window clock.Msec) int64 {
	if last := len(c.marks) - 1; last >= c.mid && c.marks[last].at >= now {
		c.marks[last].n++
	} else {
		c.marks = append(c.marks, mark{now, 1})
	}
	for c.mid < len(c.marks) && c.marks[c.mid].at <= now-Lag {
		c.sum += c.marks[c.mid].n
		c.mid++
	}
	for c.head < c.mid && c.marks[c.head].at <= now-Lag-window {
		c.sum -= c.marks[c.head].n
		c.head++
	}
	if c.head > 64 && c.head > len(c.marks)/2 {
		c.marks = append(c.marks[:0], c.marks[c.head:]...)
		c.mid, c.head = c.mid-c.head, 0
	}
	return c.sum
}

// Observe has nothing to count: AWS WAF's rate-based rules look at requests alone.
func (l *Layer) Observe(_ clock.Msec, _ *edge.Request, _ *edge.Response, was edge.Decision) edge.Decision {
	return was
}

// Report tells what the rules did.
func (l *Layer) Report() edge.Report {
	rep := edge.Report{Front: "AWS WAF"}
	for _, r := range l.rules {
		st := r.stat
		rep.Rules = append(rep.Rules, st)
		if r.lost > 0 {
			rep.Said = append(rep.Said, fmt.Sprintf("edge rule %q: %s were not counted, as %s combinations of its keys had counters at that time", st.Rule, numeral.Of(r.lost, "request"), numeral.Count(mostCounters)))
		}
		if st.Unknown > 0 {
			rep.Said = append(rep.Said, fmt.Sprintf("edge rule %q: for %s it cannot be known whether it acts, and it is taken not to: %s", st.Rule, numeral.Of(st.Unknown, "request"), st.Why))
		}
	}
	if l.rest != nil {
		rep.Rules = append(rep.Rules, *l.rest)
		if l.rest.Unknown > 0 {
			rep.Said = append(rep.Said, fmt.Sprintf("for %s that the web ACL's default action would block it cannot be known whether a rule lets them pass, and they are taken to pass: %s", numeral.Of(l.rest.Unknown, "request"), l.rest.Why))
		}
	}
	rep.Said = append(rep.Said, fmt.Sprintf("AWS WAF sees a rate %d s late, in both directions; its documentation says that this usually takes less than 30 s, and gives no number", Lag/1000))
	return rep
}
