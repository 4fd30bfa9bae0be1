// Package oserror knows how errors about files are worded: the system call and the path stand in them, and whoever tells of one
// names the path as people gave it. It opens no file.
package oserror

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Bare takes the system call and the path off an error, for a message that names the path already: "read x.conf: permission
// denied" and not "read x.conf: open x.conf: permission denied". Other errors it leaves alone.
func Bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	} else if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	if s, ok := errors.AsType[*os.SyscallError](err); ok {
		err = s.Err
	}
	return err
}

// Reader is a reader whose errors are bare, for code that knows what it reads by a name and not whether that is a file.
func Reader(r io.Reader) io.Reader { return bareReader{r} }

type bareReader struct{ io.Reader }

func (r bareReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // io.Reader gives it as it is
		err = Bare(err)
	}
	return n, err
}
