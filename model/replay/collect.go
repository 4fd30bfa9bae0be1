package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// How many rows of each kind a result has.
const (
	shownKeys  = 50
	shownURIs  = 50
	shownPages = 20
)

// result brings together what the engines found.
func (r *replay) result(m *merge) (*Result, error) {
	out := &Result{
		Lines: m.lines, Outside: r.outside, Logs: []LogStat{}, Faults: []FaultStat{}, Locations: []Location{}, Zones: []Zone{}, ConnZones: []ConnZone{},
		Keys: []KeyStat{}, URIs: []URIStat{}, Windows: []WindowStat{}, Pages: []PageStat{}, Diagnosis: []Diagnosis{}, Assumptions: []string{},
	}
	out.logs(m)
	for _, e := range r.order {
		out.engine(e)
	}
	out.Agreement = r.agreement()
	slices.SortStableFunc(out.Keys, func(a, b KeyStat) int {
		return worse(a.Delayed, a.Rejected, a.Requests, b.Delayed, b.Rejected, b.Requests)
	})
	slices.SortStableFunc(out.URIs, func(a, b URIStat) int {
		return worse(a.Delayed, a.Rejected, a.Requests, b.Delayed, b.Rejected, b.Requests)
	})
	out.Keys, out.URIs = out.Keys[:min(len(out.Keys), shownKeys)], out.URIs[:min(len(out.URIs), shownURIs)]
	slices.SortStableFunc(out.Pages, func(a, b PageStat) int { return cmp.Compare(b.Loads, a.Loads) })
	out.Pages = out.Pages[:min(len(out.Pages), shownPages)]
	for _, e := range r.order {
		out.Diagnosis = append(out.Diagnosis, e.diagnose()...)
	}
	out.Assumptions = append(out.Assumptions, r.assumptions(m)...)
	return out, nil
}

// worse orders by refusals and delays, then by requests.
func worse(d1, r1, n1, d2, r2, n2 int64) int {
	if c := cmp.Compare(r2+d2, r1+d1); c != 0 {
		return c
	}
	return cmp.Compare(n2, n1)
}

// logs tells what was read.
func (out *Result) logs(m *merge) {
	named := slices.Clone(m.logs)
	slices.SortFunc(named, func(a, b *log) int { return a.n - b.n })
	type first struct {
		n    int64
		log  *log
		line int64
	}
	kinds := map[accesslog.Fault]*first{}
	for _, l := range named {
		s := LogStat{Name: l.Name, Nginx: l.Nginx, Format: l.Reader.Format.Name, Lines: l.lines, Used: l.used, FromMs: l.first, ToMs: l.last, Coarse: l.coarse}
		if l.err != nil {
			s.Error = l.err.Error()
			out.Faults = append(out.Faults, FaultStat{
				Kind: "broken", Message: "the log could not be read to its end: " + s.Error, File: l.Name, Line: l.errAt + 1,
			})
		}
		out.Logs = append(out.Logs, s)
		out.Skipped += l.faults.Skipped()
		for _, kind := range accesslog.Kinds() {
			switch n := l.faults.N[kind]; {
			case n == 0:
			case kinds[kind] == nil:
				kinds[kind] = &first{n, l, l.faults.First[kind]}
			default:
				kinds[kind].n += n
			}
		}
	}
	for _, kind := range accesslog.Kinds() {
		if f := kinds[kind]; f != nil {
			out.Faults = append(out.Faults, FaultStat{
				Kind: kind.Name(), Message: "lines " + kind.String(), Lines: f.n, File: f.log.Name, Line: f.line + 1, Skipped: kind.Skips(),
			})
		}
	}
}

// engine adds what one nginx did.
func (out *Result) engine(e *engine) {
	if e.requests == 0 {
		return
	}
	out.Requests += e.requests
	if out.FromMs == 0 || e.first < out.FromMs {
		out.FromMs = e.first
	}
	out.ToMs = max(out.ToMs, e.last)
	for _, l := range e.tally.Locations() {
		out.Locations = append(out.Locations, Location{e.name, l})
	}
	for _, z := range e.tally.Zones(e.pipe, clock.Msec(e.first)) {
		z.PeakKey = e.redact(z.PeakKey)
		out.Zones = append(out.Zones, Zone{e.name, z})
	}
	for _, z := range e.tally.ConnZones(e.pipe) {
		z.PeakKey = e.redact(z.PeakKey)
		out.ConnZones = append(out.ConnZones, ConnZone{e.name, z})
	}
	out.keys(e)
	out.uris(e)
	out.windows(e)
	out.pages(e)
}

