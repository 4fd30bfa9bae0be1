package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/cmd/internal/replace"
)

// writeOutput calls write with standard output, or with a temporary file that takes the place of path once it is
// complete: a run that fails or is interrupted leaves what was there before. Links stay: the file that they lead to is
// written. A device or a pipe cannot be replaced and is written as it is.
func (a *app) writeOutput(path string, write func(io.Writer) error) error {
	return a.writeFile(path, false, write)
}

// writeFile is writeOutput, for a program if executable is set: who may read the file may run it then.
func (a *app) writeFile(path string, executable bool, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		if err := write(a.stdout); err != nil {
			if _, ok := errors.AsType[*fs.PathError](err); ok {
				return fmt.Errorf("write standard output: %w", oserror.Bare(err))
			}
			return err
		}
		return nil
	}
	if err := a.keepRead(path); err != nil {
		return err
	}
	target, direct, err := outputTarget(path)
	switch {
	case err != nil:
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	case direct:
		return a.writeDirect(path, write)
	}
	f, err := replace.New(target)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	}
	forget := cleanUpOnSignal(f.Discard)
	defer forget()
	defer f.Discard()
	b := bufio.NewWriterSize(f, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	}
	if executable {
		if err := f.MakeExecutable(); err != nil {
			return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
		}
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	}
	return nil
}

// maxLinks is how many links a path may lead through, as in Linux.
const maxLinks = 40

// outputTarget follows the links of a path to the file that is to be written, which need not exist yet. direct says
// that it is nothing that another file could take the place of: a device, a pipe, or a name of an open file such as
// /dev/stdout.
func outputTarget(path string) (target string, direct bool, err error) {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return "", false, errors.New("it is the name of a folder")
	}
	for range maxLinks {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", false, err
		}
		path = filepath.Join(folder, filepath.Base(path))
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, false, nil
		case err != nil:
			return "", false, err
		case openFiles(folder):
			return path, true, nil
		case info.Mode().IsRegular():
			return path, false, nil
		case info.IsDir():
			return "", false, errors.New("it is a folder")
		case info.Mode()&fs.ModeSymlink == 0:
			return path, true, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", false, err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(folder, to)
		}
		path = to
	}
	return "", false, fmt.Errorf("it leads through more than %d links", maxLinks)
}

// openFiles says that a folder holds the open files of a process by their numbers: the links in it lead to what is
// open, whatever name that has or had.
func openFiles(folder string) bool {
	folder = filepath.ToSlash(folder)
	return folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/") && strings.HasSuffix(folder, "/fd")
}

// writeDirect writes to what has no content that could be kept. A name of an open file goes on where that one ends.
func (a *app) writeDirect(path string, write func(io.Writer) error) (err error) {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	}
	if out, ok := a.stdout.(*os.File); ok {
		if own, err := out.Stat(); err == nil && os.SameFile(own, info) {
			return write(out) // a socket can be written to, but not opened
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fmt.Errorf("write %s: %w", path, oserror.Bare(closed))
		}
	}()
	b := bufio.NewWriterSize(f, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, oserror.Bare(err))
	}
	return nil
}
