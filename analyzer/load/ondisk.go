package load

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// onDisk are the included files of one input.
type onDisk struct {
	disk  *disk
	files map[string]read // by the names that the configuration uses
	globs map[string]match
	looks int   // how many names may still be looked at for patterns
	left  int64 // how many bytes the input may still read
	geo   bool  // the nginx that is read for takes wildcards in geo

	// nowhere is the start of the names that a relative include of the main file has, where these lie nowhere: "" of
	// standard input, the folder of a main file outside of the root. Why is then the reason.
	nowhere, why string
}

// A read is what came of reading a file: the file, or the reason why not.
type read struct {
	doc    *syntax.Document
	at     string // the path on disk
	reason string
}

// A match is what came of expanding a pattern.
type match struct {
	names  []string
	reason string
}

// batch is how many files are read ahead at once.
const batch = 256

// match returns what a pattern matches, and reads these files ahead, on all processors.
func (s *onDisk) match(pattern string) ([]string, string) {
	if reason := s.refuse(pattern); reason != "" {
		return nil, reason
	}
	found, done := s.globs[pattern]
	if !done {
		found = s.expand(pattern)
		s.globs[pattern] = found
	}
	names := found.names
	var unread []string
	for _, name := range names {
		if _, done := s.files[name]; !done {
			unread = append(unread, name)
		}
	}
	for len(unread) > 0 {
		some := unread[:min(batch, len(unread))]
		unread = unread[len(some):]
		got := make([]read, len(some))
		parallel(len(some), func(i int) { got[i] = s.read(some[i], s.left) })
		for i, name := range some {
			s.keep(name, got[i])
		}
	}
	return names, found.reason
}

func (s *onDisk) expand(pattern string) (found match) {
	g := globber{tree: s.disk, left: min(s.looks, maxLooked)}
	before := g.left
	found.names = g.expand(pattern)
	s.looks -= before - max(g.left, 0)
	switch {
	case errors.Is(g.err, errPatience):
		found.reason = fmt.Sprintf(`"%s" is not followed: %v`, pattern, g.err)
	case g.err != nil:
		found.reason = reason(pattern, g.err)
	}
	return found
}

func (s *onDisk) geoMatches(string) bool { return s.geo }

// refuse says why a name may not be read at all; "" if it may.
func (s *onDisk) refuse(name string) string {
	if s.why == "" || !strings.HasPrefix(name, s.nowhere) || s.nowhere == "" && isAbsolute(name) {
		return ""
	}
	return fmt.Sprintf(`"%s" is not read: %s`, name, s.why)
}

func (s *onDisk) open(name string) (*syntax.Document, string) {
	if reason := s.refuse(name); reason != "" {
		return nil, reason
	}
	got, done := s.files[name]
	if !done {
		got = s.keep(name, s.read(name, s.left))
	}
	return got.doc, got.reason
}

func (s *onDisk) read(name string, limit int64) read {
	file, err := s.disk.read(name, limit)
	if err != nil {
		return read{at: file.Disk, reason: reason(name, err)}
	}
	return read{at: file.Disk, doc: syntax.Parse(file)}
}

func (s *onDisk) keep(name string, got read) read {
	if got.doc != nil {
		if s.left -= int64(len(got.doc.File.Text)); s.left < 0 {
			s.left, got = 0, read{at: got.at, reason: reason(name, errTooLarge)}
		}
	}
	s.files[name] = got
	return got
}

// reason says in nginx's words, where it has them, why a file cannot be read.
func reason(name string, err error) string {
	switch {
	case errors.Is(err, errFolder):
		return fmt.Sprintf(`pread() "%s" failed (21: Is a directory)`, name)
	case errors.Is(err, errOutside), errors.Is(err, errSpecial):
		return fmt.Sprintf(`"%s" %v and is not read`, name, err)
	case errors.Is(err, errTooLarge):
		return fmt.Sprintf(`"%s" is not read: the configuration would come to more than %d MiB`, name, maxText>>20)
	}
	for _, known := range systemErrors {
		if errors.Is(err, known.is) {
			return fmt.Sprintf(`open() "%s" failed (%s)`, name, known.text)
		}
	}
	return fmt.Sprintf(`open() "%s" failed (%v)`, name, oserror.Bare(err))
}

// systemErrors are Linux's numbers and the C library's words, which nginx prints.
var systemErrors = []struct {
	is   error
	text string
}{
	{fs.ErrNotExist, "2: No such file or directory"},
	{fs.ErrPermission, "13: Permission denied"},
	{syscall.ENOTDIR, "20: Not a directory"},
	{syscall.EMFILE, "24: Too many open files"},
	{syscall.ENAMETOOLONG, "36: File name too long"},
	{syscall.ELOOP, "40: Too many levels of symbolic links"},
}
