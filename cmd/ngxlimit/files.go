package main

import (
	"fmt"
	"io"
	"os"

	"github.com/fatih/color"
)

// openRequests calls read with the file of requests, or with standard input for "-".
func (a *app) openRequests(path string, read func(io.Reader) error) error {
	if path == "-" {
		return read(a.stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, bare(err))
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return read(f)
}

// terminal says whether colours may be written to standard output: it is a terminal and NO_COLOR is not set.
func (a *app) terminal() bool {
	return a.stdout == io.Writer(os.Stdout) && !color.NoColor
}
