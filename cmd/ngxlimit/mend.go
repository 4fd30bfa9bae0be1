package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/cmd/internal/replace"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/rules/fix"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// mendFlags say which fixes are made, and whether they are written.
type mendFlags struct{ fix, unsafe, diff bool }

func (f *mendFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.fix, "fix", false, "make fixes after which requests that come at given times are answered as before, in files on disk; for a dump show them")
	flags.BoolVar(&f.unsafe, "unsafe-fixes", false, "with --fix or --diff: also mend what changes how requests are answered")
	flags.BoolVar(&f.diff, "diff", false, "show what --fix would change, as a diff on standard output, and write nothing")
}

// asked says that fixes are to be looked for.
func (f *mendFlags) asked() bool { return f.fix || f.diff }

// check refuses flags that do not go together.
func (f *mendFlags) check(flags *pflag.FlagSet) error {
	switch {
	case f.unsafe && !f.asked():
		return errors.New("--unsafe-fixes says which fixes are made: give --fix or --diff with it")
	case f.diff && flags.Changed("format") && !flags.Changed("output"):
		return errors.New("--diff takes the place of the report: name a file for it with --output")
	}
	return nil
}

// A mender reads inputs, and reads them again with other texts in place of files.
type mender struct {
	*mendFlags
	app   *app
	paths []string
	from  *inputFlags
	run   func([]*config.Tree) []run.Result
	stdin *bytes.Buffer // what was read of standard input
}

// newMender prepares for reading: what comes by standard input is kept, since it comes only once.
func newMender(a *app, f *checkFlags, paths []string, judge func([]*config.Tree) []run.Result) *mender {
	m := &mender{mendFlags: &f.mendFlags, app: a, paths: paths, from: &f.inputFlags, run: judge}
	if f.asked() {
		f.texts = fix.Texts{}
		if slices.Contains(paths, "-") {
			m.stdin = &bytes.Buffer{}
			a.stdin = io.TeeReader(a.stdin, m.stdin)
		}
	}
	return m
}

// again reads the inputs with texts in place of files. Paths that could not be read at first cannot be now, which was said.
func (m *mender) again(texts fix.Texts) (fix.Reading, error) {
	flags, app := *m.from, *m.app
	flags.texts = texts
	text, ok := texts[fix.Stdin]
	if !ok && m.stdin != nil {
		text = m.stdin.String()
	}
	app.stdin = strings.NewReader(text)
	inputs, err := flags.read(&app, m.paths)
	if len(inputs) == 0 {
		return fix.Reading{}, err
	}
	trees := make([]*config.Tree, len(inputs))
	for i, in := range inputs {
		trees[i] = flags.resolve(in)
	}
	return fix.Reading{Trees: trees, Results: m.run(trees)}, nil
}

// mend makes the fixes of a first reading, or shows them. The reading that comes back is what is to be reported.
func (m *mender) mend(first fix.Reading, o report.Options) (fix.Reading, *report.Mending, error) {
	options := fix.Options{Unsafe: m.unsafe, Read: m.again, Refuse: m.refuse}
	done, err := fix.Run(first, options)
	if err != nil {
		return first, nil, err
	}
	mending := &report.Mending{Held: done.Held}
	for _, l := range done.Left {
		mending.Left = append(mending.Left, report.Left{Finding: l.Finding, Why: l.Why})
	}
	diff, err := m.diffs(done.Changes, o)
	if err != nil {
		return first, nil, err
	}
	if m.diff {
		return first, mending, report.WriteDiff(m.app.stdout, diff, m.app.onTerminal())
	}
	mending.Diff = diff
	for _, f := range done.Fixed {
		if !f.Carried {
			mending.Fixed = append(mending.Fixed, f.Finding)
		}
	}
	if err := write(done.Changes); err != nil {
		return first, nil, err
	}
	return done.Reading, mending, nil
}

// diffs are the changes as one diff: all of them for --diff, else those that are not written.
func (m *mender) diffs(changes []fix.Change, o report.Options) (string, error) {
	var all strings.Builder
	for i := range changes {
		if !m.diff && !changes[i].Carried() {
			continue
		}
		text, err := changes[i].Diff(o.DiffNames(changes[i].File))
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

// refuse says why a file may not be changed.
func (m *mender) refuse(path string) string {
	if m.from.root != "" {
		root, err := load.RealPath(m.from.root)
		if err != nil {
			return err.Error()
		}
		if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
			return "the file lies outside of --root"
		}
	}
	if m.diff {
		return "" // nothing is written
	}
	if why := replace.Refuse(path); why != "" {
		return "the file cannot be replaced: " + why
	}
	return ""
}

// writeBatch is how many files are prepared before the first of them takes its place: each is open.
const writeBatch = 256

// write puts the changed files in the place of the old ones.
func write(changes []fix.Change) error {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c fix.Change) bool { return c.Carried() })
	for len(changes) > 0 {
		n := min(writeBatch, len(changes))
		if err := writeSome(changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// writeSome prepares all files before it replaces the first one, so that a full disk or a file that was changed meanwhile
// leaves everything as it was.
func writeSome(changes []fix.Change) error {
	files := make([]*replace.Pending, 0, len(changes))
	discard := func() {
		for _, f := range files {
			f.Discard()
		}
	}
	defer discard()
	for i := range changes {
		c := &changes[i]
		f, err := replace.Content(c.File.Real, c.File.Text, c.New)
		if err != nil {
			return fmt.Errorf("fix %s: %w; nothing was written", c.File.Disk, err)
		}
		files = append(files, f)
		forget := cleanUpOnSignal(f.Discard)
		defer forget()
	}
	for i, f := range files {
		if err := f.Commit(); err != nil {
			return fmt.Errorf("fix %s: %w; %d of %d files were written", changes[i].File.Disk, oserror.Bare(err), i, len(files))
		}
	}
	return nil
}

// told says on standard error what became of fixes, where the report does not.
func (m *mender) told(mending *report.Mending, format string, o report.Options) {
	if mending == nil || !m.diff && (format == "text" || format == "json") {
		return
	}
	for _, line := range mending.Lines(o) {
		fmt.Fprintf(m.app.stderr, "ngxlimit: %s\n", line) //nolint:errcheck // there is nowhere left to say so
	}
	if mending.Diff != "" {
		fmt.Fprintln(m.app.stderr, "ngxlimit: a dump or standard input is not changed: --diff shows what would be") //nolint:errcheck // likewise
	}
	if mending.Held > 0 && !m.diff {
		fmt.Fprintf(m.app.stderr, "ngxlimit: --unsafe-fixes may mend %d more\n", mending.Held) //nolint:errcheck // likewise
	}
}
