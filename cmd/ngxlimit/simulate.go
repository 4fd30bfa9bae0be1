package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

type simulateFlags struct {
	inputFlags
	fan, requests, host, arrival, every, output string
	clients, perAddress, repeat                 int
	upstream, rtt                               int
	seed                                        uint64
	protocol, format                            *choice
}

func newSimulate(a *app) *cobra.Command {
	f := &simulateFlags{
		protocol: oneOf("", string(simulate.HTTP1), string(simulate.HTTP2)),
		format:   oneOf("text", "text", "json", "csv", "html"),
	}
	cmd := &cobra.Command{
		Use:   "simulate INPUT",
		Short: "Run page loads or given requests through the limits, to the millisecond",
		Long: `simulate runs the page loads of a fan (ngxlimit fans lists them), or the requests of a
file, through the limits of a configuration, and tells what is delayed and refused.

A line of --requests is {"t_ms": 0, "client_ip": "203.0.113.7", "peer_ip": ..., "method": ..., "url": "https://...",
"headers": {...}, "response": {"status": 200, "headers": {...}}}; all but t_ms and url may be left out.

Nothing is sent anywhere. The same arguments give the same result.`,
		Args: needArgs(1, 1, "INPUT"),
		RunE: func(_ *cobra.Command, args []string) error { return a.simulate(f, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.fan, "fan", "", "page load: a `name` of ngxlimit fans, or a file (default portal)")
	flags.StringVar(&f.requests, "requests", "", "`file` of requests, one JSON object a line; - for standard input")
	flags.StringVar(&f.host, "host", "", "`host` of the page (default: that of the first server with a limit)")
	flags.Var(atLeast(&f.clients, 1, 1, 1_000_000), "clients", "how many people open the page")
	flags.Var(atLeast(&f.perAddress, 1, 1, 1_000_000), "clients-per-address", "how many of them share one public address")
	flags.StringVar(&f.arrival, "arrival", "together", "when they begin: together, poisson:SECONDS (at random, all within that time) or every:SECONDS (from one to the next)")
	flags.Var(atLeast(&f.repeat, 1, 1, 100_000), "repeat", "page loads of each client")
	flags.StringVar(&f.every, "every", "60", "`seconds` from one load of a client to the next")
	flags.Var(f.protocol, "protocol", "h1: six connections, h2: all requests at once (default: as the fan says, else h2)")
	flags.Var(atLeast(&f.upstream, -1, 0, 3_600_000), "upstream-ms", "time the upstream needs, in milliseconds (default: by kind of request)")
	flags.Var(atLeast(&f.rtt, -1, 0, 3_600_000), "rtt-ms", fmt.Sprintf("round trip, in milliseconds (default %d)", simulate.DefaultRTTMs))
	f.seed = 1
	flags.Var(whole{&f.seed}, "seed", "start of the random arrivals")
	flags.Var(f.format, "format", "how to print")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	for _, name := range []string{"upstream-ms", "rtt-ms"} {
		flags.Lookup(name).DefValue = ""
	}
	f.add(flags)
	return cmd
}

func (a *app) simulate(f *simulateFlags, path string) error {
	switch {
	case f.fan != "" && f.requests != "":
		return errors.New("--fan and --requests cannot be given together")
	case f.requests == "-" && path == "-":
		return errors.New("both the configuration and the requests are to be read from standard input")
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	tree, err := f.one(a, path)
	if err != nil {
		return err
	}
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return fmt.Errorf("%s has no server that could take a request", path)
	}
	s := report.Simulation{Input: path, Version: toolVersion()}
	if f.requests != "" {
		s.Result, err = a.simulateRequests(f, tree)
	} else {
		s.Result, err = simulate.Run(tree, route.New(tree), options)
	}
	if err != nil {
		return err
	}
	return a.writeOutput(f.output, func(w io.Writer) error {
		switch f.format.value {
		case "json":
			return report.EncodeJSON(w, s.Result)
		case "csv":
			return report.WriteSimulationCSV(w, s)
		case "html":
			return report.WriteSimulationHTML(w, s)
		}
		return report.WriteSimulation(w, s, a.screen(f.output))
	})
}

func (a *app) simulateRequests(f *simulateFlags, tree *config.Tree) (res *simulate.Result, err error) {
	err = a.openRequests(f.requests, func(r io.Reader) error {
		res, err = simulate.Requests(tree, route.New(tree), someRequests(traffic.ReadRequests(r, f.hostOf(tree))))
		if err != nil {
			return fmt.Errorf("%s: %w", f.requests, err)
		}
		return nil
	})
	return res, err
}

// hostOf is the host for requests that name none.
func (f *simulateFlags) hostOf(tree *config.Tree) string {
	if f.host != "" {
		return f.host
	}
	return firstHost(tree)
}
