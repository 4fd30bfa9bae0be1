package main

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/fix"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// never is the --fail-on that lets no finding fail the command.
const never = "never"

type checkFlags struct {
	inputFlags
	settingsFlags
	mendFlags
	knownFlags
	logFlags
	format, failOn, confidence, color *choice
	output                            string
	also                              reports
	enable, disable                   words
	noSuppressed, profile             bool
}

func newCheck(a *app) *cobra.Command {
	f := &checkFlags{
		format:     oneOf("text", report.Formats()...),
		failOn:     oneOf(string(rule.Warning), string(rule.Error), string(rule.Warning), string(rule.Note), never),
		confidence: oneOf(string(rule.Low), string(rule.Low), string(rule.Medium), string(rule.High)),
		color:      oneOf("auto", "auto", "always", never),
	}
	cmd := &cobra.Command{
		Use:   "check INPUT...",
		Short: "Find what is wrong with the limits of a configuration",
		Long: `check reads configurations and reports what is wrong with their limits. INPUT is a
dump (nginx -T), a main nginx.conf, a fragment of one, a folder of them, or "-"
for standard input.

The exit status is 0 where nothing was found at or above --fail-on, 1 where
something was, 2 where the command could not do its work.

What a page load suffers is computed for one client and for as many clients
behind one public address as --clients-per-address says. Its default is an
office of 29 people that lost its portal to a limit of 5 requests a second for
each address.`,
		Args: needArgs(1, -1, "INPUT..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(f.mendFlags.check(cmd.Flags()), f.knownFlags.check(f.asked())); err != nil {
				return err
			}
			if len(f.logs) == 0 {
				if err := idle(cmd.Flags(), "the logs of --log, and none is named", "log-format"); err != nil {
					return err
				}
			}
			return a.check(f, args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(f.format, "format", "how to report")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	flags.Var(&f.also, "also", "write the report to FILE in another format too; may be repeated")
	flags.Var(f.failOn, "fail-on", "least severity at which the exit status is 1")
	flags.Var(&f.enable, "enable", "run only these rules, whatever the settings say of them")
	flags.Var(&f.disable, "disable", "do not run these rules")
	flags.Var(f.confidence, "min-confidence", "drop findings that are less sure")
	flags.BoolVar(&f.whole, "whole", false, "take each file for a part: check the main file above it that includes it, each once")
	flags.Var(f.color, "color", "colours in text")
	flags.BoolVar(&f.noSuppressed, "no-suppressed", false, "leave out of SARIF what comments suppress: code scanning shows that as well")
	flags.BoolVar(&f.profile, "profile", false, "tell on standard error where the time goes: the steps, and each rule")
	f.mendFlags.add(flags)
	f.knownFlags.add(flags)
	f.logFlags.add(flags)
	f.settingsFlags.add(flags)
	f.inputFlags.add(flags)
	return cmd
}

// named are the rules that flags name.
func (f *checkFlags) named() settings.Flags {
	return settings.Flags{Enable: f.enable, Disable: f.disable}
}

// check runs the command and sets the exit status.
func (a *app) check(f *checkFlags, paths []string) error {
	spent := newProfile(f.profile)
	named := f.named()
	set, err := f.load(a, named)
	if err != nil {
		return err
	}
	selected, err := set.Select(rules.All(), named)
	if err != nil {
		return err
	}
	paths = inOrder(paths)
	j := judge{checkFlags: f, selected: selected, set: set, everything: f.writeBaseline != "", spent: spent}
	known, err := f.loadKnown(a, paths, j)
	if err != nil {
		return err
	}
	left := maps.Clone(known.tally)
	mender := newMender(a, f, paths, func(trees []*config.Tree) []run.Result {
		return j.all(factsOf(trees, set), maps.Clone(known.tally))
	})
	inputs, unread := f.read(a, paths)
	if len(inputs) == 0 {
		return unread // nil where no file is part of a configuration
	}
	f.besides(inputs, a.stderr)
	spent.step("read")
	hosts := fleetOf(inputs)
	switch {
	case hosts == nil:
	case f.asked() || f.writeBaseline != "" || f.baseline != "" || f.newFrom != "":
		hosts.alone()
	default:
		inputs = hosts.distinct()
	}
	trees := f.resolveAll(inputs)
	if err := f.readLogs(a, trees, &set.Facts); err != nil {
		return err
	}
	j.set = set
	spent.step("resolve")
	beFrugal(inputs)
	if unread == nil { // a zone may be defined in what was not read
		unmetOverrides(trees, set, a.stderr)
		if err := f.unknownZones(trees, set, a.stderr); err != nil {
			return err
		}
	}
	options, err := f.reportOptions(a)
	if err != nil {
		return err
	}
	facts := factsOf(trees, set)
	reading := fix.Reading{Trees: trees, Results: j.all(facts, left)}
	spent.step("judge")
	var mending *report.Mending
	if f.asked() {
		if unread != nil {
			complain(a.stderr, errors.New("nothing is mended, because not all of the input could be read"))
		} else if reading, mending, err = mender.mend(reading, options); err != nil {
			return err
		}
		facts = factsOf(reading.Trees, set)
		if mending != nil {
			mender.tellParts(reading, facts)
		}
		spent.step("mend")
	}
	rep, result := gather(reading, facts, f.shows(report.ShowsPages))
	rep.Mending = mending
	if f.noSuppressed {
		rep.Held = nil
	}
	known.tellStale(a, left, selected, result, unread == nil)
	if f.writeBaseline != "" {
		if err := a.writeKnown(f.writeBaseline, rep.Findings); err != nil {
			return err
		}
		rep.Written, rep.Findings, result.Findings = len(rep.Findings), nil, nil
	}
	if hosts != nil {
		hosts.mark(rep.Pages)
	}
	if hosts != nil && rep.Written == 0 {
		hosts.report(rep, reading.Results, facts)
	}
	for _, path := range unreadPaths(unread) {
		rep.Inputs = append(rep.Inputs, report.Input{Path: path, Kind: string(load.Fragment)})
	}
	mender.told(mending, f.format.value, options)
	if !f.diff || f.output != "" {
		err = a.writeOutput(f.output, func(w io.Writer) error { return report.Write(w, f.format.value, rep, options) })
		if err != nil {
			return err
		}
	}
	if err := f.also.write(a, rep, options); err != nil {
		return err
	}
	spent.step("report")
	if err := spent.write(a.stderr); err != nil {
		return err
	}
	if unread != nil {
		return unread
	}
	a.status = f.status(result)
	return nil
}

// unreadPaths returns the paths that could not be read.
func unreadPaths(unread error) (paths []string) {
	for _, err := range parts(unread) {
		if e, ok := errors.AsType[*load.ReadError](err); ok {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// factsOf prepares what rules, and the table of pages, want to know about each input.
func factsOf(trees []*config.Tree, set settings.Settings) []*rule.Facts {
	facts := make([]*rule.Facts, len(trees))
	for i, tree := range trees {
		facts[i] = rule.NewFacts(tree, set.Facts)
	}
	return facts
}

// inOrder returns the paths by name, each once: the output is to be the same in whichever order they are given.
func inOrder(paths []string) []string {
	stdin := slices.Index(paths, "-")
	sorted := slices.Sorted(slices.Values(paths))
	if stdin >= 0 {
		return sorted // given twice it is refused
	}
	return slices.Compact(sorted)
}

// A judge runs rules over inputs.
type judge struct {
	*checkFlags
	selected   []*rule.Rule
	set        settings.Settings
	everything bool
	spent      *profile
}

// all judges the inputs, whose order decides what findings that are alike are called. What was there before is taken off the tally.
func (j judge) all(facts []*rule.Facts, before run.Tally) []run.Result {
	options := run.Options{
		Severities:    j.set.Graded(j.named()),
		Overrides:     j.set.OverridesWith(j.named()),
		MinConfidence: rule.Confidence(j.confidence.value),
		Today:         time.Now().Format(time.DateOnly),
		Known:         rules.All(),
		Everything:    j.everything,
		Around:        j.spent.around,
		Before:        before,
		Numbers:       run.Numbers{},

		NoFingerprints: !j.everything && !j.shows(report.ShowsFingerprints), // diff tells findings apart by them
	}
	return run.Each(facts, j.selected, options)
}

// gather puts together what is to be reported of a reading, with what pages suffer or without.
func gather(reading fix.Reading, facts []*rule.Facts, pages bool) (*report.Report, run.Result) {
	trees := reading.Trees
	rep := &report.Report{Version: toolVersion(), Rules: rules.All(), Unlimited: !slices.ContainsFunc(trees, limitsSomething)}
	for i, tree := range trees {
		rep.Inputs = append(rep.Inputs, describe(tree.Input))
		rep.LeftOut += tree.LeftOut
		rep.Assumed = append(rep.Assumed, tree.Assumed...)
		if pages {
			rep.Pages = append(rep.Pages, pagesOf(facts[i])...)
		}
	}
	slices.Sort(rep.Assumed)
	rep.Assumed = slices.Compact(rep.Assumed)
	all := run.Join(reading.Results...)
	rep.LeftOut += all.LeftOut
	rep.Findings, rep.Suppressed, rep.Defects = all.Findings, all.Suppressed, all.Defects
	rep.Silent, rep.Known, rep.Held = all.Silent, all.Before, all.Held
	return rep, all
}

// limitsSomething says whether a limit is in effect anywhere in a configuration.
func limitsSomething(tree *config.Tree) bool {
	if tree.HTTP == nil {
		return false
	}
	s := tree.HTTP.Settings
	return len(s.LimitReqs.Value)+len(s.LimitConns.Value) > 0 || slices.ContainsFunc(tree.HTTP.Servers, simulate.Limited)
}

// describe says what an input was.
func describe(in *load.Input) report.Input {
	return report.Input{Path: in.Path, Kind: string(in.Kind), Files: len(in.Documents), Complete: in.Complete(), Decisive: in.Decisive()}
}

// status is 1 where the worst finding is at or above --fail-on, and 2 where a rule of ours broke down.
func (f *checkFlags) status(r run.Result) int {
	switch worst := r.Worst(); {
	case len(r.Defects) > 0:
		return exitTrouble
	case f.failOn.value == never || worst == "":
		return exitOK
	case worst.AtLeast(rule.Severity(f.failOn.value)):
		return exitFound
	}
	return exitOK
}

// reportOptions settle colour, width and the folder that paths are shown from. Colour is for a terminal, unless NO_COLOR
// is set or --color says otherwise.
func (f *checkFlags) reportOptions(a *app) (report.Options, error) {
	o := a.screen(f.output)
	o.MapPath = f.mapPath.values
	dir, err := os.Getwd()
	if err != nil {
		return o, err
	}
	o.Dir = dir
	switch f.color.value {
	case "always":
		o.Color = true
	case never:
		o.Color = false
	}
	return o, nil
}
