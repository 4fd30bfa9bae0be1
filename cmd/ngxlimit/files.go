package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// openRequests calls read with the file of requests, or with standard input for "-".
func (a *app) openRequests(path string, read func(io.Reader) error) error {
	if path == "-" {
		return read(oserror.Reader(a.stdin))
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, oserror.Bare(err))
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return read(oserror.Reader(f))
}

// someRequests refuses a stream without any request: most likely it is not the file that was meant.
func someRequests(all iter.Seq2[traffic.Event, error]) iter.Seq2[traffic.Event, error] {
	return func(yield func(traffic.Event, error) bool) {
		none := true
		for e, err := range all {
			none = false
			if !yield(e, err) {
				return
			}
		}
		if none {
			yield(traffic.Event{}, errors.New("there is no request in it"))
		}
	}
}

// placed puts the name of a file in front of what is wrong with it.
func placed(file string, err error) error {
	if at, ok := errors.AsType[*traffic.FileError](err); ok {
		return fmt.Errorf("%s:%w", file, at)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// terminal says whether colours may be written to standard output: it is a terminal and NO_COLOR is not set.
func (a *app) terminal() bool {
	return a.stdout == io.Writer(os.Stdout) && !color.NoColor
}

// onTerminal says whether standard output is a terminal, be it one without colours.
func (a *app) onTerminal() bool {
	f, ok := a.stdout.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// screen says how text is to be shown on standard output, or in the file at path: colours and the width of the terminal
// where there is one.
func (a *app) screen(path string) report.Options {
	if path != "" {
		return report.Options{}
	}
	o := report.Options{Color: a.terminal()}
	if f, ok := a.stdout.(*os.File); ok {
		o.Width = columns(f)
		o.Wrap = o.Width > 0
	}
	if wanted, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && o.Width == 0 {
		o.Width = min(max(wanted, 0), widest) // as the shells say it, and those who show a pipe's output
	}
	return o
}

// widest is the most columns that are believed.
const widest = 1000