// keys adds the keys that met most.
func (out *Result) keys(e *engine) {
	type pair struct {
		id  keyID
		row *keyRow
	}
	all := make([]pair, 0, len(e.keys.all))
	for id, row := range e.keys.all {
		all = append(all, pair{id, row})
	}
	slices.SortFunc(all, func(a, b pair) int {
		if c := worse(a.row.Delayed, a.row.Rejected, a.row.Requests, b.row.Delayed, b.row.Rejected, b.row.Requests); c != 0 {
			return c
		}
		return cmp.Or(strings.Compare(a.id.zone.Name, b.id.zone.Name), strings.Compare(a.id.key, b.id.key))
	})
	for _, p := range all[:min(len(all), shownKeys)] {
		k := p.row
		out.Keys = append(out.Keys, KeyStat{
			Nginx: e.name, Zone: p.id.zone.Name, Key: e.redact(pipeline.Readable(p.id.key)), Requests: k.Requests, Passed: k.Requests - k.Delayed - k.Rejected,
			Delayed: k.Delayed, Rejected: k.Rejected, PeakExcessMilli: k.peak, LongestMs: k.wait, MostInSecond: k.most,
			Agents: k.agents.n(), Users: k.users.n(), URIs: k.uris.n(), FirstMs: k.first, LastMs: k.last,
		})
	}
}

// uris adds the paths that met most.
func (out *Result) uris(e *engine) {
	type pair struct {
		id  uriID
		row *uriRow
	}
	all := make([]pair, 0, len(e.uris.all))
	for id, row := range e.uris.all {
		if row.Requests > 0 {
			all = append(all, pair{id, row})
		}
	}
	slices.SortFunc(all, func(a, b pair) int {
		if c := worse(a.row.Delayed, a.row.Rejected, a.row.Requests, b.row.Delayed, b.row.Rejected, b.row.Requests); c != 0 {
			return c
		}
		return cmp.Or(strings.Compare(nameOf(a.id.server), nameOf(b.id.server)), strings.Compare(a.id.path, b.id.path))
	})
	for _, p := range all[:min(len(all), shownURIs)] {
		u := p.row
		s := URIStat{
			Nginx: e.name, Server: nameOf(p.id.server), Path: p.id.path, Requests: u.Requests, Passed: u.Requests - u.Delayed - u.Rejected,
			Delayed: u.Delayed, Rejected: u.Rejected, LongestMs: u.wait,
		}
		if u.Delayed+u.Rejected > 0 {
			s.File, s.Line = e.r.sources[u.source].Name, u.line+1
		}
		out.URIs = append(out.URIs, s)
	}
}

func nameOf(s *config.Server) string { return pipeline.Place{Server: s}.ServerName() }

// windows adds the worst windows, by width, and within it the worst first.
func (out *Result) windows(e *engine) {
	for i, width := range widths {
		var list []WindowStat
		for _, p := range e.windows.all {
			for _, s := range p.worst[i] {
				if s.delayed+s.refused == 0 {
					continue
				}
				list = append(list, WindowStat{
					Nginx: e.name, WidthMs: width, FromMs: s.at * width, Server: p.place.ServerName(), Location: p.place.Label(), Requests: s.requests,
					Passed: s.requests - s.delayed - s.refused, Delayed: s.delayed, Rejected: s.refused, Hit: p.hit[i],
				})
			}
		}
		slices.SortFunc(list, func(a, b WindowStat) int {
			if c := worse(a.Delayed, a.Rejected, a.Requests, b.Delayed, b.Rejected, b.Requests); c != 0 {
				return c
			}
			return cmp.Or(cmp.Compare(a.FromMs, b.FromMs), strings.Compare(a.Server, b.Server), strings.Compare(a.Location, b.Location))
		})
		out.Windows = append(out.Windows, list...)
	}
}

// pages adds the pages that were recognised.
func (out *Result) pages(e *engine) {
	for id, p := range e.pages.all {
		if p.loads < 3 {
			continue
		}
		out.Pages = append(out.Pages, PageStat{e.name, nameOf(id.server), id.path, p.loads, p.sizes.Quantiles(), p.spans.Quantiles()})
	}
	slices.SortFunc(out.Pages, func(a, b PageStat) int {
		return cmp.Or(cmp.Compare(b.Loads, a.Loads), strings.Compare(a.Server, b.Server), strings.Compare(a.Path, b.Path), strings.Compare(a.Nginx, b.Nginx))
	})
}

