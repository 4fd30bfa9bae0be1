package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/replay"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// tuneLogs tunes for recorded traffic.
func (a *app) tuneLogs(f *tuneFlags, tree *config.Tree, logs []string, o tune.Options, t *report.Tuning) (verification, error) {
	if len(f.fans) > 0 {
		return nil, errors.New("--fan and logs cannot be given together")
	}
	f.logs.host = f.host
	if err := f.logs.check(); err != nil {
		return nil, err
	}
	names, err := logNames(logs)
	if err != nil {
		return nil, err
	}
	if f.redact, err = f.logs.redactor(); err != nil {
		return nil, err
	}
	o.Redact, t.Redacted = f.redact, f.redact != nil
	if err := f.spools.keep(a, names); err != nil { // the logs are read twice, to try what was found
		return nil, err
	}
	c := tune.NewCollector(tree, route.New(tree), o)
	var refused, delayed int
	var failed error
	result, err := a.replayVisits(f, tree, tree, names, func(v *replay.Visit) {
		if v.Refused {
			refused++
		}
		if v.Delayed {
			delayed++
		}
		if failed == nil {
			failed = c.Add(&tune.Visit{At: v.At, Request: v.Request, Nginx: v.Nginx, Status: v.Status, Agent: v.Agent, User: v.User})
		}
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case result.Unusable():
		return nil, errors.New(unused(result))
	}
	if result.Requests == 0 && result.Outside > 0 {
		return nil, fmt.Errorf("no request to tune for: all %s of the logs came outside of --from and --to", rule.Plural(result.Outside, "request", "requests"))
	}
	if t.Plan, err = c.Plan(); err != nil {
		return nil, err
	}
	t.Traffic = strings.Join(names, ", ")
	if t.Plan.Span < shortLog {
		t.Plan.Notes = append(t.Plan.Notes, fmt.Sprintf("the log covers %s: the busiest time of a day may need more: tune for a whole day before these limits are enforced",
			clock.Words(t.Plan.Span.Milliseconds())))
	}
	t.Plan.Notes = append(t.Plan.Notes, result.Assumptions...)
	for _, f := range result.Faults {
		if f.Kind == replay.BrokenLog {
			t.Plan.Notes = append(t.Plan.Notes, fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message))
		}
	}
	if result.Skipped > 0 {
		t.Plan.Notes = append(t.Plan.Notes, unused(result))
	}
	if refused+delayed > 0 {
		t.Plan.Distorted = fmt.Sprintf("the limits of today refuse %s of these requests and hold %s: where they were in force, pages were cut short or drawn "+
			"out, and people need more than the log shows: tune for a page load with --fan as well, and again after the dry run", rule.Count(int64(refused)), rule.Count(int64(delayed)))
	}
	t.Plan.Coarse = coarse(result)
	return func(edited *config.Tree) (tune.Figures, error) { return a.tried(f, tree, edited, names, c) }, nil
}

// shortLog is the span of a log below which the busiest time of a day may not be in it.
const shortLog = 12 * time.Hour

// coarse warns of logs whose times are whole seconds: what they find is less than nginx will see.
func coarse(r *replay.Result) string {
	n := 0
	for i := range r.Logs {
		if r.Logs[i].Coarse {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	which := "the times of the log"
	if len(r.Logs) > 1 {
		which = fmt.Sprintf("the times of %d of %d logs", n, len(r.Logs))
	}
	return which + " are whole seconds: bursts within a second are not seen, and the bursts found here may be too small: log $msec first, and tune again"
}

// tried replays the logs through the limits that were found.
func (a *app) tried(f *tuneFlags, tree, edited *config.Tree, names []string, c *tune.Collector) (tune.Figures, error) {
	var n tune.Figures
	_, err := a.replayVisits(f, tree, edited, names, func(v *replay.Visit) {
		if c.Attacks(request.AddrText(v.Client)) {
			n.AttackRequests++
			if v.Refused {
				n.AttackRefused++
			}
			return
		}
		n.Requests++
		if v.Refused {
			n.Refused++
		}
		if v.Delayed {
			n.Delayed++
		}
	})
	return n, err
}

// replayVisits replays the logs of one configuration through the limits of another one that has the same servers.
func (a *app) replayVisits(f *tuneFlags, tree, through *config.Tree, names []string, visit func(*replay.Visit)) (*replay.Result, error) {
	quiet := *a
	if through != tree {
		quiet.stderr = io.Discard // it was said
	}
	o := &opener{app: &quiet, flags: &f.logs, tree: tree, wanted: replay.Wanted(tree, nil), kept: f.spools}
	sources, err := o.sources(names)
	if err != nil {
		return nil, err
	}
	for i := range sources {
		if n := slices.Index(tree.HTTP.Servers, sources[i].Server); n >= 0 {
			sources[i].Server = through.HTTP.Servers[n]
		}
	}
	bar := a.progress()
	bar.what, bar.bytes = "reading", true
	defer bar.finish()
	return replay.Run(through, route.New(through), sources, replay.Options{
		From: f.logs.from.ms, To: f.logs.to.ms, Host: f.host, Workers: runtime.GOMAXPROCS(0), Redact: f.redact, Visit: visit,
		Progress: func(int64, int64) { bar.set(atomic.LoadInt64(&o.read), o.size) },
	})
}
