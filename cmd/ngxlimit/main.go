// Command ngxlimit audits the limits of an nginx configuration: what is wrong with them, and what a page load suffers.
// Each command has its file; the packages below it do the work.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
)

// The exit statuses.
const (
	exitOK          = 0   // nothing was found at or above --fail-on
	exitFound       = 1   // something was
	exitTrouble     = 2   // the command could not do its work; the reason is on standard error
	exitInterrupted = 130 // a signal ended the command, as a shell counts it
)

func main() {
	go exitOnSignal()
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs the program and returns its exit status. Everything that it says goes to the writers given, except the file
// that --output names.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	cmd := newRoot(a)
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	help := &keptError{w: stdout} // cobra writes help, and passes over what becomes of it
	cmd.SetOut(help)
	cmd.SetErr(stderr)
	if err := cmp.Or(cmd.Execute(), help.err); err != nil {
		for _, one := range parts(err) {
			complain(stderr, one)
		}
		return exitTrouble
	}
	return a.status
}

// A keptError is a writer that keeps its first error.
type keptError struct {
	w   io.Writer
	err error
}

func (k *keptError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil && k.err == nil {
		k.err = fmt.Errorf("write standard output: %w", oserror.Bare(err))
	}
	return n, err
}

// An app is what the commands of one run share.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	status         int      // exitOK until a command says otherwise
	read           []string // what the command was told to read, names and patterns; see keepRead
	files          []string // what it read beyond that, or is about to
}

// parts returns the errors that were joined, or the one that there is.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // only what is joined at the top
		errs := joined.Unwrap()
		all := make([]error, 0, len(errs))
		for _, e := range errs {
			all = append(all, parts(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// complain writes an error as one line. It may quote a path or an argument, so control characters are taken out.
func complain(w io.Writer, err error) {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, strings.TrimSpace(err.Error()))
	fmt.Fprintf(w, "ngxlimit: %s\n", text) //nolint:errcheck // there is nowhere left to say so
}
