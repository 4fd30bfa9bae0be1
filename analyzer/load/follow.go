package load

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// What a configuration may come to when its includes are expanded. A chain of includes ends in nginx where its file
// descriptors do, 1,024 of them unless raised; for the other bounds nginx has only its memory.
const (
	maxDepth  = 1000
	maxOpened = 500_000
	maxBytes  = 512 << 20
)

// An include is an include directive that nginx would follow.
type include struct {
	at   *syntax.Directive
	name string // its argument
	geo  bool   // it stands in a geo block, where wildcards count only since nginx 1.29.8
}

// glob says that the name holds wildcards, whether they count or not.
func (inc include) glob() bool { return strings.ContainsAny(inc.name, "*?[") }

// includesOf returns the includes of a file in nginx's order. An entry of split_clients or charset_map that starts
// with "include" is none.
func includesOf(doc *syntax.Document) []include {
	if !strings.Contains(doc.File.Text, "include") {
		return nil
	}
	type level struct {
		rest []syntax.Directive
		geo  bool
	}
	var found []include
	stack := []level{{rest: doc.Directives}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		inner := -1
		for i := range top.rest {
			d := &top.rest[i]
			if d.Block != nil {
				if len(d.Block.Directives) > 0 && d.Name().Value != "split_clients" && d.Name().Value != "charset_map" {
					inner = i
					break
				}
			} else if d.Name().Value == "include" && d.NumArgs() == 1 && terminated(d) {
				found = append(found, include{d, d.Word(0).Value, top.geo})
			}
		}
		if inner < 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		d := &top.rest[inner]
		top.rest = top.rest[inner+1:]
		stack = append(stack, level{d.Block.Directives, d.Name().Value == "geo"})
	}
	return found
}

// terminated says that the directive's ";" is there: without it nginx has not come to read the include.
func terminated(d *syntax.Directive) bool {
	return d.End > d.Name().End && d.File.Text[d.End-1] == ';' && d.End > d.LastWord().End
}

// fullName returns the name under which nginx opens what an include names: a relative one is put behind the folder of
// the main file, never that of the including one.
func fullName(prefix, name string) string {
	if isAbsolute(name) {
		return name
	}
	return prefix + name
}

// isAbsolute knows names of both kinds of system, since a dump may have been made elsewhere.
func isAbsolute(name string) bool {
	if strings.HasPrefix(name, "/") {
		return true
	}
	return len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z'
}

// folderOf returns the part of a name up to its last slash, as nginx takes its prefix from the main file's name. A
// backslash counts in names of Windows that have no slash; elsewhere it is a part of the name.
func folderOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 || !isAbsolute(name) {
		return name[:i+1]
	}
	return name[:strings.LastIndexByte(name, '\\')+1]
}

// files is where included files come from: a dump or a disk.
type files interface {
	// open returns the file of a name, or the reason why there is none, in nginx's words where it has them.
	open(name string) (*syntax.Document, string)
	// match returns the names that a pattern matches, in nginx's order. A pattern may match none. The reason is why
	// there may be more.
	match(pattern string) ([]string, string)
	// geoMatches says whether the wildcards of a name count that is included in a geo block.
	geoMatches(name string) bool
}

// A follower expands the includes of one input. Each file is gone through once; what it comes to is kept, since it may
// be included from many places. A file that includes itself is gone through once more, as a document of its own: nginx
// opens it again and again, and what it refuses of the second turn it refuses before it has no file left to open.
type follower struct {
	in       *Input
	from     files
	prefix   string
	includes func(*syntax.Document) []include
	nodes    map[*syntax.Document]*extent
	second   map[*syntax.Document]*syntax.Document // by the document of the first turn
}

// An extent is what a file comes to with all that it includes.
type extent struct {
	doc    [1]*syntax.Document
	open   bool // it is being gone through: whoever includes it now is part of it
	again  bool // it is a second turn
	glob   bool // a pattern led to it, as it is gone through
	outer  *extent
	height int // longest chain of includes that starts here
	opened int // files opened, itself among them, each as often as it is included
	bytes  int
}

// follow fills the input's documents and includes from its main document on.
func follow(in *Input, from files, prefix string, includes func(*syntax.Document) []include) {
	in.includes = map[*syntax.Directive][]*syntax.Document{}
	in.again = map[*syntax.Document]bool{}
	in.Documents = nil
	f := follower{in: in, from: from, prefix: prefix, includes: includes, nodes: map[*syntax.Document]*extent{}}
	f.second = map[*syntax.Document]*syntax.Document{}
	f.visit(in.Main, &extent{doc: [1]*syntax.Document{in.Main}}, 1)
}

