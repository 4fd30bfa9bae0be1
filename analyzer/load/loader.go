package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A loader collects the inputs of one call of Load.
type loader struct {
	options Options
	version directive.Version
	disk    *disk
	inputs  []*Input
	added   map[string]bool   // canonical paths that were read as inputs
	real    map[string]string // canonical paths by path on disk
}

func newLoader(o Options) (*loader, error) {
	if o.Context != nil {
		if _, err := directive.ParsePath(o.Context); err != nil {
			return nil, fmt.Errorf("read context %s: %w", strings.Join(o.Context, ","), err)
		}
	}
	version := directive.Newest
	if o.Version != "" {
		var err error
		if version, err = directive.ParseVersion(o.Version); err != nil {
			return nil, err
		}
	}
	d, err := newDisk(o)
	if err != nil {
		return nil, err
	}
	l := &loader{options: o, version: version, disk: d, added: map[string]bool{}, real: map[string]string{}}
	if o.Prefix != "" {
		if err := d.folder(l.prefix(nil)); err != nil {
			d.close()
			return nil, &OptionError{"prefix", o.Prefix, oserror.Bare(err)}
		}
	}
	return l, nil
}

// add reads the inputs of one path.
func (l *loader) add(path string) error {
	if path == "-" {
		if l.options.Stdin == nil {
			return errors.New("read standard input: there is none")
		}
		text, err := readAll(l.options.Stdin, maxText)
		if err != nil {
			return fmt.Errorf("read standard input: %w", oserror.Bare(err))
		}
		return l.addText(path, &source.File{Path: path, Text: text})
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, oserror.Bare(err))
	}
	if info.IsDir() {
		return l.addFolder(path)
	}
	if info.Mode().IsRegular() && !l.first(path) {
		return nil
	}
	file, err := l.named(path)
	if err != nil {
		return err
	}
	return l.addText(path, file)
}

// first says that a path has not been read as an input, and notes that it will be.
func (l *loader) first(path string) bool {
	real := l.canonical(path)
	if l.added[real] {
		return false
	}
	l.added[real] = true
	return true
}

// named reads a file that the caller named. Below the root it has the name that the configuration would use, and is
// opened as any other file there. A pipe is read to its end.
func (l *loader) named(path string) (*source.File, error) {
	name := filepath.ToSlash(path)
	if inside, ok := l.inside(path); ok {
		file, err := l.disk.read(inside, maxText)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, oserror.Bare(err))
		}
		return file, nil
	}
	own := (&disk{texts: l.disk.texts}).own(path)
	if own == "" && l.disk.texts != nil {
		own, _ = filepath.Abs(path) //nolint:errcheck // a pipe by the number of its file: the link to it leads to no path
	}
	if text, ok := l.disk.texts[own]; ok && own != "" {
		return &source.File{Path: name, Text: text, Disk: path, Real: own}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, oserror.Bare(err))
	}
	defer file.Close()
	text, err := readAll(file, maxText)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, oserror.Bare(err))
	}
	return &source.File{Path: name, Text: text, Disk: path, Real: own}, nil
}

// inside returns the name that a path on disk has within the root, if it lies there.
func (l *loader) inside(path string) (string, bool) {
	if l.disk.root == nil {
		return "", false
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	if rest, ok := below(l.disk.real, abs); ok {
		return "/" + rest, true
	}
	if folder, err := canonical(filepath.Dir(abs)); err == nil { // the way to the root may lead through links
		if rest, ok := below(l.disk.real, filepath.Join(folder, filepath.Base(abs))); ok {
			return "/" + rest, true
		}
	}
	return "", false
}

// addText makes inputs of a text: a dump, or a file with what it includes.
func (l *loader) addText(path string, file *source.File) error {
	if reason := noText(file.Text); reason != "" {
		if path == "-" {
			return fmt.Errorf("read standard input: %s", strings.ReplaceAll(reason, "the file is", "it is"))
		}
		return fmt.Errorf("read %s: %s", path, reason)
	}
	if inputs := l.dumps(path, file); inputs != nil {
		l.inputs = append(l.inputs, inputs...)
		return nil
	}
	if reason := onlyMessages(file.Text); reason != "" {
		return fmt.Errorf("read %s: %s", path, reason)
	}
	doc := syntax.Parse(file)
	if reason := noConfiguration(doc); reason != "" {
		return fmt.Errorf("read %s: %s", path, reason)
	}
	l.inputs = append(l.inputs, l.fromDisk(path, doc))
	return nil
}

// geoMatchesSince is the first nginx that takes wildcards in the include of a geo block.
const geoMatchesSince directive.Version = 1029008

// fromDisk makes an input of a file that has been read, following its includes.
func (l *loader) fromDisk(path string, doc *syntax.Document) *Input {
	in := &Input{Path: path, Kind: Tree, Main: doc}
	files := &onDisk{disk: l.disk, files: map[string]read{doc.File.Path: {doc: doc}}, globs: map[string]match{}, looks: maxLookedInAll, left: maxText - int64(len(doc.File.Text))}
	files.geo = l.version >= geoMatchesSince
	prefix := l.prefix(doc.File)
	if l.options.Prefix == "" {
		switch _, inside := l.inside(path); {
		case path == "-":
			prefix, files.why = "", "standard input has no folder for relative includes, and no prefix was given"
		case l.disk.root != nil && !inside:
			files.nowhere, files.why = prefix, "the main file's folder lies outside the root, and no prefix was given"
		}
	}
	follow(in, files, prefix, includesOf)
	for _, got := range files.files {
		if got.doc == nil {
			in.unread = append(in.unread, got.at)
		}
	}
	in.settle(l.options.Context)
	return in
}

// prefix returns what is put in front of a relative include.
func (l *loader) prefix(main *source.File) string {
	prefix := filepath.ToSlash(l.options.Prefix)
	if prefix == "" {
		return folderOf(main.Path)
	}
	if inside, ok := l.inside(prefix); ok {
		prefix = inside
	}
	return strings.TrimSuffix(prefix, "/") + "/"
}

// independent returns the inputs that no other one includes, each once.
func (l *loader) independent() []*Input {
	included := map[string]*Input{} // by canonical path, the first input that includes it
	for _, in := range l.inputs {
		for _, doc := range in.Documents[1:] {
			if real := l.canonical(doc.File.Disk); real != "" && included[real] == nil {
				included[real] = in
			}
		}
		for _, disk := range in.unread {
			if real := l.canonical(disk); included[real] == nil {
				included[real] = in
			}
		}
	}
	var kept []*Input
	mains := map[string]bool{}
	dropped := map[*Input]bool{}
	for _, in := range l.inputs {
		real := l.canonical(in.Main.File.Disk)
		if by := included[real]; real != "" && (mains[real] || by != nil && by != in && !dropped[by]) {
			dropped[in] = true
			continue
		}
		mains[real] = true
		kept = append(kept, in)
	}
	return kept
}

// canonical returns the path of a file without links in it; "" for what has no path on disk.
func (l *loader) canonical(disk string) string {
	if disk == "" {
		return ""
	}
	real, ok := l.real[disk]
	if !ok {
		var err error
		if real, err = canonical(disk); err != nil {
			real = disk // a link that leads nowhere has a place all the same
			if folder, err := canonical(filepath.Dir(disk)); err == nil {
				real = filepath.Join(folder, filepath.Base(disk))
			}
		}
		l.real[disk] = real
	}
	return real
}
