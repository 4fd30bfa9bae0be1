// Package replace puts a new file in the place of another, whole or not at all: what was there stays until the new one is
// complete. It knows what of a file must not change with its content, and refuses where that could not be kept.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
)

// A Pending file is written beside the file whose place it takes once it is complete.
type Pending struct{ pending }

// New begins a file that is to be at a path, which must not be a link. One that is there keeps its permissions.
func New(path string) (*Pending, error) {
	f, err := newPending(path)
	if err != nil {
		return nil, err
	}
	return &Pending{f}, nil
}

// Commit puts the file in its place.
func (p *Pending) Commit() error { return p.commit() }

// MakeExecutable lets those run the file who may read it.
func (p *Pending) MakeExecutable() error {
	info, err := p.Stat()
	if err != nil {
		return err
	}
	const readers = 0o444
	return p.Chmod(info.Mode() | info.Mode()&readers>>2)
}

// Discard removes what was written. After Commit there is nothing left to remove.
func (p *Pending) Discard() { p.discard() }

// Refuse says why the content of the file at a path, which must not be a link, cannot be replaced so that nothing else of
// it changes; "" where it can. It tries, without changing anything.
func Refuse(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return oserror.Bare(err).Error()
	case !info.Mode().IsRegular():
		return "it is no regular file"
	case links(info) > 1:
		return fmt.Sprintf("it has %d names (hard links), and would be left with one", links(info))
	case info.Mode().Perm()&0o222 == 0 || !writable(path):
		return "it is read-only"
	}
	p, err := like(path, info)
	if err != nil {
		return oserror.Bare(err).Error()
	}
	p.Discard()
	return ""
}

// Content begins a file that is to take the place of the one at path with new content; its owner, its permissions and
// what else Refuse has tried are kept. The error says so where the file does not hold the old content, because someone
// else has changed it.
func Content(path, old, content string) (*Pending, error) {
	now, err := os.ReadFile(path)
	if err != nil {
		return nil, oserror.Bare(err)
	}
	if string(now) != old {
		return nil, errors.New("it was changed by someone else meanwhile")
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, oserror.Bare(err)
	}
	p, err := like(path, info)
	if err != nil {
		return nil, oserror.Bare(err)
	}
	if _, err := io.WriteString(p, content); err != nil {
		p.Discard()
		return nil, oserror.Bare(err)
	}
	return p, nil
}

// like begins a file with the owner and the permissions of the one that it is to replace.
func like(path string, info fs.FileInfo) (*Pending, error) {
	p, err := New(path)
	if err != nil {
		return nil, err
	}
	if err := keep(p.file(), path, info); err != nil {
		p.Discard()
		return nil, err
	}
	return p, nil
}
