package replace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// On Windows no rename is atomic in the strict sense, but the file's old content stays until the new one is whole.
type pending struct {
	*os.File
	path string
}

func newPending(path string) (pending, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	return pending{f, path}, err
}

func (f pending) commit() error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), f.path)
}

func (f pending) discard() {
	f.Close()           //nolint:errcheck // there is nobody to tell
	os.Remove(f.Name()) //nolint:errcheck // likewise
}

func (f pending) file() *os.File { return f.File }

func links(fs.FileInfo) uint64 { return 1 }

func writable(string) bool { return true }

// keep gives a file the permissions of another; a new one belongs to whoever the folder says.
func keep(f *os.File, _ string, info fs.FileInfo) error { return f.Chmod(info.Mode()) }
