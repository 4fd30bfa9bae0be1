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

// part brings together what was read and what the engines found.
func (r *replay) part(m *merge) *Part {
	p := &Part{
		Format: PartFormat, Version: PartVersion, Outside: r.outside, Logs: make([]LogPart, 0, len(m.logs)), Hosts: make([]Host, 0, len(r.order)),
		Head: Head{FromMs: r.o.From, ToMs: r.o.To, Host: r.o.Host, Refused: []string{}},
	}
	for _, l := range m.logs {
		p.Logs = append(p.Logs, l.part())
	}
	slices.SortFunc(p.Logs, func(a, b LogPart) int { return compareLogs(&a, &b) })
	for _, e := range r.order {
		p.Hosts = append(p.Hosts, e.host())
	}
	slices.SortFunc(p.Hosts, func(a, b Host) int { return strings.Compare(a.Nginx, b.Nginx) })
	p.edge, p.said = r.front.report()
	return p
}

// part tells what was read of a log.
func (l *log) part() LogPart {
	p := LogPart{LogStat: LogStat{
		Name: l.Name, Nginx: l.Nginx, Format: l.Reader.Format.Name, Lines: l.lines, Used: l.used, FromMs: l.first, ToMs: l.last, Coarse: l.coarse,
	}, Faults: []LogFault{}}
	if l.err != nil {
		p.Error, p.BrokenAt = l.err.Error(), l.errAt+1
	}
	for _, kind := range accesslog.Kinds() {
		if n := l.faults.N[kind]; n > 0 {
			p.Faults = append(p.Faults, LogFault{kind.Name(), n, l.faults.First[kind] + 1})
		}
	}
	return p
}

// host tells what came of one nginx.
func (e *engine) host() Host {
	out := Host{
		Nginx: e.name, Requests: e.requests, FromMs: e.first, ToMs: e.last, Agreement: e.agreement(), Locations: []Location{}, Zones: []Zone{}, ConnZones: []ConnZone{},
		Keys: []KeyStat{}, URIs: []URIStat{}, Windows: []WindowStat{}, Series: e.series.clone(), Times: []TimesStat{}, Pages: []PageStat{}, Diagnosis: e.diagnose(), Notes: e.notes(), together: e.together,
	}
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
	for _, s := range e.ordered() {
		if n := s.times.request.N(); n > 0 {
			out.Times = append(out.Times, TimesStat{e.name, s.place.ServerName(), s.place.Label(), n, s.times.request.Quantiles(), s.times.upstream.Quantiles()})
		}
	}
	out.pages(e)
	return out
}

// keys adds the keys that met most.
func (out *Host) keys(e *engine) {
	type pair struct {
		id  keyID
		row *keyRow
	}
	var worst []pair
	for id, row := range e.keys.all {
		worst = insertBest(worst, shownKeys, pair{id, row}, func(a, b pair) int {
			if c := worse(a.row.Delayed, a.row.Rejected, a.row.Requests, b.row.Delayed, b.row.Rejected, b.row.Requests); c != 0 {
				return c
			}
			return cmp.Or(strings.Compare(a.id.zone.Name, b.id.zone.Name), strings.Compare(a.id.key, b.id.key))
		})
	}
	for _, p := range worst {
		k := p.row
		out.Keys = append(out.Keys, KeyStat{
			Nginx: e.name, Zone: p.id.zone.Name, Key: e.redact(pipeline.Readable(p.id.key)), Requests: k.Requests, Passed: k.Requests - k.Delayed - k.Rejected,
			Delayed: k.Delayed, Rejected: k.Rejected, PeakExcessMilli: k.peak, LongestMs: k.wait, MostInSecond: k.most,
			Agents: k.agents.n(), Users: k.users.n(), URIs: k.uris.n(), FirstMs: k.first, LastMs: k.last,
		})
	}
}

