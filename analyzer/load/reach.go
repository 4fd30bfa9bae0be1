package load

import "slices"

// A reach is where the includes of a dump, as far as it has been read, lead to.
type reach struct {
	prefix  string
	taken   map[string]bool     // paths of the files so far
	literal map[string]bool     // names without wildcards
	folders map[string][]string // patterns whose folder is spelled out, by that folder
	wide    []string            // patterns with wildcards in the folder
}

func newReach(prefix string) *reach {
	return &reach{prefix: prefix, taken: map[string]bool{}, literal: map[string]bool{}, folders: map[string][]string{}}
}

// take notes the path of a file of the dump: each is there once.
func (r *reach) take(path string) { r.taken[path] = true }

func (r *reach) add(includes []include) {
	for _, inc := range includes {
		name := fullName(r.prefix, inc.name)
		if !inc.glob() || inc.geo {
			r.literal[name] = true
		}
		if !inc.glob() {
			continue
		}
		folder := folderOf(name)
		list := r.folders[folder]
		switch {
		case hasWildcard(folder):
			if !slices.Contains(r.wide, name) {
				r.wide = append(r.wide, name)
			}
		case !slices.Contains(list, name):
			r.folders[folder] = append(list, name)
		}
	}
}

// needs says that an include names this very path, and that the dump has not had it.
func (r *reach) needs(path string) bool { return r.literal[path] && !r.taken[path] }

// leads says that an include leads to a path that the dump has not had.
func (r *reach) leads(path string) bool {
	if r.taken[path] {
		return false
	}
	matches := func(pattern string) bool { return matchPath(pattern, path) }
	return r.literal[path] || slices.ContainsFunc(r.folders[folderOf(path)], matches) || slices.ContainsFunc(r.wide, matches)
}
