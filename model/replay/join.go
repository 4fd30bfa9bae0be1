package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// Join puts parts together. Whatever their order is, and however the nginx hosts are spread over them, the result is the
// same; that no nginx is in two of them, and that their heads are alike, is for Merge to see. Of the parts nothing is changed.
func Join(parts []*Part) *Result {
	out := &Result{
		Logs: []LogStat{}, Faults: []FaultStat{}, Locations: []Location{}, Zones: []Zone{}, ConnZones: []ConnZone{},
		Keys: []KeyStat{}, URIs: []URIStat{}, Windows: []WindowStat{}, Series: Series{Spans: []Span{}}, Times: []TimesStat{}, Pages: []PageStat{}, Diagnosis: []Diagnosis{}, Assumptions: []string{},
	}
	var logs []*LogPart
	var hosts []*Host
	for _, p := range parts {
		out.Outside += p.Outside
		for i := range p.Logs {
			logs = append(logs, &p.Logs[i])
		}
		for i := range p.Hosts {
			hosts = append(hosts, &p.Hosts[i])
		}
	}
	slices.SortFunc(logs, compareLogs)
	slices.SortFunc(hosts, func(a, b *Host) int { return cmp.Compare(a.Nginx, b.Nginx) })
	out.logs(logs)
	for _, h := range hosts {
		out.host(h)
	}
	out.rank()
	out.Agreement = agreementOf(hosts)
	if len(parts) > 0 {
		out.Assumptions = append(out.Assumptions, parts[0].Head.Refused...)
	}
	for _, p := range parts {
		if p.edge != nil {
			out.Edge = p.edge
			out.Assumptions = append(out.Assumptions, p.said...)
		}
	}
	out.assume(logs, hosts)
	return out
}

// compareLogs orders logs by name. Those of several machines may have the same one.
func compareLogs(a, b *LogPart) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.Nginx, b.Nginx), cmp.Compare(a.FromMs, b.FromMs), cmp.Compare(a.ToMs, b.ToMs), cmp.Compare(a.Lines, b.Lines),
		cmp.Compare(a.Used, b.Used), cmp.Compare(a.Format, b.Format), cmp.Compare(a.BrokenAt, b.BrokenAt), cmp.Compare(a.Error, b.Error),
		slices.CompareFunc(a.Faults, b.Faults, func(x, y LogFault) int {
			return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Lines, y.Lines), cmp.Compare(x.First, y.First))
		}),
	)
}

// logs tells what was read.
func (out *Result) logs(logs []*LogPart) {
	byKind := map[string]*FaultStat{}
	for _, l := range logs {
		if l.BrokenAt > 0 {
			out.Faults = append(out.Faults, FaultStat{
				Kind: BrokenLog, Message: "the log could not be read to its end: " + l.Error, File: l.Name, Line: l.BrokenAt,
			})
		}
		out.Logs = append(out.Logs, l.LogStat)
		out.Lines += l.Lines
		for _, f := range l.Faults {
			if have := byKind[f.Kind]; have != nil {
				have.Lines += f.Lines
				continue
			}
			byKind[f.Kind] = &FaultStat{Kind: f.Kind, Lines: f.Lines, File: l.Name, Line: f.First}
		}
	}
	for _, kind := range accesslog.Kinds() {
		if f := byKind[kind.Name()]; f != nil {
			f.Message, f.Skipped = "lines "+kind.String(), kind.Skips()
			if f.Skipped {
				out.Skipped += f.Lines
			}
			out.Faults = append(out.Faults, *f)
		}
	}
}

// host adds what came of one nginx.
func (out *Result) host(h *Host) {
	if h.Requests == 0 {
		return
	}
	out.Requests += h.Requests
	if out.FromMs == 0 || h.FromMs < out.FromMs {
		out.FromMs = h.FromMs
	}
	out.ToMs = max(out.ToMs, h.ToMs)
	out.Locations = append(out.Locations, h.Locations...)
	out.Zones = append(out.Zones, h.Zones...)
	out.ConnZones = append(out.ConnZones, h.ConnZones...)
	out.Keys = append(out.Keys, h.Keys...)
	out.URIs = append(out.URIs, h.URIs...)
	out.Windows = append(out.Windows, h.Windows...)
	out.Series.merge(&h.Series)
	out.Times = append(out.Times, h.Times...)
	out.Pages = append(out.Pages, h.Pages...)
	out.Diagnosis = append(out.Diagnosis, h.Diagnosis...)
}

// rank puts what is listed of all hosts in order, and leaves as much as is shown. Each host has listed that much of its
// own, so that nothing is missing.
func (out *Result) rank() {
	slices.SortStableFunc(out.Keys, func(a, b KeyStat) int {
		return worse(a.Delayed, a.Rejected, a.Requests, b.Delayed, b.Rejected, b.Requests)
	})
	slices.SortStableFunc(out.URIs, func(a, b URIStat) int {
		return worse(a.Delayed, a.Rejected, a.Requests, b.Delayed, b.Rejected, b.Requests)
	})
	slices.SortFunc(out.Pages, comparePages)
	out.Keys, out.URIs = out.Keys[:min(len(out.Keys), shownKeys)], out.URIs[:min(len(out.URIs), shownURIs)]
	out.Pages = out.Pages[:min(len(out.Pages), shownPages)]
}

// worse orders by refusals and delays, then by requests.
func worse(d1, r1, n1, d2, r2, n2 int64) int {
	if c := cmp.Compare(r2+d2, r1+d1); c != 0 {
		return c
	}
	return cmp.Compare(n2, n1)
}

func comparePages(a, b PageStat) int {
	return cmp.Or(cmp.Compare(b.Loads, a.Loads), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Nginx, b.Nginx))
}

// agreementOf brings together what was compared on each host.
func agreementOf(hosts []*Host) Agreement {
	out := Agreement{Kinds: []Disagreeing{}}
	at := map[string]int{}
	for _, h := range hosts {
		a := &h.Agreement
		out.Logged += a.Logged
		out.Same += a.Same
		out.Shifted += a.Shifted
		for _, k := range a.Kinds {
			if i, ok := at[k.Kind]; ok {
				out.Kinds[i].N += k.N
				continue
			}
			at[k.Kind] = len(out.Kinds)
			out.Kinds = append(out.Kinds, k)
		}
	}
	slices.SortStableFunc(out.Kinds, func(a, b Disagreeing) int { return cmp.Compare(b.N, a.N) })
	return out
}

// assume says what was taken for what the logs do not tell.
func (out *Result) assume(logs []*LogPart, hosts []*Host) {
	coarse := 0
	for _, l := range logs {
		if l.Coarse {
			coarse++
		}
	}
	if coarse > 0 {
		which := "the times of the log"
		if len(logs) > 1 {
			which = fmt.Sprintf("the times of %d of %d logs", coarse, len(logs))
		}
		out.Assumptions = append(out.Assumptions, which+" are whole seconds: the requests of a second are spread evenly over it, so that bursts within a second are not seen; log $msec")
	}
	said := map[string]bool{}
	for _, h := range hosts {
		for _, n := range h.Notes {
			text := n.Text
			if n.Own && len(hosts) > 1 {
				text = "nginx " + h.Nginx + ": " + text
			}
			if !said[text] {
				said[text] = true
				out.Assumptions = append(out.Assumptions, text)
			}
		}
	}
}