// uris adds the paths that met most.
func (out *Host) uris(e *engine) {
	type pair struct {
		id  uriID
		row *uriRow
	}
	var worst []pair
	for id, row := range e.uris.all {
		if row.Requests == 0 {
			continue
		}
		worst = insertBest(worst, shownURIs, pair{id, row}, func(a, b pair) int {
			if c := worse(a.row.Delayed, a.row.Rejected, a.row.Requests, b.row.Delayed, b.row.Rejected, b.row.Requests); c != 0 {
				return c
			}
			return cmp.Or(strings.Compare(nameOf(a.id.server), nameOf(b.id.server)), strings.Compare(a.id.path, b.id.path))
		})
	}
	for _, p := range worst {
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
func (out *Host) windows(e *engine) {
	for i, width := range widths {
		var list []WindowStat
		for p := range e.spots.All() {
			for _, s := range p.windows.worst[i] {
				if s.delayed+s.refused == 0 {
					continue
				}
				list = append(list, WindowStat{
					Nginx: e.name, WidthMs: width, FromMs: s.at * width, Server: p.place.ServerName(), Location: p.place.Label(), Requests: s.requests,
					Passed: s.requests - s.delayed - s.refused, Delayed: s.delayed, Rejected: s.refused, Hit: p.windows.hit[i],
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
func (out *Host) pages(e *engine) {
	for id, p := range e.pages.all {
		if p.loads < 3 {
			continue
		}
		out.Pages = append(out.Pages, PageStat{e.name, nameOf(id.server), id.path, p.loads, p.sizes.Quantiles(), p.spans.Quantiles()})
	}
	slices.SortFunc(out.Pages, comparePages)
	out.Pages = out.Pages[:min(len(out.Pages), shownPages)]
}

// redact stands in for a text that may tell who somebody is.
func (e *engine) redact(text string) string {
	text = e.r.strangers.shown(text)
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
	kindSubrequest: "the log is looser, and holds the lines of subrequests (log_subrequest on), which nginx did not count",
	kindWorkers:    "within 25 ms it would be the same: the clocks of several workers, or of one under load, stand that far apart",
	kindRestart:    "the log passes what is over the limit: the zone was emptied by a start of nginx (a reload keeps zones of the same size)",
	kindBefore:     "the log refuses or delays its first requests: what came before it is not known",
	kindUnlogged:   "the log is stricter, and not all requests that count in the zone are logged (access_log off, or with if=)",
	kindEdge:       "the log is stricter, and holds requests that the edge stops here",
	kindStricter:   "the log is stricter, for no reason that is known: another configuration, or traffic that is not in the log",
	kindLooser:     "the log is looser, for no reason that is known: another configuration, or another nginx",
}

// agreement tells how decisions compare with those in the log.
func (e *engine) agreement() Agreement {
	a := &e.agree
	out := Agreement{Logged: a.logged, Same: a.same, Shifted: a.shifted, Kinds: make([]Disagreeing, 0, len(a.kinds))}
	for _, kind := range sortedKeys(a.kinds) {
		row := a.kinds[kind]
		out.Kinds = append(out.Kinds, Disagreeing{
			Kind: kind, Message: kindTexts[kind], N: row.n, Logged: string(row.logged), Replayed: string(row.replay),
			File: e.r.sources[row.source].Name, Line: row.line + 1,
		})
	}
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

// notes say what was taken for what the logs do not tell.
func (e *engine) notes() []Note {
	list := []Note{}
	say := func(n int64, format string, args ...any) {
		if n > 0 {
			list = append(list, Note{true, fmt.Sprintf(format, args...)})
		}
	}
	tell := func(n int64, noun, format string, args ...any) {
		say(n, format, append([]any{count(n, noun)}, args...)...)
	}
	if e.together {
		say(1, "more than %d nginx hosts: the lines of those met last are taken together, as if one nginx had written them", mostHosts)
	}
	tell(e.late, "request", "%s took longer than %d s, or came late into the log: decided when the window of order has passed, not at the time of arrival", Window/1000)
	tell(e.squeezed, "request", "%s decided early, as more than %d waited to be put in order", mostWaiting)
	tell(e.rebased, "time", "the time of the log went back %s by more than %d s: what came before was decided first", Window/1000)
	tell(e.mixed, "request", "%s in logs of whole seconds that were written side by side: which of the lines of a second came first is not known; they are mixed evenly, and waiting that rests on it is no diagnosis")
	if e.strange > 0 {
		tell(e.strange, "request", "%s of clients that are no addresses (first: %s:%d): each text is taken as one client", e.r.sources[e.stranger.source].Name, e.stranger.line+1)
	}
	tell(e.unjudged, "request", "%s ended before any limiter, as the log shows (no request line, 400, 408, 413, 414, 494 to 497): counted nowhere")
	tell(e.keys.gone, "key", "%s with few requests dropped from the table of keys, so as to keep memory bounded; decisions are not touched")
	tell(e.uris.gone, "path", "%s with few requests dropped from the table of paths")
	if missing := e.unlogged(); len(missing) > 0 && e.requests > 0 {
		say(1, "the log does not hold %s, on which limits depend: taken as empty, and an empty key is not counted; add it to the log_format", strings.Join(missing, ", "))
	}
	for _, text := range e.omitted() {
		say(1, "%s", text)
	}
	for _, at := range e.restarts {
		say(1, "the zones were emptied at %s, as the log shows", timeText(at))
	}
	for _, a := range append(slices.Clone(e.assumed), e.pipe.Assumptions()...) {
		list = append(list, Note{false, a})
	}
	return list
}
