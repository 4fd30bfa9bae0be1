package load

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Bounds of the search for main files: how many a folder is asked for, and how many files a repository is looked through.
const (
	maxMains = 32
	maxSeen  = 50_000
)

// Mains looks for the main files that a file may be part of, by names. What it has seen of the disk it keeps: to look
// again takes a new one. The zero value is ready, and may be used by several goroutines.
type Mains struct {
	mutex sync.Mutex
	in    map[string][]string // by folder
	below map[string][]string // by the topmost folder
}

// Around yields the files that may be the main file of one, in groups, the likeliest first: those of its folder and of
// each above it as far as top, and then those of the usual names anywhere in top. The path is one without links.
func (m *Mains) Around(real, top string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
			if found := m.kept(&m.in, dir, mainsIn); len(found) > 0 && !yield(found) {
				return
			}
			if dir == top || dir == filepath.Dir(dir) {
				break
			}
		}
		if found := m.kept(&m.below, top, mainsBelow); len(found) > 0 {
			yield(found)
		}
	}
}

func (m *Mains) kept(seen *map[string][]string, dir string, look func(string) []string) []string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	found, done := (*seen)[dir]
	if !done {
		found = look(dir)
		if *seen == nil {
			*seen = map[string][]string{}
		}
		(*seen)[dir] = found
	}
	return found
}

// mainsIn are the files of a folder that may be main files; those of the usual names first.
func mainsIn(dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".conf") && !e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return rank(a) - rank(b) })
	return list[:min(len(list), maxMains)]
}

// mainsBelow are the files of a folder, and of those in it, that have the usual names.
func mainsBelow(top string) (list []string) {
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
			list = append(list, path)
		}
		return nil
	})
	return list
}

// installed are the folders in which a configuration that lies in a repository will be installed: includes that name one
// mean the folder of the main file.
var installed = []string{"/etc/nginx", "/usr/local/nginx/conf", "/usr/local/etc/nginx", "/opt/homebrew/etc/nginx", "/etc/openresty"}

// InstalledFolders are the folders in which nginx usually looks for its configuration.
func InstalledFolders() []string { return slices.Clone(installed) }

// Installed is how the names in a main file that lies in a repository are looked up, as Options.MapPath says it: those
// that lead to where nginx is usually installed mean the main file's own folder, and sites-enabled, which holds links,
// means sites-available where only that is there. Folder is where the main file lies, and to is how that is named in what
// is read.
func Installed(folder, to string) map[string]string {
	paths := map[string]string{}
	for _, from := range installed {
		paths[from] = filepath.ToSlash(to)
	}
	enabled, available := filepath.Join(folder, "sites-enabled"), filepath.Join(folder, "sites-available")
	if _, err := os.Stat(enabled); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(available); err == nil {
			paths["sites-enabled"] = "sites-available"
		}
	}
	return paths
}

// Plain says that nothing is said of how paths are to be looked up.
func (o *Options) Plain() bool { return o.Root == "" && o.Prefix == "" && len(o.MapPath) == 0 }
