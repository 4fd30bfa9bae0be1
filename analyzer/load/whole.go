package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// Bounds of the search for main files: how many a folder is asked for, and how many files a repository is looked through.
const (
	maxMains = 32
	maxSeen  = 50_000
)

// installed are the folders in which a configuration that lies in a repository will be installed: includes that name one
// mean the folder of the main file.
var installed = []string{"/etc/nginx", "/usr/local/nginx/conf", "/usr/local/etc/nginx", "/opt/homebrew/etc/nginx", "/etc/openresty"}

// Wholes reads the configurations that files are parts of, each once: the main files that include a file, looked for in its
// folder and in those above up to the repository's, and then by their usual name in all of the repository. A file that is
// included by none is read alone, where its name and its text are those of a configuration; others are passed by. A folder
// is read as Load reads it. Where the options do not say how paths are to be looked up, includes of the folders in which
// nginx is usually installed lead to the main file's own.
func Wholes(paths []string, o Options) ([]*Input, error) {
	f := &finder{options: o, main: map[string]*Input{}, inside: map[string]bool{}, mains: map[string][]string{}, chosen: map[string]bool{}}
	var unread error
	var folders []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-" || err == nil && info.IsDir():
			folders = append(folders, path)
		case err != nil:
			unread = errors.Join(unread, &ReadError{path, &fs.PathError{Op: "read", Path: path, Err: inner(err)}})
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
	chosen  map[string]bool     // main files that were found
	inside  map[string]bool     // files of what was found, links followed
	main    map[string]*Input   // by path of a main file; nil for what is none
	mains   map[string][]string // by folder, and by that of a repository
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
	top := repository(real)
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if f.holding(f.mainsIn(dir), real) {
			return nil
		}
		if dir == top || dir == filepath.Dir(dir) {
			break
		}
	}
	if f.holding(f.mainsBelow(top), real) || !named(path) {
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
	if o.Root != "" || o.Prefix != "" || len(o.MapPath) > 0 {
		return o
	}
	folder := filepath.Dir(path)
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	o.MapPath = map[string]string{}
	for _, from := range installed {
		o.MapPath[from] = filepath.ToSlash(folder)
	}
	enabled, available := filepath.Join(folder, "sites-enabled"), filepath.Join(folder, "sites-available")
	if _, err := os.Stat(enabled); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(available); err == nil {
			o.MapPath["sites-enabled"] = "sites-available"
		}
	}
	return o
}

// holding chooses those of some main files that a file is part of, and says whether there are any.
func (f *finder) holding(mains []string, real string) (any bool) {
	for _, path := range mains {
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

// mainsIn are the files of a folder that may be main files, by their names; the usual name first.
func (f *finder) mainsIn(dir string) []string {
	list, done := f.mains[dir]
	if done {
		return list
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".conf") && !e.IsDir() {
			list = append(list, f.shown(filepath.Join(dir, e.Name())))
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return rank(a) - rank(b) })
	list = list[:min(len(list), maxMains)]
	f.mains[dir] = list
	return list
}

// mainsBelow are the files of a repository that have the usual name of a main file.
func (f *finder) mainsBelow(top string) []string {
	key := top + "\x00all"
	list, done := f.mains[key]
	if done {
		return list
	}
	seen := 0
	filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error { //nolint:errcheck // what cannot be looked at has no main file
		if seen++; seen > maxSeen || len(list) >= maxMains {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil //nolint:nilerr // as above
		case d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(d.Name(), ".conf") && rank(path) < 2:
			list = append(list, f.shown(path))
		}
		return nil
	})
	f.mains[key] = list
	return list
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

// repository is the folder of the repository that a file lies in; its own folder where it lies in none.
func repository(real string) string {
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(real)
		}
	}
}
