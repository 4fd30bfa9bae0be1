package rollout

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// finish turns what was made into edits.
func (w *writer) finish() {
	for _, d := range inOrder(w.made) {
		text := strings.TrimSuffix(w.made[d], "\n\n")
		if replaced, ok := w.in[d]; ok {
			w.in[d] = text + "\n" + replaced
			continue
		}
		if w.p.gone[d] {
			w.in[d] = text
			continue
		}
		w.before(d, text)
	}
	for _, d := range inOrder(w.in) {
		w.edit(d, d.Name().Start, d.End, layoutOf(d).lines(w.in[d]))
	}
	for _, d := range inOrder(w.p.gone) {
		if _, ok := w.in[d]; !ok {
			w.stage.Edits = append(w.stage.Edits, rule.RemoveDirective(d))
		}
	}
}

// before puts text before a directive. A block begins a line of its own, also where the directive stands behind something.
func (w *writer) before(d *syntax.Directive, text string) {
	l, at := layoutOf(d), d.Name().Start
	if !strings.Contains(text, "{") {
		w.edit(d, at, at, l.lines(text+"\n"))
		return
	}
	text = l.lines(text + "\n\n")
	start := at
	if l.behind {
		f := d.Head().File.Text
		start = uint32(len(strings.TrimRight(f[:at], " \t")))
		text = "\n" + l.indent + text
	}
	w.edit(d, start, at, text)
}

func (w *writer) edit(d *syntax.Directive, start, end uint32, text string) {
	f := d.Head().File
	w.stage.Edits = append(w.stage.Edits, source.Edit{Span: source.Span{File: f, Start: start, End: end}, Text: strings.ReplaceAll(text, "\n", syntax.LineEnd(f))})
}

// A layout is how the text around a directive is laid out.
type layout struct {
	indent string // of the line
	behind bool   // something else stands before the directive on its line
}

func layoutOf(d *syntax.Directive) layout {
	f, at := d.Head().File, d.Name().Start
	before := f.Text[f.LineStart(f.Position(at).Line):at]
	rest := strings.TrimLeft(before, " \t")
	return layout{indent: before[:len(before)-len(rest)], behind: rest != ""}
}

// lines lays text out as what is around it: directives behind something stay on its line; else each line is indented alike, but
// for the first, and by tabs where the line is.
func (l layout) lines(text string) string {
	if l.behind && !strings.Contains(text, "{") {
		return strings.ReplaceAll(text, "\n", " ")
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		line := strings.TrimLeft(lines[i], " ")
		deep := lines[i][:len(lines[i])-len(line)]
		if strings.HasPrefix(l.indent, "\t") {
			deep = strings.ReplaceAll(deep, step, "\t")
		}
		if i > 0 && (line != "" || i == len(lines)-1) {
			deep = l.indent + deep
		}
		lines[i] = deep + line
	}
	return strings.Join(lines, "\n")
}

// step is what gonginx indents by.
const step = "    "

func inOrder[V any](m map[*syntax.Directive]V) []*syntax.Directive {
	list := make([]*syntax.Directive, 0, len(m))
	for d := range m {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *syntax.Directive) int {
		x, y := a.Head(), b.Head()
		if x.File != y.File {
			return strings.Compare(x.File.Path, y.File.Path)
		}
		return int(x.Start) - int(y.Start)
	})
	return list
}
