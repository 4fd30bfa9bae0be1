package lsp

import (
	"cmp"
	"maps"
	"os"
	slashed "path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// mainFile is the name that a main file usually has.
const mainFile = "nginx.conf"

// A snapshot is what was open at one time, laid over the files on disk. What is read of it is kept. It may be used by
// several goroutines.
type snapshot struct {
	options *Options
	units   encoding
	roots   []root
	docs    []*document // those that were changed last come last
	texts   map[string]string

	settlement *settlement

	sync.Mutex
	loaded map[[2]string][]*view // by the root and the path of what was read
	views  map[string][]*view    // by the document's URI
	mains  map[string]string     // by the document's URI: the main file that it was found to belong to, now or before
	index  map[string]*lines     // by what holds the text
}

// take makes a snapshot of the documents as they are now.
func (s *server) take() *snapshot {
	n := &snapshot{
		options: &s.options, units: s.units, roots: s.roots,
		docs:  slices.SortedFunc(maps.Values(s.documents), func(a, b *document) int { return cmp.Compare(a.turn, b.turn) }),
		texts: map[string]string{}, settlement: s.settlement,
		loaded: map[[2]string][]*view{}, views: map[string][]*view{}, mains: map[string]string{}, index: map[string]*lines{},
	}
	for _, d := range n.docs {
		if d.real != "" {
			n.texts[d.real] = d.text
		}
	}
	if old := s.snapshot; old != nil {
		old.Lock()
		defer old.Unlock()
		for _, d := range n.docs {
			if main, ok := old.mains[d.uri]; ok {
				n.mains[d.uri] = main
			}
		}
	}
	return n
}

// of returns the configurations that a document belongs to: several only where it is a file of several dumps, none where
// nothing could be read.
func (n *snapshot) of(d *document) []*view {
	n.Lock()
	defer n.Unlock()
	found, done := n.views[d.uri]
	if !done {
		found = n.find(d)
		n.views[d.uri] = found
	}
	return found
}

// find looks for the main file from which includes lead to a document: the document itself, else from its folder upwards.
// A document to which none leads is read alone.
func (n *snapshot) find(d *document) []*view {
	r, ok := n.rootOf(d)
	if !ok {
		return n.alone(d)
	}
	if main, ok := n.mains[d.uri]; ok {
		if found := holding(n.load(r, main), d); len(found) > 0 {
			return found
		}
	}
	own := n.load(r, d.real)
	if len(own) > 0 && own[0].input.Kind != load.Fragment {
		return own
	}
	for mains := range n.settlement.mains.Around(d.real, r.real) {
		for _, main := range mains {
			if found := holding(n.load(r, main), d); len(found) > 0 {
				n.mains[d.uri] = main
				return found
			}
		}
	}
	delete(n.mains, d.uri)
	return own
}

// holding are the whole configurations that hold a document.
func holding(views []*view, d *document) []*view {
	return slices.DeleteFunc(slices.Clone(views), func(v *view) bool {
		return v.input.Kind == load.Fragment || !slices.ContainsFunc(v.files(), func(f *source.File) bool { return f.Real == d.real })
	})
}

// rootOf returns the folder that a document is read in: the innermost one of the editor that it lies in. Without any, it
// is the nearest folder above it with a main file, or its own. There is none for what is not on disk, nor where a link
// leads out of the editor's folder.
func (n *snapshot) rootOf(d *document) (root, bool) {
	if d.real == "" {
		return root{}, false
	}
	var best root
	for _, r := range n.roots {
		if within(r.real, d.real) && len(r.real) > len(best.real) {
			best = r
		}
	}
	if best.real == "" {
		if len(n.roots) > 0 {
			return root{}, false
		}
		best = nearest(filepath.Dir(d.path))
	}
	if sub := n.options.Load.Root; sub != "" {
		if inner, ok := newRoot(filepath.Join(best.real, sub)); ok && within(best.real, inner.real) && within(inner.real, d.real) {
			return inner, true
		}
	}
	return best, best.real != "" && within(best.real, d.real)
}

func nearest(dir string) root {
	for up := dir; ; up = filepath.Dir(up) {
		if info, err := os.Stat(filepath.Join(up, mainFile)); err == nil && info.Mode().IsRegular() {
			dir = up
			break
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	r, _ := newRoot(dir)
	return r
}

// load reads what a path leads to; nothing where it cannot be read.
func (n *snapshot) load(r root, path string) []*view {
	key := [2]string{r.real, path}
	if found, done := n.loaded[key]; done {
		return found
	}
	o := n.options.Load
	if rel, err := filepath.Rel(r.real, filepath.Dir(path)); err == nil && o.Plain() {
		o.MapPath = load.Installed(filepath.Dir(path), slashed.Join("/", filepath.ToSlash(rel)))
	}
	o.Root, o.Texts = r.real, n.texts
	if o.Prefix != "" && !filepath.IsAbs(o.Prefix) {
		o.Prefix = filepath.Join(r.real, o.Prefix)
	}
	o.MapPath = maps.Clone(o.MapPath)
	if o.MapPath == nil {
		o.MapPath = map[string]string{}
	}
	// A configuration that names files by where they lie means the same files.
	for _, path := range []string{r.path, r.real} {
		if path := filepath.ToSlash(path); path != "/" && o.MapPath[path] == "" {
			o.MapPath[path] = "/"
		}
	}
	inputs, _ := load.Load([]string{path}, o) //nolint:errcheck // an empty or binary file has no findings
	found := n.newViews(r, inputs, nil)
	n.loaded[key] = found
	return found
}

// alone reads a document that is no file which may be read: what it includes is not followed.
func (n *snapshot) alone(d *document) []*view {
	o := n.options.Load
	o.Root, o.Prefix, o.MapPath, o.Stdin = "", "", nil, strings.NewReader(d.text)
	inputs, _ := load.Load([]string{"-"}, o) //nolint:errcheck // as above
	return n.newViews(root{}, inputs, d)
}