// redact stands in for a text that may tell who somebody is.
func (e *engine) redact(text string) string {
	if e.r.o.Redact == nil || text == "" {
		return text
	}
	return e.r.o.Redact(text)
}

// kindTexts say why decisions differ.
var kindTexts = map[string]string{
	kindDryRun:     "the same decision, on one side in a dry run (limit_req_dry_run)",
	kindUnknownKey: "the key is not in the log, so that all requests were counted together",
	kindNotHere:    "a limiter ran according to the log, and by this configuration none does",
	kindNotThere:   "no limiter ran according to the log, and by this configuration one does",
	kindTime:       "the times of the log are whole seconds",
	kindWorkers:    "within 25 ms it would be the same: the clocks of several workers, or of one under load, stand that far apart",
	kindRestart:    "the log passes what is over the limit: the zone was emptied by a start of nginx (a reload keeps zones of the same size)",
	kindBefore:     "the log refuses or delays its first requests: what came before it is not known",
	kindStricter:   "the log is stricter, for no reason that is known: another configuration, or traffic that is not in the log",
	kindLooser:     "the log is looser, for no reason that is known: another configuration, or another nginx",
}

// agreement brings together what the engines compared.
func (r *replay) agreement() Agreement {
	out := Agreement{Kinds: []Disagreeing{}}
	at := map[string]int{}
	for _, e := range r.order {
		a := &e.agree
		out.Logged += a.logged
		out.Same += a.same
		out.Shifted += a.shifted
		for _, kind := range sortedKeys(a.kinds) {
			row := a.kinds[kind]
			if i, ok := at[kind]; ok {
				out.Kinds[i].N += row.n
				continue
			}
			at[kind] = len(out.Kinds)
			out.Kinds = append(out.Kinds, Disagreeing{
				Kind: kind, Message: kindTexts[kind], N: row.n, Logged: string(row.logged), Replayed: string(row.replay),
				File: r.sources[row.source].Name, Line: row.line + 1,
			})
		}
	}
	slices.SortStableFunc(out.Kinds, func(a, b Disagreeing) int { return cmp.Compare(b.N, a.N) })
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// assumptions say what was taken for what the logs do not tell.
func (r *replay) assumptions(m *merge) []string {
	var list []string
	say := func(n int64, format string, args ...any) {
		if n > 0 {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	coarse := int64(0)
	for _, l := range m.logs {
		if l.coarse {
			coarse++
		}
	}
	say(coarse, "the times of %d of %d logs are whole seconds: the requests of a second are spread evenly over it, so that bursts within a second are not seen; log $msec", coarse, len(m.logs))
	for _, e := range r.order {
		of := ""
		if len(r.order) > 1 {
			of = "nginx " + e.name + ": "
		}
		say(e.late, "%s%d requests took longer than %d s, or were logged late: they are decided when the window of order has passed, not when they came", of, e.late, Window/1000)
		say(e.squeezed, "%s%d requests were decided early, as more than %d waited to be put in order", of, e.squeezed, mostWaiting)
		say(e.rebased, "%sthe time of the log went back %d times by more than %d s: what came before was decided first", of, e.rebased, Window/1000)
		say(e.unjudged, "%s%d requests ended before any limiter, as the log shows (no request line, 400, 408, 414, 494 to 497): they are counted nowhere", of, e.unjudged)
		say(e.keys.gone, "%s%d keys with few requests were dropped from the table of keys, so as to keep memory bounded; decisions are not touched", of, e.keys.gone)
		say(e.uris.gone, "%s%d paths with few requests were dropped from the table of paths", of, e.uris.gone)
		if list := e.unlogged(); len(list) > 0 && e.requests > 0 {
			say(1, "%sthe log does not hold %s, on which limits depend: taken as empty, and an empty key is not counted; add it to the log_format", of, strings.Join(list, ", "))
		}
		for _, at := range e.restarts {
			list = append(list, fmt.Sprintf("%sthe zones were emptied at %s, as the log shows", of, timeText(at)))
		}
		for _, a := range append(slices.Clone(e.assumed), e.pipe.Assumptions()...) {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}
