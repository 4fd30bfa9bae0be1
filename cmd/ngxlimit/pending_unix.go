//go:build !windows

package main

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A pendingFile is written beside the file whose place it takes once it is complete.
type pendingFile struct{ *renameio.PendingFile }

func newPendingFile(path string) (pendingFile, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	return pendingFile{f}, err
}

func (f pendingFile) commit() error { return f.CloseAtomicallyReplace() }

// discard removes what was written; after commit there is nothing left to remove.
func (f pendingFile) discard() { f.Cleanup() } //nolint:errcheck // there is nobody to tell
