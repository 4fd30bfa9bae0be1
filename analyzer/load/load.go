// Package load knows where a configuration's bytes come from: dumps of nginx -T, files and their includes on disk,
// fragments, folders. It says what it could not read. It knows no directive but include, and asks the table of
// directives only for the place that a fragment was taken from.
//
// With Options.Root the files that a configuration names are read below that folder and nowhere else: names are
// resolved there as nginx would resolve them after chroot(2), and the opening itself goes through os.Root. Without it a
// configuration is believed, as nginx believes it: whatever file an include names is read. The inputs themselves, which
// the caller named, are read wherever they lie.
package load

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A Kind is the shape in which a configuration came. The words are those of the JSON output.
type Kind string

// The kinds of input.
const (
	Dump     Kind = "dump"
	Tree     Kind = "tree"
	Fragment Kind = "fragment"
)

// Options say how inputs are to be read.
type Options struct {
	Prefix  string            // folder for relative includes; "" takes the main file's own folder
	Root    string            // folder below which absolute paths of the configuration are looked up; "" for the real root
	MapPath map[string]string // whole path components to read in place of those that the configuration names
	Context []string          // a fragment's context, outermost first ("http", "server", "location"); nil infers it
	Stdin   io.Reader         // what the input "-" reads
	Version string            // the nginx to read for, as in 1.22.1; "" for the newest known

	// Texts are to be read in place of files on disk, by the files' own paths, links followed. Where it is not nil, be it
	// empty, source.File.Real tells these paths.
	Texts map[string]string
}

// An Input is one configuration, read as far as it could be.
type Input struct {
	Path      string // as the user named it; "-" for standard input
	Kind      Kind
	Context   []string // outermost first, for a fragment; nil for a whole configuration
	Main      *syntax.Document
	Documents []*syntax.Document // every file once, in the order in which nginx first opens them; Main is the first
	Preamble  string             // lines of a dump that belong to no file: what nginx itself wrote
	Whole     string             // the text that holds the dump, and maybe others; "" for what is no dump
	Problems  []Problem
	LeftOut   int // further problems, beyond those that are kept

	includes map[*syntax.Directive][]*syntax.Document
	again    map[*syntax.Document]bool
	unread   []string // paths on disk of included files that could not be read
}

// Includes returns the files that an include directive leads to, in nginx's order; none where it could not be followed.
// Following them from Main always ends: an include that leads back to a file around it leads to a further document of
// that file, for which Again holds, and the includes of that one lead back no more.
func (in *Input) Includes(d *syntax.Directive) []*syntax.Document { return in.includes[d] }

// Again says that a document is a second turn: nginx reads its file once more, within itself. It is none of Documents.
func (in *Input) Again(doc *syntax.Document) bool { return in.again[doc] }

// Files are the paths on disk of all that was read, and of what was included and could not be read. The first that is named
// by the user is among them, as he named it: "-" for standard input.
func (in *Input) Files() []string {
	paths := append(slices.Clone(in.unread), in.Path)
	for _, doc := range in.Documents {
		if doc.File.Disk != "" {
			paths = append(paths, doc.File.Disk)
		}
	}
	return paths
}

// Complete says that all of the configuration was read and understood.
func (in *Input) Complete() bool {
	return len(in.Problems) == 0 && in.understood()
}

func (in *Input) understood() bool {
	for _, d := range in.Documents {
		if !d.Complete() {
			return false
		}
	}
	return true
}

// A Problem is a place where something could not be read: a file that is missing, an include that leads back to
// itself, a path outside the root.
type Problem struct {
	Span source.Span
	Line int    // the line that nginx itself names
	Text string // in nginx's words where it has them: open() "/etc/nginx/x.conf" failed (2: No such file or directory)

	Shipped bool // a file is missing that comes with nginx, in which nothing stands that bears on limits; see Decisive

	Include *syntax.Directive // of an include that leads back: the one in the second turn, at which nginx ends; else nil
	Passed  bool              // nginx itself goes on behind it
}

// maxProblems bounds the list of an input: a map of a million includes that lead nowhere is one fault, not a million.
const maxProblems = 1000

func (in *Input) problem(at source.Span, text string) { in.add(Problem{Span: at, Text: text}) }

func (in *Input) add(p Problem) {
	if len(in.Problems) >= maxProblems {
		in.LeftOut++
		return
	}
	end := p.Span.End
	if end > p.Span.Start {
		end-- // nginx names the line on which the ";" stands, not the place behind it
	}
	p.Line = p.Span.File.Position(end).Line
	in.Problems = append(in.Problems, p)
}

// An OptionError says why the value of an option cannot be taken.
type OptionError struct {
	Option, Value string // "root", "prefix"
	Err           error
}

func (e *OptionError) Error() string { return fmt.Sprintf("%s %s: %v", e.Option, e.Value, e.Err) }
func (e *OptionError) Unwrap() error { return e.Err }

// A ReadError says why a path that was named is no input.
type ReadError struct {
	Path string // as it was named
	Err  error  // names the path
}

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// Load reads the inputs that paths name, each as the contract's table of inputs says. A file that another input
// includes is not an input of its own. Paths of which nothing can be checked (unreadable, a folder without any
// configuration, an empty or binary file) are an error, a ReadError for each, joined; the inputs of the other paths
// come all the same.
func Load(paths []string, o Options) ([]*Input, error) {
	l, err := newLoader(o)
	if err != nil {
		return nil, err
	}
	defer l.disk.close()
	stdin := 0
	for _, path := range paths {
		if path == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, errors.New("standard input was given twice")
	}
	var unread error
	for _, path := range paths {
		if err := l.add(path); err != nil {
			unread = errors.Join(unread, &ReadError{path, err})
		}
	}
	return l.independent(), unread
}
