package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/rollout"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// tuneFlags are the flags of tune.
type tuneFlags struct {
	*simulateFlags
	logs              replayFlags
	share, headroom   float64
	attackers, people []string
	ofFans, ofLogs    []string // flags that are about one sort of traffic alone
	spools            spools
	redact            func(string) string // nil where all is shown
}

func newTune(a *app) *cobra.Command {
	f := &tuneFlags{simulateFlags: newSimulateFlags(), share: 0.999, headroom: 1}
	f.format = oneOf("text", "text", "json", "html")
	cmd := &cobra.Command{
		Use:   "tune INPUT [LOG...]",
		Short: "Find the smallest limits that let given traffic pass at once, and how to introduce them",
		Long: `tune finds, for each limited location, for logins and for all together, the least rate and burst with
which people pass undelayed, says what each choice lets an attacker do, and writes the result as nginx text: first as
a dry run with the log format that the check of it needs, then in earnest, step by step.

The traffic is that of the logs, which are read as replay reads them; without any, that of --fan: page loads, and attacks
beside them, by as many clients as are named.`,
		Args: needArgs(1, -1, "INPUT [LOG...]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkTraffic(cmd.Flags(), len(args) > 1); err != nil {
				return err
			}
			if err := f.idle(); err != nil {
				return fmt.Errorf("tune: %w", err)
			}
			if f.share <= 0 || f.share > 1 || f.headroom < 1 || f.headroom > 100 {
				return errors.New("tune: --share is above 0 and at most 1, --headroom from 1 to 100")
			}
			return a.tune(f, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	f.registerCrowd(flags)
	flags.Lookup("host").Usage = "`host` of the page, or that was asked for where a log does not say it (default: that of the server whose access_log it is, else of the first server with a limit)"
	f.ofFans = flagNames(flags, "fan", "host")
	f.logs.registerLogs(flags)
	f.logs.registerRedact(flags)
	f.ofLogs = flagNames(flags, append(f.ofFans, "fan", "host")...)
	flags.Var(share{&f.share}, "share", "`share` of the legitimate clients that are to pass at once; 99.9% is 0.999")
	flags.Var(decimal{&f.headroom}, "headroom", "`factor` by which each measured burst is multiplied")
	flags.StringSliceVar(&f.attackers, "attacker", nil, "`address` or network of an attacker, for whom no room is made")
	flags.StringSliceVar(&f.people, "people", nil, "`address` or network of people, whatever they seem to do")
	flags.Var(f.format, "format", "how to print")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	f.inputFlags.add(flags)
	return cmd
}

// flagNames lists the flags so far, without some.
func flagNames(flags *pflag.FlagSet, without ...string) []string {
	var names []string
	flags.VisitAll(func(one *pflag.Flag) {
		if !slices.Contains(without, one.Name) {
			names = append(names, one.Name)
		}
	})
	return names
}

// checkTraffic refuses flags that say nothing of the traffic that is looked at.
func (f *tuneFlags) checkTraffic(flags *pflag.FlagSet, logs bool) error {
	var err error
	flags.Visit(func(given *pflag.Flag) {
		switch {
		case logs && slices.Contains(f.ofFans, given.Name):
			err = fmt.Errorf("tune: --%s is about page loads (--fan), and the traffic here is that of logs", given.Name)
		case !logs && slices.Contains(f.ofLogs, given.Name):
			err = fmt.Errorf("tune: --%s is about logs, and none is named", given.Name)
		}
	})
	return err
}

func (a *app) tune(f *tuneFlags, path string, logs []string) error {
	if path == "-" && slices.Contains(logs, "-") {
		return errors.New("both the configuration and a log are to be read from standard input")
	}
	defer func() { f.spools.remove() }()
	tree, err := f.one(a, path)
	if err != nil {
		return err
	}
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return fmt.Errorf("%s has no server that could take a request", path)
	}
	a.tellRefused(tree)
	attackers, err := networks("attacker", f.attackers)
	if err != nil {
		return err
	}
	people, err := networks("people", f.people)
	if err != nil {
		return err
	}
	for i, network := range attackers {
		if at := slices.IndexFunc(people, network.Overlaps); at >= 0 {
			return fmt.Errorf("--attacker %s and --people %s: nobody is both", f.attackers[i], f.people[at])
		}
	}
	o := tune.Options{Share: f.share, Login: isLogin, Static: traffic.IsStaticFile, Attackers: within(attackers), People: within(people)}
	t := report.Tuning{Input: path}
	source := func() (verification, error) { return a.tuneFans(f, tree, o, &t) }
	if len(logs) > 0 {
		source = func() (verification, error) { return a.tuneLogs(f, tree, logs, o, &t) }
	}
	verify, err := source()
	if err != nil {
		return err
	}
	if len(t.Plan.Groups) > 0 {
		if t.Proposal, err = rollout.Of(rule.NewFacts(tree, rule.Settings{}), t.Plan, rollout.Options{Headroom: f.headroom}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if t.After, err = verify(t.Proposal.Enforce.Tree); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return a.writeOutput(f.output, func(w io.Writer) error {
		switch f.format.value {
		case "json":
			return report.WriteTuningJSON(w, t, a.screen(f.output))
		case "html":
			return report.WriteTuningHTML(w, t, a.screen(f.output))
		}
		return report.WriteTuning(w, t, a.screen(f.output))
	})
}

// A verification runs the traffic through another configuration with the same servers.
type verification func(*config.Tree) (tune.Figures, error)

func isLogin(uri string) bool { return len(rule.LoginWords(uri)) > 0 }

// networks reads those of a flag.
func networks(flag string, list []string) ([]netip.Prefix, error) {
	networks := make([]netip.Prefix, len(list))
	for i, text := range list {
		network, _, ok := request.ParseNetwork(text)
		if !ok {
			return nil, fmt.Errorf("--%s: %q is neither an address nor a network", flag, text)
		}
		networks[i] = network
	}
	return networks, nil
}

// within tells the addresses of networks; nil where there is none.
func within(networks []netip.Prefix) func(string) bool {
	if len(networks) == 0 {
		return nil
	}
	return func(name string) bool {
		addr, ok := request.ParseAddr(name)
		return ok && request.Contains(networks, addr)
	}
}
