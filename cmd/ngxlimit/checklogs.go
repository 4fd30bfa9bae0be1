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
	var lines, unused int64
	for _, s := range sources {
		text, done, err := s.Open()
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		parser := s.Reader.Parser()
		var batch accesslog.Batch
		for block, err := range accesslog.Blocks(text) {
			if err != nil {
				done()
				return fmt.Errorf("--log: read %s: %w", s.Name, oserror.Bare(err))
			}
			parser.Parse(block, &batch)
			lines, unused = lines+int64(batch.Lines), unused+batch.Faults.Skipped()
			for i := range batch.Records {
				r := &batch.Records[i]
				facts.Peers.Add(peers.Line{Client: r.Client, Forwarded: r.Forwarded, Answer: answerOf(r, statuses)})
			}
		}
		done()
	}
	if unused > 0 {
		complain(a.stderr, fmt.Errorf("warning: %s of the %s of the logs could not be used (cut off, too long, or of another format)", numeral.Count(unused), numeral.Of(lines, "line")))
	}
	if facts.Peers.Told == 0 {
		complain(a.stderr, fmt.Errorf("warning: of the %s of the logs none holds $remote_addr and a header in which proxies hand on the client, such as $http_x_forwarded_for: it is not logged, or nobody sent it", numeral.Of(facts.Peers.Lines, "line")))
	}
	return nil
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
