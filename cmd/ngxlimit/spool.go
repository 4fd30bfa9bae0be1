package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
)

// mostSpooled bounds what is kept of a stream, as it comes: packed, where it is.
const mostSpooled int64 = 16 << 30

// spools are the logs that come only once, by the names that were given.
type spools map[string]*spool

// keep keeps those of some logs that come only once: standard input, and pipes.
func (s *spools) keep(a *app, names []string) error {
	for _, name := range names {
		if !comesOnce(name) {
			continue
		}
		kept := &spool{what: "standard input"}
		if *s == nil {
			*s = spools{}
		}
		(*s)[name] = kept
		from := a.stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return fmt.Errorf("read %s: %w", name, oserror.Bare(err))
			}
			defer f.Close() //nolint:errcheck // nothing was written
			kept.what, from = name, f
		}
		if err := kept.fill(from, mostSpooled); err != nil {
			return err
		}
	}
	return nil
}

func (s spools) remove() {
	for _, kept := range s {
		kept.remove()
	}
}

// comesOnce says whether what a log holds can be read only once: opened again, a pipe goes on where it was left, or waits for ever.
func comesOnce(name string) bool {
	if name == "-" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// A spool is a stream in a temporary file, for who reads it twice. The zero spool holds nothing.
type spool struct {
	what   string // it is, for messages
	path   string
	forget func()
}

// fill keeps all of a stream, or says why that cannot be.
func (s *spool) fill(r io.Reader, most int64) error {
	f, err := os.CreateTemp("", "ngxlimit-*.log")
	if err != nil {
		return fmt.Errorf("keep %s to read it twice: %w", s.what, oserror.Bare(err))
	}
	s.path = f.Name()
	s.forget = cleanUpOnSignal(func() { _ = os.Remove(f.Name()) })
	n, err := io.Copy(f, io.LimitReader(r, most+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return fmt.Errorf("keep %s to read it twice: %w", s.what, oserror.Bare(err))
	case n > most:
		return fmt.Errorf("%s holds more than %d bytes, which is the most that is kept to be read twice: name the log as a file", s.what, most)
	}
	return nil
}

// remove takes the file away.
func (s *spool) remove() {
	if s.path != "" {
		_ = os.Remove(s.path)
		s.forget()
	}
}
