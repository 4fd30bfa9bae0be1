package load

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// Wholes reads the configurations that files are parts of, each once: the main files that include a file, looked for in its
// folder and in those above up to the repository's, and then by their usual name in all of the repository; outside of any,
// as far up as the nearest folder that holds an nginx.conf. A file that is
// included by none is read alone, where its name and its text are those of a configuration; others are passed by. A folder
// is read as Load reads it. Where the options do not say how paths are to be looked up, includes of the folders in which
// nginx is usually installed lead to the main file's own.
func Wholes(paths []string, o Options) ([]*Input, error) {
	f := &finder{options: o, main: map[string]*Input{}, inside: map[string]bool{}, chosen: map[string]bool{}}
	var unread error
	var folders []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-" || err == nil && info.IsDir():
			folders = append(folders, path)
		case err != nil:
			unread = errors.Join(unread, &ReadError{path, &fs.PathError{Op: "read", Path: path, Err: oserror.Bare(err)}})
		default:
			unread = errors.Join(unread, f.add(path))
		}
	}
	if len(folders) > 0 {
		inputs, err := Load(folders, o)
		if _, wrong := errors.AsType[*OptionError](err); wrong {
			return nil, err
		}
		f.found, unread = append(f.found, inputs...), errors.Join(unread, err)
	}
	return f.found, unread
}

// A finder finds the configurations that files belong to.
type finder struct {
	options Options
	found   []*Input
	chosen  map[string]bool   // main files that were found
	inside  map[string]bool   // files of what was found, links followed
	main    map[string]*Input // by path of a main file; nil for what is none
	mains   Mains
}

// add finds what a file is part of.
func (f *finder) add(path string) error {
	real, err := RealPath(path)
	if err != nil {
		return &ReadError{path, err}
	}
	if f.inside[real] {
		return nil
	}
	if in := f.whole(path); in != nil {
		f.choose(path, in)
		return nil
	}
	for mains := range f.mains.Around(real, around(real)) {
		if f.holding(mains, real) {
			return nil
		}
	}
	if !named(path) {
		return nil
	}
	inputs, err := Load([]string{path}, f.options)
	if _, unread := errors.AsType[*ReadError](err); err != nil && !unread {
		return err
	}
	for _, in := range inputs { // an empty file, or a binary one, is nothing to check
		if in.Kind != Fragment || known(in.Main) {
			f.choose(real, in)
		}
	}
	return nil
}

// whole reads a file that may be a main file or a dump; nil where it is neither.
func (f *finder) whole(path string) *Input {
	if !named(path) && !maybeDump(path) {
		return nil
	}
	in, done := f.main[path]
	if !done {
		if inputs, _ := Load([]string{path}, f.at(path)); len(inputs) == 1 && inputs[0].Kind != Fragment { //nolint:errcheck // what cannot be read is no main file
			in = inputs[0]
		}
		f.main[path] = in
	}
	return in
}

// at are the options for a main file.
func (f *finder) at(path string) Options {
	o := f.options
	if !o.Plain() {
		return o
	}
	folder := filepath.Dir(path)
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	o.MapPath = Installed(folder, folder)
	return o
}

// holding chooses those of some main files that a file is part of, and says whether there are any.
func (f *finder) holding(mains []string, real string) (any bool) {
	for _, path := range mains {
		path = f.shown(path)
		in := f.whole(path)
		if in == nil || !slices.ContainsFunc(in.Documents, func(d *syntax.Document) bool { return realOf(d) == real }) {
			continue
		}
		f.choose(path, in)
		any = true
	}
	return any
}

func realOf(d *syntax.Document) string {
	if d.File.Disk == "" {
		return ""
	}
	real, err := RealPath(d.File.Disk)
	if err != nil {
		return ""
	}
	return real
}

func (f *finder) choose(path string, in *Input) {
	if real, err := RealPath(path); err == nil {
		path = real
	}
	if f.chosen[path] {
		return
	}
	f.chosen[path] = true
	f.found = append(f.found, in)
	f.inside[path] = true
	for _, d := range in.Documents {
		if real := realOf(d); real != "" {
			f.inside[real] = true
		}
	}
}

// shown names a file as people at the working folder do, where it lies below that.
func (f *finder) shown(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if dir, err = RealPath(dir); err != nil {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// around is the topmost folder in which the main file of a file is looked for: that of the repository that the file lies in,
// and outside of any, as on a server, the nearest one above it that holds an nginx.conf; else its own.
func around(real string) string {
	own := filepath.Dir(real)
	if dir := above(own, ".git"); dir != "" {
		return dir
	}
	return cmp.Or(above(own, "nginx.conf"), own)
}

// above is the nearest folder, from dir upwards, that holds a name; "" where none does.
func above(dir, name string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
