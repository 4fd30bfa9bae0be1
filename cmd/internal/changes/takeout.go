package changes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxNesting is how deep submodules within submodules are followed.
const maxNesting = 10

// The modes that git gives to what is no plain file.
const (
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// An entry is a file of a tree as git lists it.
type entry struct{ mode, object, path string }

// takeOut writes the files of a commit below a folder of the revision, as they are stored: what the working tree would
// make of them (other line ends, filters) is left out, since filters are programs. Submodules that are there are taken out
// at the commit that the tree names.
func (r *Revision) takeOut(ctx context.Context, top, commit, below string, depth int) error {
	root, err := os.OpenRoot(r.old)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing is written to it itself
	list, err := git(ctx, top, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	var files []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		e, ok := entryOf(line)
		switch {
		case !ok:
		case e.mode == modeSubmodule:
			if err := r.takeOutSubmodule(ctx, top, e, below, depth); err != nil {
				return err
			}
		default:
			e.path = path.Join(below, e.path)
			files = append(files, e)
		}
	}
	return write(ctx, root, top, files)
}

// entryOf reads a line of ls-tree: MODE TYPE OBJECT, a tabulator, the path.
func entryOf(line string) (entry, bool) {
	about, name, ok := strings.Cut(line, "\t")
	words := strings.Fields(about)
	if !ok || len(words) != 3 {
		return entry{}, false
	}
	return entry{words[0], words[2], name}, true
}

// takeOutSubmodule takes out a submodule; one that is not there, or lacks the commit, stays missing, as it is in a clone
// without submodules: what is included from it is then told as missing.
func (r *Revision) takeOutSubmodule(ctx context.Context, top string, e entry, below string, depth int) error {
	folder := filepath.Join(top, filepath.FromSlash(e.path))
	if depth >= maxNesting || !filepath.IsLocal(filepath.FromSlash(e.path)) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(folder, ".git")); err != nil {
		return nil //nolint:nilerr // it is not there
	}
	if _, err := git(ctx, folder, "cat-file", "-e", e.object+"^{commit}"); err != nil {
		return nil //nolint:nilerr // it lacks the commit
	}
	return r.takeOut(ctx, folder, e.object, path.Join(below, e.path), depth+1)
}

// write asks for the contents of files, all in one process, and writes them.
func write(ctx context.Context, root *os.Root, top string, files []entry) error {
	var objects strings.Builder
	for _, e := range files {
		objects.WriteString(e.object + "\n")
	}
	return pipe(command(ctx, top, "cat-file", "--batch"), strings.NewReader(objects.String()), func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 1<<16)
		for _, e := range files {
			if err := writeNext(root, e, in); err != nil {
				return fmt.Errorf("%s: %w", e.path, err)
			}
		}
		return nil
	})
}

// errMissing says that a clone does not hold an object.
var errMissing = errors.New("its content is not in this clone, which is a partial one: take a whole one")

// writeNext writes the file whose content comes next: a line OBJECT TYPE SIZE, the bytes, a line end.
func writeNext(root *os.Root, e entry, in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	if err != nil {
		return errMissing // git ends where it may not fetch
	}
	var object, kind string
	var size int64
	if n, _ := fmt.Sscan(line, &object, &kind, &size); n != 3 { //nolint:errcheck // the number tells
		return errMissing
	}
	name := filepath.FromSlash(e.path)
	if !filepath.IsLocal(name) {
		return errors.New("it lies outside of the repository")
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	content := io.LimitReader(in, size)
	if e.mode == modeLink {
		err = link(root, name, content)
	} else {
		err = put(root, name, content)
	}
	if err != nil {
		return err
	}
	_, err = in.Discard(1)
	return err
}

// maxTarget is how long the target of a link may be.
const maxTarget = 1 << 16

// link makes a symbolic link, or a file with its target where the system has no links, as git does.
func link(root *os.Root, name string, content io.Reader) error {
	target, err := io.ReadAll(io.LimitReader(content, maxTarget))
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	if root.Symlink(filepath.FromSlash(string(target)), name) == nil {
		return nil
	}
	return put(root, name, strings.NewReader(string(target)))
}

func put(root *os.Root, name string, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // two names may be one here
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
