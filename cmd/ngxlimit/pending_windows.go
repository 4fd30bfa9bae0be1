package main

import (
	"os"
	"path/filepath"
)

// A pendingFile is written beside the file whose place it takes once it is complete. On Windows no rename is atomic in
// the strict sense, but the file's old content stays until the new one is whole.
type pendingFile struct {
	*os.File
	path string
}

func newPendingFile(path string) (pendingFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	return pendingFile{f, path}, err
}

func (f pendingFile) commit() error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), f.path)
}

// discard removes what was written; after commit there is nothing left to remove.
func (f pendingFile) discard() {
	f.Close()           //nolint:errcheck // there is nobody to tell
	os.Remove(f.Name()) //nolint:errcheck // likewise
}
