package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// replayMemory is how large the memory of a replay may grow before garbage is looked for: a log of some million lines and
// some ten thousand clients and targets takes less.
var replayMemory = budget{160 << 20, 75, 10_000}

func newReplay(a *app) *cobra.Command {
	f := newReplayFlags()
	cmd := &cobra.Command{
		Use:   "replay INPUT LOG... | --merge FILE...",
		Short: "Send recorded traffic through the limits: what they did, would do, and why",
		Long: `replay sends the requests of access logs through the limits of a configuration, in the order in which they
arrived, to the millisecond: what is delayed and refused, where that differs from what the log says
($limit_req_status), and what the traffic shows of the limits.
A LOG is a file, plain or packed by gzip or zstd, - for standard input, or a pattern such as 'access.log*'; several are
merged by their times. The request's arrival is its time in the log less $request_time.
Fields of JSON lines are known by nginx's names and many others. Names for --fields:
  ` + strings.Join(accesslog.Names(), ", ") + `,
and http_NAME, cookie_NAME for what the keys of the configuration are made of; sent_http_NAME for the answer's headers
that rules of an edge look at (--edge).

The logs of a fleet can be replayed where they lie: --partial FILE writes what came of those of some nginx hosts, and
--merge FILE... reports on all, byte for byte as one run would.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.parts.merge {
				return needArgs(1, -1, "--merge FILE...")(cmd, args)
			}
			return needArgs(2, -1, "INPUT LOG...")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parts.check(cmd.Flags(), f.redact, f.salt); err != nil {
				return err
			}
			if f.parts.merge {
				return a.mergeParts(f, args)
			}
			return a.replay(f, args[0], args[1:])
		},
	}
	f.register(cmd.Flags())
	f.parts.register(cmd.Flags())
	return cmd
}

func (a *app) replay(f *replayFlags, path string, logs []string) error {
	if err := f.check(); err != nil {
		return err
	}
	names, err := logNames(logs)
	if err != nil {
		return err
	}
	if path == "-" && slices.Contains(names, "-") {
		return errors.New("both the configuration and a log are to be read from standard input")
	}
	tree, err := f.one(a, path)
	if err != nil {
		return err
	}
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return fmt.Errorf("%s has no server that could take a request", path)
	}
	refused := a.tellRefused(tree)
	redact, err := f.redactor()
	if err != nil {
		return err
	}
	front, err := f.edge.front(a)
	if err != nil {
		return err
	}
	before, err := front.replayed()
	if err != nil {
		return err
	}
	replayMemory.keep()
	bar := a.progress()
	bar.what, bar.bytes = "replaying", true
	defer bar.finish()
	run := func(e *replay.Edge) (*replay.Part, error) {
		o := &opener{app: a, flags: f, tree: tree, wanted: replay.Wanted(tree, e), edge: e, quiet: before != e}
		sources, err := o.sources(names)
		if err != nil {
			return nil, err
		}
		return replay.RunPart(tree, route.New(tree), sources, replay.Options{
			From: f.from.ms, To: f.to.ms, Host: f.host, Workers: runtime.GOMAXPROCS(0), Redact: redact, Edge: e,
			Progress: func(int64, int64) { bar.set(atomic.LoadInt64(&o.read), o.size) },
		})
	}
	part, err := run(before)
	if err != nil && (f.parts.partial == "" || part == nil) {
		return err
	}
	alone, err := withoutEdge(before, names, run)
	if err != nil {
		return err
	}
	bar.finish()
	part.Head = f.headOf(tree, path, refused)
	if f.parts.partial != "" {
		return a.writePart(f, part)
	}
	result := replay.Join([]*replay.Part{part})
	result.Alone(alone)
	return a.writeReplay(f, report.Replay{Result: result, Input: path, Version: toolVersion()})
}

// unused says how many lines are of no use, and what is wrong with most of them.
func unused(r *replay.Result) string {
	return fmt.Sprintf("%s of %s could not be used (the first: %s)", numeral.Count(r.Skipped), numeral.Of(r.Lines, "line"), firstFault(r))
}

// firstFault names the most frequent thing that is wrong with lines, and where it was met first.
func firstFault(r *replay.Result) string {
	text, most := "", int64(-1)
	for _, f := range r.Faults {
		if f.Skipped && f.Lines > most {
			text, most = fmt.Sprintf("%s:%d, %s", f.File, f.Line, f.Message), f.Lines
		}
	}
	return text
}
