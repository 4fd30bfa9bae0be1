// Package changes knows the files of an older git revision: it takes them out into a temporary folder, so that they can
// be read as the present ones are. It asks git, changes nothing in the repository, and knows nothing of configurations.
package changes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Revision is the tree of files as it was at a revision.
type Revision struct {
	top     string // of the working tree, links followed
	old     string // folder that holds the files as they were
	temp    string
	renames func() map[string]string // by the present path, in slashes; asked for when a path is not found
}

// Open takes out a revision of the repository that paths lie in. Close removes it again. All paths must lie in the one
// working tree.
func Open(ctx context.Context, rev string, paths []string) (*Revision, error) {
	top, err := topOf(ctx, paths)
	if err != nil {
		return nil, err
	}
	commit, err := commitOf(ctx, top, rev)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "ngxlimit-")
	if err != nil {
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	r := &Revision{top: top, temp: temp, renames: sync.OnceValue(func() map[string]string { return renamesSince(ctx, top, commit) })}
	if err := r.fill(ctx, commit); err != nil {
		r.Close()
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	return r, nil
}

// fill takes out the files of a commit.
func (r *Revision) fill(ctx context.Context, commit string) error {
	temp, err := filepath.EvalSymlinks(r.temp)
	if err != nil {
		return err
	}
	r.old = filepath.Join(temp, "tree")
	if err := os.Mkdir(r.old, 0o700); err != nil {
		return err
	}
	return r.takeOut(ctx, r.top, commit, "", 0)
}

// commitOf is the commit that a revision names. A range, or what excludes one, names no single commit, whatever git makes of it.
func commitOf(ctx context.Context, top, rev string) (string, error) {
	if why := noRevision(rev); why != "" {
		return "", fmt.Errorf("%q is no revision: %s", rev, why)
	}
	asked := rev + "^{commit}"
	if strings.HasPrefix(rev, ":/") { // all behind it is a text to look for, and what has it is a commit
		asked = rev
	}
	commit, err := git(ctx, top, "rev-parse", "--verify", "--quiet", "--end-of-options", asked)
	if err == nil {
		return strings.TrimSpace(commit), nil
	}
	if shallow, err := git(ctx, top, "rev-parse", "--is-shallow-repository"); err == nil && strings.TrimSpace(shallow) == "true" {
		return "", fmt.Errorf("%q is no revision of %s, a clone that holds the newest commits only: "+
			"git fetch --unshallow brings the others, and fetch-depth: 0 of actions/checkout", rev, top)
	}
	return "", fmt.Errorf("%q is no revision of %s", rev, top)
}

// noRevision says why git's syntax takes a text for something else than one revision; "" where it may be one.
func noRevision(rev string) string {
	name, _, _ := strings.Cut(rev, "^{") // behind it a text may be searched for: HEAD^{/fix..all}
	name, _, _ = strings.Cut(name, ":/")
	switch {
	case strings.TrimSpace(rev) == "":
		return "give a commit, a branch or a tag, such as main or HEAD~1"
	case strings.HasPrefix(rev, "-"):
		return "none begins with \"-\""
	case strings.HasPrefix(rev, "^") && len(rev) > 1:
		return fmt.Sprintf("git reads it as all but what %q holds; its parent is %s^", rev[1:], rev[1:])
	case strings.Contains(name, ".."):
		return "git reads it as a range: give the commit at its start"
	case strings.HasSuffix(name, "^@") || strings.HasSuffix(name, "^!") || strings.Contains(name, "^-"):
		return "git reads it as several commits: give one of them"
	}
	return ""
}

// Close removes what was taken out.
func (r *Revision) Close() {
	os.RemoveAll(r.temp) //nolint:errcheck // what cannot be removed lies in the system's folder for that
}

// Top is the folder of the working tree, links followed.
func (r *Revision) Top() string { return r.top }

// Old is the folder that holds the files as they were.
func (r *Revision) Old() string { return r.old }

// Path returns where a path of the working tree lies as it was, be it under another name. Was says whether it was there; a
// path outside of the working tree is returned as it is.
func (r *Revision) Path(path string) (old string, was bool) {
	inside, ok := r.inside(path)
	if !ok {
		return path, true
	}
	old = filepath.Join(r.old, inside)
	if _, err := os.Lstat(old); err == nil {
		return old, true
	}
	if before := r.renamed(filepath.ToSlash(inside)); before != "" {
		return filepath.Join(r.old, filepath.FromSlash(before)), true
	}
	return old, false
}

// inside returns the path relative to the working tree. The path itself may be a link; the folders that lead to it are
// followed.
func (r *Revision) inside(path string) (string, bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for _, name := range []string{followFolder(abs), abs} {
		if rel, err := filepath.Rel(r.top, name); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

// followFolder follows the links of the folder that a path lies in, as far as it is there.
func followFolder(path string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	return filepath.Join(folder, filepath.Base(path))
}

// topOf returns the one working tree that paths lie in.
func topOf(ctx context.Context, paths []string) (string, error) {
	top := ""
	for _, path := range paths {
		folder := path
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			folder = filepath.Dir(path)
		}
		out, err := git(ctx, folder, "rev-parse", "--show-toplevel")
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		found, err := filepath.EvalSymlinks(strings.TrimRight(out, "\r\n"))
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", path, err)
		case top != "" && found != top:
			return "", fmt.Errorf("%s lies in another repository than %s", path, paths[0])
		}
		top = found
	}
	return top, nil
}
