package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/mend"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func newSimulate(a *app) *cobra.Command {
	f := newSimulateFlags()
	cmd := &cobra.Command{
		Use:   "simulate INPUT",
		Short: "Run page loads or given requests through the limits, to the millisecond",
		Long: `simulate runs the page loads of a fan (ngxlimit fans lists them), or the requests of a
file, through the limits of a configuration, and tells what is delayed and refused.

A line of --requests is {"t_ms": 0, "client_ip": "203.0.113.7", "peer_ip": ..., "method": ..., "url": "https://...",
"headers": {...}, "response": {"status": 200, "headers": {...}}}; all but t_ms and url may be left out.

Nothing is sent anywhere. The same arguments give the same result.`,
		Args: needArgs(1, 1, "INPUT"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.idle(); err != nil {
				return err
			}
			return a.simulate(f, args[0])
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (a *app) simulate(f *simulateFlags, path string) error {
	switch {
	case f.requests != "" && (len(f.fans) > 0 || len(f.maps) > 0 || f.base.text != "" || f.page != ""):
		return errors.New("--requests and --fan, --map, --base-url or --page cannot be given together")
	case f.base.text != "" && f.host != "":
		return errors.New("--base-url and --host cannot be given together")
	case f.requests != "" && len(f.tests)+len(f.via)+len(f.chain) > 0:
		return errors.New("--requests and --test, --via or --chain cannot be given together")
	case f.chain != "" && len(f.via) > 0:
		return errors.New("--chain and --via cannot be given together")
	case f.requests == "-" && path == "-":
		return errors.New("both the configuration and the requests are to be read from standard input")
	}
	options, people, err := f.options(a.screen(f.output).Width > 0)
	if err != nil {
		return err
	}
	var way chain.Chain
	if len(f.via) == 0 && f.requests == "" {
		if way, err = f.readChain(a); err != nil {
			return err
		}
	}
	front, err := f.edge.front(a)
	if err != nil {
		return err
	}
	if front != nil {
		options.Edge = front.layer
		if len(options.Via) == 0 && len(way) == 0 {
			way = front.chain
		}
	}
	tree, err := f.one(a, path)
	if err != nil {
		return err
	}
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return fmt.Errorf("%s has no server that could take a request", path)
	}
	refused := a.tellRefused(tree)
	s := report.Simulation{Input: path, Version: toolVersion()}
	if f.requests != "" {
		s.Result, err = a.simulateRequests(f, tree, front)
	} else {
		s.Result, err = a.simulateFans(f, tree, people, options, way)
	}
	if err != nil {
		return err
	}
	if front != nil {
		s.Result.Assumptions = append(s.Result.Assumptions, front.said...)
	}
	s.Result.Assumptions = slices.Insert(s.Result.Assumptions, 0, refused...)
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

// simulateFans lets the fans come.
func (a *app) simulateFans(f *simulateFlags, tree *config.Tree, people simulate.Crowd, o simulate.Options, way chain.Chain) (*simulate.Result, error) {
	said, err := f.addFans(a, tree, people, &o)
	if err != nil {
		return nil, err
	}
	if len(way) > 0 {
		server, _, err := simulate.ServerOf(tree, route.New(tree), &o)
		if err != nil {
			return nil, err
		}
		var taken []string
		o.Via, taken = waysTo(rule.NewFacts(tree, rule.Settings{}), server, way)
		said = append(said, taken...)
	}
	f.tellHost(a, tree, o.Host)
	r, err := a.runSimulation(f, tree, o)
	if err != nil {
		return nil, err
	}
	r.Assumptions = append(r.Assumptions, said...)
	return r, nil
}

// runSimulation runs the crowds and the tests that were asked for, and looks for what would mend it where people suffer.
func (a *app) runSimulation(f *simulateFlags, tree *config.Tree, o simulate.Options) (*simulate.Result, error) {
	names, err := f.testNames()
	if err != nil {
		return nil, err
	}
	bar := a.progress()
	defer bar.finish()
	o.Progress = bar.set
	r, err := simulate.Run(tree, route.New(tree), o)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		if r.Tests, err = simulate.Tests(tree, route.New(tree), f.testOptions(o), names); err != nil {
			return nil, err
		}
	}
	for i := range r.Tests {
		if !r.Tests[i].Passed {
			a.status = exitFound
		}
	}
	if r.Trusting, err = mend.Trust(tree, o, r); err != nil {
		return nil, err
	}
	if o.Edge != nil { // what the edge stops no change of nginx mends
		return r, nil
	}
	r.Mend, err = mend.Find(tree, o, r)
	return r, err
}

func (a *app) simulateRequests(f *simulateFlags, tree *config.Tree, front *edgeFront) (res *simulate.Result, err error) {
	router := route.New(tree)
	strange := strangers{tree: tree, router: router, known: map[string]bool{}}
	if f.host == "" {
		strange.made = firstHost(tree)
	}
	var layer edge.Layer
	var ways []chain.Way
	if front != nil {
		layer, ways = front.layer(), front.ways
	}
	err = a.openRequests(f.requests, func(r io.Reader) error {
		stream := strange.count(someRequests(traffic.ReadRequests(r, f.hostOf(tree))))
		res, err = simulate.RequestsThrough(tree, router, stream, layer, ways)
		if err != nil {
			return fmt.Errorf("%s: %w", f.requests, err)
		}
		res.Assumptions = append(res.Assumptions, strange.told(a)...)
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