// visit goes through a document whose extent tells what led to it.
func (f *follower) visit(doc *syntax.Document, node *extent, depth int) *extent {
	node.open, node.height, node.opened, node.bytes = true, 1, 1, len(doc.File.Text)
	f.nodes[doc] = node
	if node.again {
		f.in.again[doc] = true
	} else {
		f.in.Documents = append(f.in.Documents, doc)
	}
	for _, inc := range f.includes(doc) {
		names, glob, reason := f.names(inc)
		if reason != "" && !node.again { // of the first turn it has been told
			f.in.problem(inc.at.Span(), reason)
		}
		var docs []*syntax.Document
		for _, name := range names {
			child, reason := f.enter(node, depth, inc, name, glob)
			if reason != "" {
				if child != nil || !node.again {
					f.lacking(inc, name, reason)
				}
				if child != nil {
					f.keep(inc, docs)
					node.open = false
					return node
				}
				continue
			}
			if child == nil {
				continue
			}
			if len(names) == 1 {
				docs = f.nodes[child].doc[:] // most includes name one file: all share its list
				break
			}
			docs = append(docs, child)
		}
		f.keep(inc, docs)
	}
	node.open = false
	return node
}

func (f *follower) keep(inc include, docs []*syntax.Document) {
	if len(docs) > 0 {
		f.in.includes[inc.at] = docs
	}
}

// names are the files that an include leads to, and whether as a pattern.
func (f *follower) names(inc include) (names []string, glob bool, reason string) {
	name := fullName(f.prefix, inc.name)
	if inc.glob() && (!inc.geo || f.from.geoMatches(name)) {
		names, reason = f.from.match(name)
		return names, true, reason
	}
	return []string{name}, false, ""
}

// enter goes through an included file, unless that has been done, and adds what it comes to to the including one. With
// a reason there is nothing to expand; where a document comes with it, nothing further can be. Of a file that leads back
// for the second time the problem has been told: neither comes back.
func (f *follower) enter(parent *extent, depth int, inc include, name string, glob bool) (*syntax.Document, string) {
	doc, reason := f.from.open(name)
	if reason != "" {
		return nil, reason
	}
	child, again := f.nodes[doc], false
	if child != nil && child.open {
		first := child
		doc, again = f.secondTurn(doc), true
		if child = f.nodes[doc]; child != nil && child.open {
			f.leadsBack(parent, first, inc, name, glob)
			return nil, ""
		}
	}
	switch {
	case child == nil && depth < maxDepth:
		child = f.visit(doc, &extent{doc: [1]*syntax.Document{doc}, again: again, glob: glob, outer: parent}, depth+1)
	case child == nil || depth+child.height > maxDepth:
		return nil, fmt.Sprintf(`open() "%s" failed (24: Too many open files): includes nested more than %d deep are not followed`, name, maxDepth)
	}
	opened, bytes := parent.opened+child.opened, parent.bytes+child.bytes
	switch {
	case opened > maxOpened:
		return doc, fmt.Sprintf("includes that open more than %d files in all are not followed, here and further on", maxOpened)
	case bytes > maxBytes:
		return doc, fmt.Sprintf("includes that come to more than %d MiB in all are not followed, here and further on", maxBytes>>20)
	}
	parent.opened, parent.bytes, parent.height = opened, bytes, max(parent.height, 1+child.height)
	return doc, ""
}

// secondTurn returns the document of a file's second turn.
func (f *follower) secondTurn(doc *syntax.Document) *syntax.Document {
	again, ok := f.second[doc]
	if !ok {
		again = syntax.Parse(doc.File)
		f.second[doc] = again
	}
	return again
}

// leadsBack tells of an include that leads to a file for the third time. Where nothing but patterns lead around, nginx
// goes on in the end: glob(3) finds nothing once no folder can be opened any more.
func (f *follower) leadsBack(parent, first *extent, inc include, name string, glob bool) {
	for node := parent; node != first && glob; node = node.outer {
		glob = node.glob
	}
	text := `open() "%s" failed (24: Too many open files): the include leads back to a file that it is part of`
	if glob {
		text = `the include leads back to "%s", which it is part of: nginx reads it until it can open nothing more, and then goes on as if nothing matched`
	}
	f.in.add(Problem{Span: inc.at.Span(), Include: inc.at, Text: fmt.Sprintf(text, name), Passed: glob})
}
