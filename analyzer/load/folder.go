package load

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// What a folder may hold.
const (
	maxFolderDepth = 20
	maxFolderFiles = 200_000
)

var errFolderTooLarge = fmt.Errorf("holds more than %d files", maxFolderFiles)

// addFolder adds every main file, dump and loose fragment in a folder. Files that are no configuration are passed by,
// since nobody named them; if nothing is left that is an error.
func (l *loader) addFolder(folder string) error {
	paths, closed, err := candidates(folder)
	if err != nil {
		return fmt.Errorf("read folder %s: %w", folder, err)
	}
	// Main files come first: what they include need not be read again.
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	before := len(l.inputs)
	noted := before
	included := map[string]bool{}
	unread := closed
	var failed error
	if len(closed) > 0 {
		failed = fmt.Errorf("read folder %s: %s", folder, closed[0].Problems[0].Text)
	}
	again := false // a file of the folder has been an input already
	for _, path := range paths {
		for ; noted < len(l.inputs); noted++ {
			for _, doc := range l.inputs[noted].Documents[1:] {
				included[l.canonical(doc.File.Disk)] = true
			}
		}
		if included[l.canonical(path)] {
			continue
		}
		if !l.first(path) {
			again = true
			continue
		}
		file, err := l.found(path)
		if err != nil {
			unread = append(unread, unreadable(path, err))
			failed = cmp.Or(failed, fmt.Errorf("read %s: %w", path, err))
			continue
		}
		l.addFound(path, file)
	}
	switch {
	case len(l.inputs) > before || again:
		l.inputs = append(l.inputs, unread...)
	case failed != nil:
		return failed
	default:
		return fmt.Errorf("read folder %s: there is no nginx configuration in it", folder)
	}
	return nil
}

// found reads a file of a folder. A pipe in it is not waited for.
func (l *loader) found(path string) (*source.File, error) {
	name := filepath.ToSlash(path)
	from := disk{texts: l.disk.texts}
	if inside, ok := l.inside(path); ok {
		name, from = inside, *l.disk
	}
	file, err := from.read(name, maxText)
	if err != nil {
		return nil, oserror.Bare(err)
	}
	return file, nil
}

// unreadable is the input of a file in a folder that cannot be read, or of a folder in it: nginx would refuse to start
// where a pattern leads there.
func unreadable(path string, err error) *Input {
	file := &source.File{Path: filepath.ToSlash(path), Disk: path}
	in := &Input{Path: path, Kind: Fragment, Context: directive.HTTP.Path(), Main: syntax.Parse(file)}
	in.Documents = []*syntax.Document{in.Main}
	in.problem(source.Span{File: file}, reason(file.Path, err))
	return in
}

// rank orders the files of a folder: those first that are likely to include others.
func rank(path string) int {
	switch base := filepath.Base(path); {
	case base == "nginx.conf":
		return 0
	case strings.Contains(base, "nginx"):
		return 1
	}
	return 2
}

// addFound adds a file of a folder, if it is a configuration.
func (l *loader) addFound(path string, file *source.File) {
	if noText(file.Text) != "" {
		return
	}
	if inputs := l.dumps(path, file); inputs != nil {
		l.inputs = append(l.inputs, inputs...)
		return
	}
	if !named(path) {
		return
	}
	if doc := syntax.Parse(file); known(doc) && noConfiguration(doc) == "" {
		l.inputs = append(l.inputs, l.fromDisk(path, doc))
	}
}

// candidates returns the files of a folder that may be configurations by their names, in the order of bytes.
// Folders in it that cannot be read come back as inputs of that kind.
func candidates(folder string) (paths []string, closed []*Input, err error) {
	seen := 0
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path != folder:
			closed = append(closed, unreadable(path, oserror.Bare(err)))
			return nil
		case err != nil:
			return oserror.Bare(err)
		}
		if path != folder && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			rel, err := filepath.Rel(folder, path)
			if err == nil && strings.Count(rel, string(filepath.Separator)) >= maxFolderDepth || d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return err
		}
		if seen++; seen > maxFolderFiles {
			return errFolderTooLarge
		}
		if named(path) || maybeDump(path) && regular(path) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths, closed, err
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// named says that a file's name is that of a main file or of a fragment: *.conf, or any name without an extension of
// another kind in a folder sites-*.
func named(path string) bool {
	base := filepath.Base(path)
	if strings.HasSuffix(base, ".conf") {
		return true
	}
	return strings.HasPrefix(filepath.Base(filepath.Dir(path)), "sites-") && !strings.HasSuffix(base, "~") && !backup[filepath.Ext(base)]
}

var backup = map[string]bool{
	".bak": true, ".old": true, ".orig": true, ".save": true, ".swp": true, ".rpmnew": true, ".rpmsave": true, ".disabled": true,
	".dpkg-dist": true, ".dpkg-old": true, ".dpkg-new": true, ".md": true, ".gz": true,
}

// maybeDump says that a file's name is one under which people keep what nginx -T printed.
func maybeDump(path string) bool {
	switch filepath.Ext(path) {
	case ".dump", ".txt", ".out":
		return true
	}
	return false
}
