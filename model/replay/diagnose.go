package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// The kinds of diagnosis.
const (
	diagLimiter = "limiter_delays"  // the limiter makes the delay, not the upstream
	diagNodelay = "missing_nodelay" // a burst is paid out one by one
	diagSteady  = "steady_delayed"  // delayed in ordinary use
	diagRefused = "refusals"        // where, whom and when
	diagDry     = "dry_run"         // what a dry run would have done
	diagShared  = "shared_address"  // several people behind one key
	diagProxy   = "untrusted_proxy" // a proxy's address is the key
	diagPage    = "page"            // a page and the limit it meets
	diagStatic  = "static_limited"
	diagHealth  = "health_limited"
	diagAttack  = "attack_like"
)

// diagKinds are all of them.
var diagKinds = []string{
	diagLimiter, diagNodelay, diagSteady, diagRefused, diagDry, diagShared, diagProxy, diagPage, diagStatic, diagHealth, diagAttack,
}

// timeText shows a time.
func timeText(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// diagnose tells what the traffic of one nginx shows: of each place in the order of the configuration, then of keys.
func (e *engine) diagnose() []Diagnosis {
	list := make([]Diagnosis, 0, 16)
	for _, s := range e.ordered() {
		list = append(list, e.ofDelay(s)...)
		list = append(list, e.ofRefusals(s)...)
		list = append(list, e.ofKinds(s)...)
	}
	list = append(list, e.ofPages()...)
	list = append(list, e.ofKeys()...)
	if e.name != "" {
		for i := range list {
			list[i].Nginx, list[i].Evidence["nginx"] = e.name, e.name
		}
	}
	return list
}

// at begins a diagnosis of a place; the limit, where there is one, is the line that it is about.
func at(kind string, p pipeline.Place, l *config.LimitReq, message string, evidence map[string]any) Diagnosis {
	d := Diagnosis{Kind: kind, Message: message, Server: p.ServerName(), Location: p.Label(), File: p.File(), Line: p.Line(), Evidence: evidence}
	if l != nil && l.Directive != nil {
		d.File, d.Line = l.Directive.File.Path, l.Directive.Span().From().Line
		words := make([]string, 0, 4)
		for _, w := range l.Directive.Words() {
			words = append(words, w.Value)
		}
		d.Directive = strings.Join(words, " ") + ";"
	}
	return d
}

// limitsOf are the limits of a place whose zones are defined.
func limitsOf(p pipeline.Place) []*config.LimitReq {
	if p.Level == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Level.Settings.LimitReqs.Value), func(l *config.LimitReq) bool { return l.Zone == nil })
}

// holds says whether a limit holds requests back.
func holds(l *config.LimitReq) bool { return !l.NoDelay && l.Burst > 0 && l.Delay < l.Burst }

// holding returns the first limit of a place that holds requests back; nil for none.
func holding(p pipeline.Place) *config.LimitReq {
	for _, l := range limitsOf(p) {
		if holds(l) {
			return l
		}
	}
	return nil
}

const (
	fewest     = 20  // requests on which a diagnosis may rest
	noticeable = 100 // milliseconds that people notice
	steadyPart = 10  // one of so many minutes
)

// ofDelay judges who makes requests wait.
func (e *engine) ofDelay(s *spot) []Diagnosis {
	var list []Diagnosis
	l, t, w := holding(s.place), &s.times, &s.windows
	sum := t.judged()
	request, upstream, queued := t.request.Quantiles(), t.upstream.Quantiles(), t.queued.Quantiles()
	held := max(t.delayed, sum.delayed)
	waited := t.delayed // in what the times tell of: where the log tells decisions, by these alone
	if t.logged == 0 {
		waited = sum.delayed
	}
	name := placeText(s.place)
	if l != nil && waited > 0 && t.request.N() >= fewest && request.P95-upstream.P95 >= noticeable && 2*(request.P95-upstream.P95) >= request.P95 {
		what := fmt.Sprintf("%s of %s requests to %s were DELAYED by the log", number(t.delayed), number(t.logged), name)
		if t.logged == 0 {
			what = fmt.Sprintf("%s of %s requests to %s are delayed in the replay", number(sum.delayed), number(sum.judged), name)
		}
		list = append(list, at(diagLimiter, s.place, l, fmt.Sprintf(
			"the limiter makes the delay, not the upstream: the 95th percentile of request times is %s, that of their upstream %s; %s",
			clock.Words(request.P95), clock.Words(upstream.P95), what,
		), map[string]any{
			"request_p95_ms": request.P95, "upstream_p95_ms": upstream.P95, "request_p50_ms": request.P50, "upstream_p50_ms": upstream.P50,
			"queued_p50_ms": queued.P50, "queued_p95_ms": queued.P95, "delayed": held, "logged": t.logged, "replayed_delayed": sum.delayed,
		}))
	}
	if t.mixed > 0 && t.delayed == 0 && 2*t.mixed >= sum.delayed {
		return list // who waits for whom rests on an order of lines that nothing tells: see engine.notes
	}
	if l != nil && held > 0 {
		wait := int64(1_000_000) / l.Zone.Rate
		list = append(list, at(diagNodelay, s.place, l, fmt.Sprintf(
			"%s delayed without need: zone %s pays its burst of %d out one request per %s, up to %s; with nodelay these would have passed at once",
			count(held, "request"), l.ZoneName, l.Burst/1000, clock.Words(wait), clock.AtMost((l.Burst-l.Delay)*1000/l.Zone.Rate),
		), map[string]any{"delayed": held, "rate_milli": l.Zone.Rate, "burst_milli": l.Burst, "interval_ms": wait, "longest_ms": (l.Burst - l.Delay) * 1000 / l.Zone.Rate}))
	}
	if minutes := len(widths) - 1; l != nil && w.held[minutes] >= 5 && w.held[minutes]*steadyPart >= w.some[minutes] {
		list = append(list, at(diagSteady, s.place, l, fmt.Sprintf(
			"requests to %s are delayed steadily, in %s of the %s minutes with requests: in ordinary use that is a fault of the configuration, even where nothing is refused",
			name, number(w.held[minutes]), number(w.some[minutes]),
		), map[string]any{"minutes": w.some[minutes], "minutes_delayed": w.held[minutes], "delayed": sum.delayed}))
	}
	return list
}

