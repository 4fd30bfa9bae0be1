package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
)

// mostSpooled bounds what is kept of standard input, as it comes: packed, where it is.
const mostSpooled int64 = 16 << 30

// A spool is standard input in a temporary file, for who reads it twice. The zero spool holds nothing.
type spool struct {
	path   string
	forget func()
}

// fill keeps all of a stream, or says why that cannot be.
func (s *spool) fill(r io.Reader, most int64) error {
	f, err := os.CreateTemp("", "ngxlimit-*.log")
	if err != nil {
		return fmt.Errorf("keep standard input to read it twice: %w", oserror.Bare(err))
	}
	s.path = f.Name()
	s.forget = cleanUpOnSignal(func() { _ = os.Remove(f.Name()) })
	n, err := io.Copy(f, io.LimitReader(r, most+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return fmt.Errorf("keep standard input to read it twice: %w", oserror.Bare(err))
	case n > most:
		return fmt.Errorf("standard input holds more than %d bytes, which is the most that is kept to be read twice: name the log as a file", most)
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
