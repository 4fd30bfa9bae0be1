package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// writeOutput calls write with standard output, or with a temporary file that takes the place of path once it is
// complete: a run that fails or is interrupted leaves what was there before.
func (a *app) writeOutput(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(a.stdout)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is no regular file", path)
	}
	f, err := newPendingFile(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	forget := cleanUpOnSignal(f.discard)
	defer forget()
	defer f.discard()
	b := bufio.NewWriterSize(f, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	if err := f.commit(); err != nil {
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	return nil
}

// bare takes the system call and the path off a file error, where the message names the path already.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
