package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/cmd/internal/baseline"
	"github.com/ngxlimit/ngxlimit/cmd/internal/changes"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// knownFlags say which findings are known, so that they are not told.
type knownFlags struct{ baseline, writeBaseline, newFrom string }

func (f *knownFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.baseline, "baseline", "", "`file` of findings that are known: only others are told")
	flags.StringVar(&f.writeBaseline, "write-baseline", "", "`file` to write all findings to, which are known from then on")
	flags.StringVar(&f.newFrom, "new-from", "", "git `revision`: only findings are told that were not there")
}

// check refuses flags that do not go together.
func (f *knownFlags) check(mending bool) error {
	switch {
	case f.baseline != "" && f.newFrom != "":
		return errors.New("--baseline and --new-from both say what is known: give one of them")
	case f.writeBaseline != "" && f.newFrom != "":
		return errors.New("--write-baseline writes all findings, --new-from tells of some: give one of them")
	case f.writeBaseline != "" && mending:
		return errors.New("--write-baseline keeps findings, fixes mend them: give one of them")
	}
	return nil
}

// A known is what was there before, and where from.
type known struct {
	tally run.Tally
	file  *baseline.Baseline
	name  string
}

// loadKnown reads the baseline, or judges the older revision.
func (f *checkFlags) loadKnown(a *app, paths []string, j judge) (known, error) {
	switch {
	case f.baseline != "":
		if now, err := os.Stat(f.writeBaseline); err != nil || !sameAs(now, f.baseline) { // written anew is what that is for
			a.noteFiles(f.baseline)
		}
		k, err := readBaseline(f.baseline)
		if f.writeBaseline != "" {
			k = known{} // all findings are written, known ones too
		}
		return k, err
	case f.newFrom != "":
		t, err := f.older(a, paths, j)
		if err != nil {
			return known{}, fmt.Errorf("--new-from: %w", err)
		}
		return known{tally: t}, nil
	}
	return known{}, nil
}

func readBaseline(path string) (known, error) {
	f, err := os.Open(path)
	if err != nil {
		return known{}, fmt.Errorf("read %s: %w", path, oserror.Bare(err))
	}
	defer f.Close() //nolint:errcheck // nothing was written
	b, err := baseline.Read(path, oserror.Reader(f))
	if err != nil {
		return known{}, err
	}
	return known{b.Tally(), b, path}, nil
}

// older judges the inputs as they were at a revision.
func (f *checkFlags) older(a *app, paths []string, j judge) (run.Tally, error) {
	if slices.Contains(paths, "-") {
		return nil, errors.New("standard input has no older revision")
	}
	old, err := changes.Open(context.Background(), f.newFrom, paths)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	forget := cleanUpOnSignal(old.Close)
	defer forget()
	var then []string
	for _, path := range paths {
		if was, ok := old.Path(path); ok {
			then = append(then, was)
		}
	}
	tally := run.Tally{}
	if len(then) == 0 {
		return tally, nil // all of it is new
	}
	flags, err := f.then(old)
	if err != nil {
		return nil, err
	}
	inputs, err := flags.read(a, then)
	if len(inputs) == 0 {
		return tally, nothingThen(err)
	}
	trees := make([]*config.Tree, len(inputs))
	for i, in := range inputs {
		trees[i] = flags.resolve(in)
	}
	j.everything = true
	for _, r := range j.all(factsOf(trees, j.set), nil) {
		tally.Add(r.Findings)
	}
	return tally, nil
}

// nothingThen passes over that there was nothing to read: everything is new then.
func nothingThen(err error) error {
	if len(unreadPaths(err)) > 0 {
		return nil
	}
	return err
}

// maxStale is how many stale entries are named.
const maxStale = 20

// tellStale says on standard error which findings of the baseline are there no more. Of rules that did not run, and of
// rules that were silent because the configuration is not whole, nothing is said.
func (k known) tellStale(a *app, left run.Tally, selected []*rule.Rule, r run.Result, complete bool) {
	if k.file == nil || !complete {
		return
	}
	ran := map[string]bool{}
	for _, of := range selected {
		ran[of.Name] = true
	}
	for _, name := range r.Silent {
		delete(ran, name)
	}
	stale := slices.DeleteFunc(k.file.Stale(left), func(e baseline.Entry) bool { return !ran[e.Rule] })
	for i, e := range stale {
		if i == maxStale {
			complain(a.stderr, fmt.Errorf("%d more entries of %s are not found any more", len(stale)-i, k.name))
			break
		}
		where := strings.Join(append(slices.Clone(e.Context), e.Directive), " > ")
		complain(a.stderr, fmt.Errorf("%s:%d: not found any more: %s in %s", k.name, e.Line, e.Rule, where))
	}
}

// writeKnown writes findings to the baseline.
func (a *app) writeKnown(path string, found []rule.Finding) error {
	return a.writeOutput(path, func(w io.Writer) error { return baseline.Of(found).Write(w) })
}
