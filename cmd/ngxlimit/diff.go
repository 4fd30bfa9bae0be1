package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/cmd/internal/changes"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/effect"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type diffFlags struct {
	checkFlags // of which only some are flags here
	git        string
}

func newDiff(a *app) *cobra.Command {
	f := &diffFlags{checkFlags: checkFlags{
		format:     oneOf("text", report.DiffFormats...),
		failOn:     oneOf(string(rule.Warning), string(rule.Error), string(rule.Warning), string(rule.Note), never),
		confidence: oneOf(string(rule.Low), string(rule.Low), string(rule.Medium), string(rule.High)),
		color:      oneOf("auto", "auto", "always", never),
	}}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW | diff --git REV INPUT",
		Short: "Say what a change of a configuration does to its limits and pages",
		Long: `diff compares two configurations by what they do, not by their text: which limits
are lost, gained, looser or tighter and for which requests, which addresses are
answered otherwise, which pages get slower or break, and which findings come and
go. What is only moved, renamed or written in another way is not told.

With --git the configuration as it was at a revision is the old one.

The exit status is 0 where nothing got worse at or above --fail-on, 1 where
something did, 2 where the command could not do its work. A limit that is lost,
loosened or counts otherwise is a warning, and so is a page that gets slower; a
page that breaks for a single visitor is an error.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.git != "" {
				return needArgs(1, 1, "--git REV INPUT")(cmd, args)
			}
			return needArgs(2, 2, "OLD NEW")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.diff(f, args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.git, "git", "", "git `revision` that is the old side")
	flags.Var(f.format, "format", "how to report")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	flags.Var(f.failOn, "fail-on", "least severity of what got worse at which the exit status is 1")
	flags.Var(&f.enable, "enable", "run only these rules, whatever the settings say of them")
	flags.Var(&f.disable, "disable", "do not run these rules")
	flags.Var(f.confidence, "min-confidence", "drop findings that are less sure")
	flags.Var(f.color, "color", "colours in text")
	f.settingsFlags.add(flags)
	f.inputFlags.add(flags)
	return cmd
}

// A diffSide is the configurations of one side.
type diffSide struct {
	flags inputFlags
	path  string
	dir   string // the folder that its places are shown from; "" is the working folder
	trees []*config.Tree
}

func (a *app) diff(f *diffFlags, args []string) error {
	set, err := f.load(a, f.named())
	if err != nil {
		return err
	}
	selected, err := set.Select(rules.All(), f.named())
	if err != nil {
		return err
	}
	old, renewed, done, err := f.versions(args)
	if err != nil {
		return err
	}
	defer done()
	for _, v := range []*diffSide{old, renewed} {
		if err := v.read(a); err != nil {
			return err
		}
	}
	options, err := f.reportOptions(a)
	if err != nil {
		return err
	}
	c := &report.Change{Version: toolVersion()}
	j := judge{checkFlags: &f.checkFlags, selected: selected, set: set, everything: true}
	for _, pair := range pairTrees(old, renewed) {
		c.Steps = append(c.Steps, f.stepOf(old, pair, j, set))
	}
	err = a.writeOutput(f.output, func(w io.Writer) error { return report.WriteChange(w, f.format.value, c, options) })
	if err != nil {
		return err
	}
	if worst := c.Worst(); f.failOn.value != never && worst != "" && worst.AtLeast(rule.Severity(f.failOn.value)) {
		a.status = exitFound
	}
	return nil
}

// versions are the two sides; done removes what was taken out for them.
func (f *diffFlags) versions(args []string) (old, renewed *diffSide, done func(), err error) {
	renewed = &diffSide{flags: f.inputFlags, path: args[len(args)-1]}
	if f.git == "" {
		if args[0] == "-" && args[1] == "-" {
			return nil, nil, nil, errors.New("both sides are to be read from standard input")
		}
		return &diffSide{flags: f.inputFlags, path: args[0]}, renewed, func() {}, nil
	}
	if args[0] == "-" {
		return nil, nil, nil, errors.New("--git: standard input has no older revision")
	}
	rev, err := changes.Open(context.Background(), f.git, args)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("--git: %w", err)
	}
	forget := cleanUpOnSignal(rev.Close)
	done = func() { forget(); rev.Close() }
	old = &diffSide{}
	if old.flags, err = f.then(rev); err != nil {
		done()
		return nil, nil, nil, fmt.Errorf("--git: %w", err)
	}
	path, was := rev.Path(args[0])
	if !was {
		done()
		return nil, nil, nil, fmt.Errorf("--git: %s was not there at %s", args[0], f.git)
	}
	old.path = path
	if dir, err := os.Getwd(); err == nil {
		old.dir, _ = rev.Path(dir)
	}
	return old, renewed, done, nil
}

func (v *diffSide) read(a *app) error {
	inputs, err := v.flags.read(a, []string{v.path})
	if err != nil {
		return err
	}
	for _, in := range inputs {
		v.trees = append(v.trees, v.flags.resolve(in))
	}
	return nil
}

// name is a configuration's path within the side.
func (v *diffSide) name(t *config.Tree) string {
	rel, err := filepath.Rel(v.path, t.Input.Path)
	if err != nil {
		return t.Input.Path
	}
	return filepath.ToSlash(rel)
}

// pairTrees pairs the configurations of two sides: those that are alone, and else those of one name. Either may be nil.
func pairTrees(old, renewed *diffSide) [][2]*config.Tree {
	if len(old.trees) == 1 && len(renewed.trees) == 1 {
		return [][2]*config.Tree{{old.trees[0], renewed.trees[0]}}
	}
	was := map[string]*config.Tree{}
	for _, t := range old.trees {
		was[old.name(t)] = t
	}
	var pairs [][2]*config.Tree
	for _, t := range renewed.trees {
		pairs = append(pairs, [2]*config.Tree{was[renewed.name(t)], t})
		delete(was, renewed.name(t))
	}
	for _, t := range old.trees {
		if was[old.name(t)] == t {
			pairs = append(pairs, [2]*config.Tree{t, nil})
		}
	}
	return pairs
}

// stepOf judges a pair and says what the step from one to the other does.
func (f *diffFlags) stepOf(old *diffSide, pair [2]*config.Tree, j judge, set settings.Settings) report.Step {
	s := report.Step{OldDir: old.dir}
	sides := [2]effect.Side{}
	for i, t := range pair {
		if t == nil {
			t = nothing(pair[1-i])
		} else if d := describe(t.Input); i == 0 {
			s.Before = d
			s.Before.Path = f.told(old, d.Path)
		} else {
			s.After = d
		}
		facts := factsOf([]*config.Tree{t}, set)
		sides[i] = effect.Side{Facts: facts[0], Result: j.all(facts, nil)[0]}
	}
	s.Effect = effect.Of(sides[0], sides[1])
	return s
}

// nothing is the configuration in place of one that is not there.
func nothing(other *config.Tree) *config.Tree {
	return &config.Tree{Input: &load.Input{Path: other.Input.Path, Kind: load.Fragment}, Version: other.Version}
}

// told is the path of an old input for people: that in the working tree, where it was taken out of git.
func (f *diffFlags) told(old *diffSide, path string) string {
	if old.dir == "" {
		return path
	}
	if rel, err := filepath.Rel(old.dir, path); err == nil {
		return f.git + ":" + filepath.ToSlash(rel)
	}
	return path
}
