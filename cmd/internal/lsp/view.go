package lsp

import (
	"cmp"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A view is one configuration, as a snapshot has it. What takes time is computed on first use.
type view struct {
	*snapshot
	root  root
	input *load.Input
	tree  *config.Tree
	lone  *document // that was read without a file; nil elsewhere

	settings func() settled
	facts    func() *rule.Facts
	result   func() run.Result
}

// settled is what the settings file says, or why it cannot be read: then it says nothing.
type settled struct {
	settings.Settings
	rules []*rule.Rule
	err   error
}

func (n *snapshot) newViews(r root, inputs []*load.Input, lone *document) []*view {
	views := make([]*view, len(inputs))
	for i, in := range inputs {
		v := &view{snapshot: n, root: r, input: in, lone: lone}
		v.tree = config.Resolve(in, config.Options{Version: n.options.Load.Version})
		v.settings = sync.OnceValue(v.settle)
		v.facts = sync.OnceValue(func() *rule.Facts { return rule.NewFacts(v.tree, v.settings().Facts) })
		v.result = sync.OnceValue(func() run.Result { return v.judge(v.facts()) })
		views[i] = v
	}
	return views
}

// A settlement keeps what was looked for on disk: which main files there are, and settings by their file and the folder that
// the editor works in. Reading them for each letter typed would read large lists of networks over and over. A new one is
// begun when something on disk may have changed.
type settlement struct {
	mains load.Mains
	sync.Mutex
	known map[[2]string]settled
}

func newSettlement() *settlement { return &settlement{known: map[[2]string]settled{}} }

// settle reads the settings file of the main file's folder, or of the nearest one above it that has one.
func (v *view) settle() settled {
	path, unreadable := v.options.SettingsFile, error(nil)
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(v.root.real, path)
	}
	if path == "" && v.root.real != "" {
		path, unreadable = settings.Find(filepath.Dir(v.input.Main.File.Real))
		if real, err := load.RealPath(path); path != "" && (err != nil || !within(v.root.real, real)) {
			path = ""
		}
	}
	v.settlement.Lock()
	defer v.settlement.Unlock()
	key := [2]string{path, v.root.real}
	s, done := v.settlement.known[key]
	if done {
		return s
	}
	if path != "" && unreadable != nil {
		s.err = unreadable
	} else if s.Settings, s.err = v.options.Settings(path, v.root.real); s.err == nil {
		s.rules, s.err = s.Select(rules.All(), settings.Flags{})
	}
	if s.err != nil {
		s.Settings, s.rules = settings.Settings{}, rules.All()
	}
	v.settlement.known[key] = s
	return s
}

// judge runs the rules.
func (v *view) judge(facts *rule.Facts) run.Result {
	set := v.settings()
	return run.On(facts, set.rules, run.Options{
		Severities: set.Graded(settings.Flags{}),
		Overrides:  set.OverridesWith(settings.Flags{}),
		Today:      time.Now().Format(time.DateOnly),
		Known:      rules.All(),
	})
}

// files are the configuration's files.
func (v *view) files() []*source.File {
	files := make([]*source.File, len(v.input.Documents))
	for i, doc := range v.input.Documents {
		files[i] = doc.File
	}
	return files
}

// holds says whether a file of the configuration is the document, or a part of it.
func (v *view) holds(f *source.File, d *document) bool {
	return v.lone != nil || f.Real != "" && f.Real == d.real
}

// at returns the file in which an offset of the document lies, and the offset within it. In a dump, only one does.
func (v *view) at(d *document, offset uint32) (*syntax.Document, uint32, bool) {
	for _, doc := range v.input.Documents {
		f := doc.File
		if v.holds(f, d) && f.Base <= offset && offset-f.Base <= uint32(len(f.Text)) {
			return doc, offset - f.Base, true
		}
	}
	return nil, 0, false
}

// linesOf is the index of what holds a file's text.
func (v *view) linesOf(f *source.File) *lines {
	text, key := f.Text, f.Real
	if f.Container != "" {
		text = v.input.Whole
	}
	if v.lone != nil {
		return v.lone.lines
	}
	v.Lock()
	defer v.Unlock()
	if l := v.index[key]; l != nil {
		return l
	}
	l := newLines(text, v.units)
	v.index[key] = l
	return l
}

// rangeOf returns where a span lies in the text that the editor shows.
func (v *view) rangeOf(s source.Span) textRange {
	return v.linesOf(s.File).between(s.File.Base+s.Start, s.File.Base+s.End)
}

// urisOf are the URIs by which the client may know what holds a file: those of the documents that are open on it, else
// that of its path.
func (v *view) urisOf(f *source.File) []string {
	if v.lone != nil {
		return []string{v.lone.uri}
	}
	var open []string
	for _, d := range v.docs {
		if d.real == f.Real {
			open = append(open, d.uri)
		}
	}
	if len(open) == 0 {
		path := cmp.Or(f.Real, f.Disk)
		if rel, err := filepath.Rel(v.root.real, path); err == nil {
			path = filepath.Join(v.root.path, rel) // as the client names the folder
		}
		open = append(open, uriOf(path))
	}
	return open
}

func (v *view) locate(s source.Span) location {
	return location{v.urisOf(s.File)[0], v.rangeOf(s)}
}

// directiveAt returns the innermost directive at an offset of a file; nil where none is.
func directiveAt(doc *syntax.Document, offset uint32) *syntax.Directive {
	var found *syntax.Directive
	for list := doc.Directives; ; {
		// The last one that starts at or before the offset.
		i := sort.Search(len(list), func(i int) bool { return list[i].Name().Start > offset }) - 1
		if i < 0 {
			return found
		}
		d := &list[i]
		if d.Block == nil || d.Block.Code || offset < d.End {
			if offset <= d.End {
				return d
			}
			return found
		}
		if d.Block.Closed && offset > d.Block.Close {
			return found
		}
		found, list = d, d.Block.Directives
	}
}

// wordAt returns which word of a directive an offset lies in: its name is number 0. The end of a word belongs to it.
func wordAt(d *syntax.Directive, offset uint32) (int, syntax.Word, bool) {
	for i, w := range d.Words() {
		if w.Start <= offset && offset <= w.End {
			return i, w, true
		}
	}
	return 0, syntax.Word{}, false
}
