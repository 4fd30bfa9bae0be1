package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
)

// reports is a repeatable flag of the form FORMAT=FILE: what one run of check writes besides its output. A build step has
// one run for its log, its summary and what it uploads.
type reports []alsoReport

type alsoReport struct{ format, path string }

func (r *reports) Type() string   { return "FORMAT=FILE" }
func (r *reports) String() string { return "" }

func (r *reports) Set(s string) error {
	format, path, ok := strings.Cut(s, "=")
	switch {
	case !ok || path == "":
		return errors.New("want FORMAT=FILE")
	case !slices.Contains(report.Formats(), format):
		return fmt.Errorf("unknown format %q: want %s", format, strings.Join(report.Formats(), ", "))
	case path == "-":
		return errors.New("--output says what goes to standard output")
	}
	*r = append(*r, alsoReport{format, path})
	return nil
}

// write writes a report to each of the files, without the colours and the width of a terminal.
func (r reports) write(a *app, rep *report.Report, o report.Options) error {
	o.Color, o.Width, o.Wrap = false, 0, false
	for _, to := range r {
		err := a.writeOutput(to.path, func(w io.Writer) error { return report.Write(w, to.format, rep, o) })
		if err != nil {
			return err
		}
	}
	return nil
}

// shows says whether a format of some report of the run shows something, what page loads suffer or fingerprints.
func (f *checkFlags) shows(some func(format string) bool) bool {
	return some(f.format.value) || slices.ContainsFunc(f.also, func(r alsoReport) bool { return some(r.format) })
}
