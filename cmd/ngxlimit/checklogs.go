package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/peers"
	"github.com/ngxlimit/ngxlimit/model/replay"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// logFlags name access logs as evidence of who connects.
type logFlags struct {
	logs      []string
	logFormat string
}

func (f *logFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.logs, "log", nil, "access log, a `file` or a pattern, in which proxies that stand for their clients are looked for; may be repeated")
	flags.StringVar(&f.logFormat, "log-format", "auto", "`format` of the logs: auto, json, combined, common, main, the name of a log_format of the configuration, or the text of one")
}

// readLogs reads the logs for what they show of who connects. Formats are those of the first configuration that has any.
func (f *logFlags) readLogs(a *app, trees []*config.Tree, facts *rule.Settings) error {
	if len(f.logs) == 0 {
		return nil
	}
	i := slices.IndexFunc(trees, func(t *config.Tree) bool { return t.HTTP != nil })
	if i < 0 {
		return fmt.Errorf("--log: no configuration has servers whose log it could be")
	}
	names, err := logNames(f.logs)
	if err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	o := &opener{app: a, flags: &replayFlags{logFormat: f.logFormat}, tree: trees[i], timeless: true}
	sources, err := o.sources(names)
	if err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	known := facts.Known()
	facts.Peers = peers.NewCollector(known, slices.DeleteFunc(slices.Clone(facts.Fronts), func(l *fronts.List) bool { return l.Front != nil && slices.Contains(known.Fronts, l.Front) }))
	statuses := refusalsOf(trees[i])
	var read linesRead
	for _, s := range sources {
		broken, err := read.all(&s, func(r *accesslog.Record) {
			facts.Peers.Add(peers.Line{Client: r.Client, Forwarded: r.Forwarded, Answer: answerOf(r, statuses)})
		})
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		if broken != nil {
			complain(a.stderr, fmt.Errorf("warning: %w", broken))
		}
	}
	switch {
	case read.lines > 0 && 2*read.unused >= read.lines:
		return fmt.Errorf("--log: %s", &read)
	case read.unused > 0:
		complain(a.stderr, fmt.Errorf("warning: %s", &read))
	}
	if facts.Peers.Told == 0 {
		complain(a.stderr, fmt.Errorf("warning: of the %s of the logs none holds $remote_addr and a header in which proxies hand on the client, such as $http_x_forwarded_for: it is not logged, or nobody sent it", numeral.Of(facts.Peers.Lines, "line")))
	}
	return nil
}

// linesRead counts the lines of logs, and those of no use.
type linesRead struct {
	lines, unused int64
	first         string // of no use, and why
}

// String says how many lines are of no use.
func (n *linesRead) String() string {
	return fmt.Sprintf("%s of the %s of the logs could not be used (the first: %s)", numeral.Count(n.unused), numeral.Of(n.lines, "line"), n.first)
}

// all reads a log. What ends one early is broken, and what could be read of it counts; err is of one that cannot be opened.
func (n *linesRead) all(s *replay.Source, take func(*accesslog.Record)) (broken, err error) {
	text, done, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer done()
	parser := s.Reader.Parser()
	var batch accesslog.Batch
	begins := int64(0)
	for block, err := range accesslog.Blocks(text) {
		if err != nil {
			return fmt.Errorf("%s:%d: the log could not be read to its end: %w", s.Name, begins+1, oserror.Bare(err)), nil
		}
		parser.Parse(block, &batch)
		n.lines, n.unused = n.lines+int64(batch.Lines), n.unused+batch.Faults.Skipped()
		if fault, line := batch.Faults.FirstSkipped(); n.first == "" && fault != accesslog.Fine {
			n.first = fmt.Sprintf("%s:%d, a line %s", s.Name, begins+line+1, fault)
		}
		begins += int64(batch.Breaks)
		for i := range batch.Records {
			take(&batch.Records[i])
		}
	}
	return nil, nil
}

// refusalsOf are the statuses with which limits of a configuration refuse, for logs that do not hold $limit_req_status.
func refusalsOf(tree *config.Tree) (all []int) {
	for _, s := range tree.HTTP.Servers {
		note := func(set *config.Settings) {
			for _, status := range []int{set.LimitReqStatus.Value, set.LimitConnStatus.Value} {
				if !slices.Contains(all, status) {
					all = append(all, status)
				}
			}
		}
		note(s.Settings)
		for l := range s.AllLocations {
			note(l.Settings)
		}
	}
	return all
}

// answerOf is what a line says of a refusal: the limit's word, or else the status.
func answerOf(r *accesslog.Record, statuses []int) peers.Answer {
	switch {
	case r.LimitReq == accesslog.Rejected || r.LimitConn == accesslog.Rejected:
		return peers.Refused
	case r.LimitReq != accesslog.NotLogged:
		return peers.Served
	case slices.Contains(statuses, int(r.Status)):
		return peers.RefusedStatus
	case r.Status == 0:
		return peers.NotSaid
	}
	return peers.Served
}
