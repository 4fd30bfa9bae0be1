package load

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A Beside is an include of a folder in which nginx is usually installed that led to no file, while what it names is there
// below the main file's own folder: most likely the configuration is to be installed and is not on this machine.
type Beside struct {
	Include *syntax.Directive
	Name    string            // what it includes
	Pattern bool              // the name holds wildcards
	At      string            // the folder of a pattern, or the file, that is there
	MapPath map[string]string // the mappings, as Options.MapPath says them, by which it would be read
}

// Besides looks for includes of a main file and its parts that led to nothing and whose files lie beside it. Where they do
// is looked up on the disk as it is now; nothing is read.
func (in *Input) Besides() (found []Beside) {
	if in.Kind != Tree || in.Main == nil || in.Main.File.Disk == "" {
		return nil
	}
	folder := filepath.Dir(in.Main.File.Disk)
	maps := Installed(folder, folder)
	looks := maxLookedInAll
	for _, doc := range in.Documents {
		for _, inc := range includesOf(doc) {
			from := installedFolder(inc.name)
			if from == "" || len(in.includes[inc.at]) > 0 || looks <= 0 || inc.geo && inc.glob() {
				continue
			}
			if at := besideOf(inc, maps, folder, &looks); at != "" {
				found = append(found, Beside{inc.at, inc.name, inc.glob(), at, mappingsFor(inc.name, from, maps)})
			}
		}
	}
	return found
}

// installedFolder is the folder of an installation that a name leads into; "" where it leads elsewhere.
func installedFolder(name string) string {
	for _, from := range installed {
		if strings.HasPrefix(name, from+"/") {
			return from
		}
	}
	return ""
}

// mappingsFor are those of the mappings that a name takes.
func mappingsFor(name, from string, all map[string]string) map[string]string {
	taken := map[string]string{from: all[from]}
	for part, to := range all {
		if !isAbsolute(part) && strings.Contains(name, "/"+part+"/") {
			taken[part] = to
		}
	}
	return taken
}

// besideOf is where the files of an include lie beside the main file; "" where none do, or where something is at the place
// that the include names.
func besideOf(inc include, maps map[string]string, folder string, looks *int) string {
	beside := mapPath(sortedMappings(maps), inc.name)
	if !inc.glob() {
		if info, err := os.Stat(beside); err != nil || !info.Mode().IsRegular() {
			return ""
		}
		if _, err := os.Lstat(inc.name); !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return beside
	}
	base := filepath.ToSlash(folder)
	pattern := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(base) + strings.TrimPrefix(beside, base)
	if !matchesAny(pattern, looks) || matchesAny(inc.name, looks) {
		return ""
	}
	return path.Dir(beside)
}

func matchesAny(pattern string, looks *int) bool {
	g := globber{tree: &disk{}, left: min(*looks, maxLooked)}
	before := g.left
	names := g.expand(pattern)
	*looks -= before - max(g.left, 0)
	return len(names) > 0
}
