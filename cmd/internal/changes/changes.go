// Package changes knows the files of an older git revision: it takes them out into a temporary folder, so that they can
// be read as the present ones are. It asks git, changes nothing in the repository, and knows nothing of configurations.
package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Revision is the tree of files as it was at a revision.
type Revision struct {
	top  string // of the working tree, links followed
	old  string // folder that holds the files as they were
	temp string
}

// Open takes out a revision of the repository that paths lie in. Close removes it again. All paths must lie in the one
// working tree.
func Open(ctx context.Context, rev string, paths []string) (r *Revision, err error) {
	top, err := topOf(ctx, paths)
	if err != nil {
		return nil, err
	}
	commit, err := git(ctx, top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("%q is no revision of %s", rev, top)
	}
	temp, err := os.MkdirTemp("", "ngxlimit-")
	if err != nil {
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	r = &Revision{top: top, old: filepath.Join(temp, "tree"), temp: temp}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	if r.temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	r.old = filepath.Join(r.temp, "tree")
	if err := os.Mkdir(r.old, 0o700); err != nil {
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	// An index of our own: the repository's stays as it is.
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(r.temp, "index"), "GIT_LFS_SKIP_SMUDGE=1"}
	if _, err := git(ctx, top, index, "read-tree", strings.TrimSpace(commit)); err != nil {
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	if _, err := git(ctx, top, index, "checkout-index", "--all", "--force", "--prefix="+filepath.ToSlash(r.old)+"/"); err != nil {
		return nil, fmt.Errorf("take out revision %s: %w", rev, err)
	}
	return r, nil
}

// Close removes what was taken out.
func (r *Revision) Close() {
	os.RemoveAll(r.temp) //nolint:errcheck // what cannot be removed lies in the system's folder for that
}

// Path returns where a path of the working tree lies as it was. Was says whether anything of that name was there; a path
// outside of the working tree is returned as it is.
func (r *Revision) Path(path string) (old string, was bool) {
	inside, ok := r.inside(path)
	if !ok {
		return path, true
	}
	old = filepath.Join(r.old, inside)
	_, err := os.Lstat(old)
	return old, err == nil
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
		out, err := git(ctx, folder, nil, "rev-parse", "--show-toplevel")
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

// git runs a command of git in a folder and returns what it prints.
func git(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = folder
	cmd.Env = append(ownEnvironment(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		if text, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n"); text != "" {
			return "", fmt.Errorf("git: %s", strings.TrimPrefix(text, "fatal: "))
		}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return "", fmt.Errorf("run git: %w", err)
}

// ownEnvironment is the environment without what a hook says of the repository that it runs for: git finds the one that a
// folder lies in.
func ownEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE":
			continue
		}
		env = append(env, v)
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
}
