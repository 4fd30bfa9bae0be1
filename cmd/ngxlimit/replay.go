package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// replayGarbage is how much garbage may stand beside what is in use while logs are replayed, in percent.
const replayGarbage = 75

func newReplay(a *app) *cobra.Command {
	f := newReplayFlags()
	cmd := &cobra.Command{
		Use:   "replay INPUT LOG...",
		Short: "Send recorded traffic through the limits: what they did, would do, and why",
		Long: `replay sends the requests of access logs through the limits of a configuration, in the order in which they
arrived, to the millisecond: what is delayed and refused, where that differs from what the log says
($limit_req_status), and what the traffic shows of the limits.
A LOG is a file, plain or packed by gzip or zstd, - for standard input, or a pattern such as 'access.log*'; several are
merged by their times. The request's arrival is its time in the log less $request_time.
Fields of JSON lines are known by nginx's names and many others. Names for --fields:
  ` + strings.Join(accesslog.Names(), ", ") + `,
and http_NAME, cookie_NAME for what the keys of the configuration are made of.`,
		Args: needArgs(2, -1, "INPUT LOG..."),
		RunE: func(_ *cobra.Command, args []string) error { return a.replay(f, args[0], args[1:]) },
	}
	f.register(cmd.Flags())
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
	o := &opener{app: a, flags: f, tree: tree, wanted: replay.Wanted(tree)}
	sources, err := o.sources(names)
	if err != nil {
		return err
	}
	debug.SetGCPercent(replayGarbage)
	bar := a.progress()
	bar.what, bar.bytes = "replaying", true
	defer bar.finish()
	result, err := replay.Run(tree, route.New(tree), sources, replay.Options{
		From: f.from.ms, To: f.to.ms, Host: f.host, Workers: runtime.GOMAXPROCS(0), Redact: redact,
		Progress: func(int64, int64) { bar.set(atomic.LoadInt64(&o.read), o.size) },
	})
	if err != nil {
		return err
	}
	bar.finish()
	result.Assumptions = slices.Insert(result.Assumptions, 0, refused...)
	err = a.writeOutput(f.output, func(w io.Writer) error {
		shown := report.Replay{Result: result, Input: path, Version: toolVersion()}
		switch f.format.value {
		case "json":
			return report.EncodeJSON(w, result)
		case "html":
			return report.WriteReplayHTML(w, shown)
		}
		return report.WriteReplay(w, shown, a.screen(f.output))
	})
	if err == nil && result.Unusable() {
		return fmt.Errorf("%d of %d lines could not be used (the first: %s)", result.Skipped, result.Lines, firstFault(result))
	}
	return err
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
