package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func (t *jsonTail) mending(m *Mending) {
	if m == nil {
		return
	}
	fixed, left := make([]jsonFixed, len(m.Fixed)), make([]jsonFixed, len(m.Left))
	for i := range m.Fixed {
		fixed[i] = toJSONFixed(&m.Fixed[i], "")
	}
	for i := range m.Left {
		left[i] = toJSONFixed(&m.Left[i].Finding, m.Left[i].Why)
	}
	t.Fixed, t.Left, t.Held, t.Diff = &fixed, &left, m.Held, m.Diff
}

func toJSONFixed(f *rule.Finding, why string) jsonFixed {
	at := f.Primary.From()
	return jsonFixed{f.Rule.Name, f.Primary.File.Path, at.Line, at.Column, f.Fix.Title, f.Fix.Safe, why}
}

// Lines tells what became of fixes, a line each: what was mended, then what was not and why.
func (m *Mending) Lines(o Options) []string {
	lines := make([]string, 0, len(m.Fixed)+len(m.Left))
	for i := range m.Fixed {
		lines = append(lines, "fixed: "+mended(&m.Fixed[i], o))
	}
	for i := range m.Left {
		lines = append(lines, "not fixed: "+mended(&m.Left[i].Finding, o)+": "+clean(m.Left[i].Why))
	}
	return lines
}

func mended(f *rule.Finding, o Options) string {
	span := editedAt(f)
	at := span.From()
	return fmt.Sprintf("%s:%d:%d: %s [%s]", o.shown(o.place(span.File)), at.Line, at.Column, clean(f.Fix.Title), f.Rule.Name)
}

// editedAt is what was found, where the fix changes a line of it; else the first place that the fix changes.
func editedAt(f *rule.Finding) source.Span {
	first, last := f.Primary.From().Line, f.Primary.To().Line
	for _, e := range f.Fix.Edits {
		if line := e.Span.From().Line; e.Span.File == f.Primary.File && first <= line && line <= last {
			return f.Primary
		}
	}
	if len(f.Fix.Edits) == 0 {
		return f.Primary
	}
	return f.Fix.Edits[0].Span
}

// refusals are why fixes were not made, by what carries them.
type refusals map[fixKey]string

type fixKey struct {
	rule, file, title string
	at                uint32
}

func keyOf(f *rule.Finding) fixKey {
	return fixKey{f.Rule.Name, f.Primary.File.Path, f.Fix.Title, f.Primary.Start}
}

// refusals of a Mending; none where no fixes were asked for.
func (m *Mending) refusals() refusals {
	if m == nil {
		return nil
	}
	why := make(refusals, len(m.Left))
	for i := range m.Left {
		why[keyOf(&m.Left[i].Finding)] = m.Left[i].Why
	}
	return why
}

// advice is the title of a finding's fix and, where --fix does not make it, why not.
func (r refusals) advice(f *rule.Finding) string {
	if why, ok := r[keyOf(f)]; ok {
		return f.Fix.Title + " (not made: " + why + ")"
	}
	if !f.Fix.Safe && len(f.Fix.Edits) > 0 {
		return f.Fix.Title + " (by --unsafe-fixes, as answers change)"
	}
	return f.Fix.Title
}

// Sum sums it up: "; 2 fixed, 1 not; --unsafe-fixes would mend 3 more".
func (m *Mending) Sum() string {
	s := "; " + numeral.Count(len(m.Fixed)) + " fixed"
	if n := len(m.Left); n > 0 {
		s += ", " + numeral.Count(n) + " not"
	}
	if m.Held > 0 {
		s += "; --unsafe-fixes may mend " + numeral.Count(m.Held) + " more"
	}
	return s
}

// mending lists what became of fixes.
func (t *textWriter) mending(m *Mending) {
	if m == nil {
		return
	}
	lines := m.Lines(t.o)
	for _, line := range lines {
		t.print(line, "\n")
	}
	if len(lines) > 0 {
		t.print("\n")
	}
}

// unwritten shows what fixes would change in a dump.
func (t *textWriter) unwritten(m *Mending) {
	if m == nil || m.Diff == "" {
		return
	}
	t.print("\n", t.p.bold("What the fixes would change; a dump or standard input is not changed"), "\n")
	for line := range strings.Lines(m.Diff) {
		t.print(shownLine(line), "\n")
	}
}

// shownLine is a line of a diff for a terminal.
func shownLine(line string) string {
	line = strings.TrimSuffix(line, "\n")
	pieces := strings.Split(line, "\t")
	for i, p := range pieces {
		pieces[i] = clean(p)
	}
	return strings.Join(pieces, "\t")
}

// WriteDiff writes a unified diff, as it is, or for a terminal with what steers one written as an escape.
func WriteDiff(w io.Writer, diff string, terminal bool) error {
	if !terminal {
		_, err := io.WriteString(w, diff)
		return err
	}
	e := errWriter{w: w}
	for line := range strings.Lines(diff) {
		e.print(shownLine(line), "\n")
	}
	return e.err
}

// DiffNames are the names of a file before and after, as git and patch(1) take them: with "a/" and "b/" in front, relative to
// the working folder where the file lies below it. A configuration from standard input that is no dump, and so has no name, is
// taken for nginx.conf.
func (o Options) DiffNames(f *source.File) (before, after string) {
	path := strings.TrimPrefix(o.place(f), "/")
	if path == "-" {
		path = "nginx.conf"
	}
	return diffName("a/" + path), diffName("b/" + path)
}

// diffName writes a name as git does in the head of a diff: in quotes and with escapes where it holds what is not printable, a
// quote or a backslash, and with a tab behind it where it holds a space, so that patch(1) sees where it ends.
func diffName(name string) string {
	printable := strings.IndexFunc(name, func(r rune) bool {
		return r == '"' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r)
	}) < 0
	switch {
	case printable && strings.Contains(name, " "):
		return name + "\t"
	case printable:
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteString("\\" + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
