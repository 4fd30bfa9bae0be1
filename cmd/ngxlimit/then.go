package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/cmd/internal/changes"
)

// then are the flags by which the inputs are read as they were: whatever they name that lies in the repository is that of
// the revision, and so is what the configuration itself names there by an absolute path.
func (f *inputFlags) then(old *changes.Revision) (inputFlags, error) {
	flags := *f
	if f.root != "" {
		if err := f.below(old.Top()); err != nil {
			return flags, err
		}
	}
	for _, path := range []*string{&flags.root, &flags.prefix} {
		if *path != "" {
			*path, _ = old.Path(*path)
		}
	}
	flags.mapPath.values = map[string]string{}
	for from, to := range f.mapPath.values {
		flags.mapPath.values[from] = f.mappedThen(from, to, old)
	}
	if f.root == "" && (!f.whole || f.prefix != "" || len(f.mapPath.values) > 0) { // --whole maps paths itself, unless flags do
		f.mapRepository(flags.mapPath.values, old)
	}
	return flags, nil
}

// below refuses a root above the repository: of what lies there beside it there is no older revision.
func (f *inputFlags) below(top string) error {
	root, err := load.RealPath(f.root)
	if err != nil {
		return nil //nolint:nilerr // reading says so
	}
	if rel, err := filepath.Rel(root, top); err == nil && rel != "." && filepath.IsLocal(rel) {
		return fmt.Errorf("--root %s lies above the repository, so what it held at the revision is not known", f.root)
	}
	return nil
}

// mappedThen is the target of a --map-path as it was. A target that is put in place of a part of a path, as
// sites-available is in place of sites-enabled, is no path of its own, and below --root it is looked up there.
func (f *inputFlags) mappedThen(from, to string, old *changes.Revision) string {
	if f.root != "" || !strings.HasPrefix(from, "/") && !filepath.IsAbs(to) {
		return to
	}
	was, _ := old.Path(to)
	return filepath.ToSlash(was)
}

// mapRepository lets names that lead into the working tree by themselves lead to the revision, as in a repository that is
// /etc/nginx or that a link of that name leads to. What the flags map above it goes first.
func (f *inputFlags) mapRepository(paths map[string]string, old *changes.Revision) {
	for _, folder := range append(load.InstalledFolders(), old.Top()) {
		real, err := load.RealPath(folder)
		if err != nil || f.mapsAbove(filepath.ToSlash(folder)) {
			continue
		}
		if was, _ := old.Path(real); was != real {
			paths[filepath.ToSlash(folder)] = filepath.ToSlash(was)
		}
	}
	if len(paths) > 0 { // a repository or a mapping may be above the folder of what was taken out
		paths[filepath.ToSlash(old.Old())] = filepath.ToSlash(old.Old())
	}
}

// mapsAbove says whether a flag maps a folder, or one above it.
func (f *inputFlags) mapsAbove(folder string) bool {
	for from := range f.mapPath.values {
		from = strings.TrimSuffix(from, "/")
		if strings.HasPrefix(from, "/") && (folder == from || strings.HasPrefix(folder, from+"/")) {
			return true
		}
	}
	return false
}
