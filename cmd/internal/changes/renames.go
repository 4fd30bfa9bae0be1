package changes

import (
	"context"
	"path"
	"strings"
)

// renamed returns where a path of the index, in slashes, lay at the revision under another name: git compares contents. A
// folder was renamed where all that moved into it and kept its name came from one. It is "" where nothing is known of that.
func (r *Revision) renamed(name string) string {
	renames := r.renames()
	if old := renames[name]; old != "" {
		return old
	}
	from := ""
	for now, was := range renames {
		rest, inside := strings.CutPrefix(now, name+"/")
		if !inside {
			continue
		}
		folder, same := strings.CutSuffix(was, "/"+rest)
		switch {
		case !same: // its own name changed as well
		case from != "" && folder != from:
			return ""
		default:
			from = folder
		}
	}
	return from
}

// renamesSince are the files that have another name in the index than at a commit, by their present names. What was not
// given to the index yet, git does not know of.
func renamesSince(ctx context.Context, top, commit string) map[string]string {
	renames := map[string]string{}
	list, err := git(ctx, top, "diff-index", "--cached", "--no-ext-diff", "--no-textconv", "--find-renames", "--diff-filter=R",
		"--name-status", "-z", commit, "--")
	if err != nil {
		return renames // it is only a help
	}
	words := strings.Split(list, "\x00")
	for i := 0; i+2 < len(words); i += 3 { // R and how like, the old name, the new one
		renames[path.Clean(words[i+2])] = path.Clean(words[i+1])
	}
	return renames
}