// ofRefusals tells where, whom and when.
func (e *engine) ofRefusals(s *spot) []Diagnosis {
	sum := s.times.judged()
	limits := limitsOf(s.place)
	if sum.refused == 0 || len(limits) == 0 {
		return nil
	}
	evidence := map[string]any{"refused": sum.refused, "judged": sum.judged, "delayed": sum.delayed}
	text := fmt.Sprintf("%s of %s requests to %s are refused", number(sum.refused), number(sum.judged), placeText(s.place))
	var about *config.LimitReq
	var most int64
	for id, row := range e.keys.all {
		for _, l := range limits {
			if l.Zone == id.zone && (row.Rejected > most || row.Rejected == most && about != nil && most > 0 && e.redact(pipeline.Readable(id.key)) < evidence["key"].(string)) {
				about, most = l, row.Rejected
				evidence["zone"], evidence["key"], evidence["key_refused"] = l.ZoneName, e.redact(pipeline.Readable(id.key)), row.Rejected
			}
		}
	}
	if most > 0 {
		text += fmt.Sprintf("; key %s of zone %s has %s in all", evidence["key"], evidence["zone"], number(most))
	} else {
		about = limits[0]
	}
	for i, width := range widths {
		if worst := s.windows.worst[i]; len(worst) > 0 && worst[0].refused > 0 {
			evidence["worst_"+strconv.FormatInt(width, 10)+"_ms"] = map[string]any{
				"from_ms": worst[0].at * width, "requests": worst[0].requests, "refused": worst[0].refused, "windows_hit": s.windows.hit[i],
			}
		}
	}
	if second := s.windows.worst[1]; len(second) > 0 && second[0].refused > 0 {
		text += fmt.Sprintf("; in the worst second, %s, %s of %s", timeText(second[0].at*1000), number(second[0].refused), number(second[0].requests))
	}
	kind := diagRefused
	if s.place.Level.Settings.LimitReqDryRun.Value {
		kind = diagDry
		text = strings.Replace(text, " are refused", " would be refused without the dry run", 1)
	}
	return []Diagnosis{at(kind, s.place, about, text, evidence)}
}

// ofKinds finds requests that a general rule counts by mistake.
func (e *engine) ofKinds(s *spot) []Diagnosis {
	limits := limitsOf(s.place)
	if len(limits) == 0 {
		return nil
	}
	var list []Diagnosis
	whole := s.times.judged()
	for _, c := range []struct {
		kind kind
		diag string
		text string
	}{
		{static, diagStatic, "static files count against the limit of %s: %s requests (%.0f %% of all it judges), %s of them delayed, %s refused, such as %s"},
		{health, diagHealth, "health checks count against the limit of %s: %s requests (%.0f %% of all it judges), %s of them delayed, %s refused, such as %s"},
	} {
		n := s.times.kinds[c.kind]
		if n.judged < fewest {
			continue
		}
		list = append(list, at(c.diag, s.place, limits[0], fmt.Sprintf(
			c.text, placeText(s.place), number(n.judged), 100*float64(n.judged)/float64(whole.judged), number(n.delayed), number(n.refused), n.path,
		), map[string]any{"requests": n.judged, "delayed": n.delayed, "refused": n.refused, "path": n.path, "judged": whole.judged}))
	}
	return list
}

// placeText names a place. Its server is named with it: one limit in http, at one line, may hold at "/" of each.
func placeText(p pipeline.Place) string {
	switch name := p.ServerName(); {
	case p.Location == nil && name == "":
		return "the server without a name"
	case p.Location == nil:
		return "server " + name
	case name == "":
		return "location " + p.Label()
	default:
		return "location " + p.Label() + " of " + name
	}
}

func number(n int64) string { return numeral.Count(n) }

func count(n int64, noun string) string { return numeral.Of(n, noun) }
