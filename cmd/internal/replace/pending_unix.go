//go:build unix

package replace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
)

type pending struct{ *renameio.PendingFile }

func newPending(path string) (pending, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	return pending{f}, err
}

func (f pending) commit() error { return f.CloseAtomicallyReplace() }

func (f pending) discard() { f.Cleanup() } //nolint:errcheck // there is nobody to tell

func (f pending) file() *os.File { return f.File }

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink) //nolint:unconvert // it is of another type elsewhere
	}
	return 1
}

// writable says whether the process may write to a file, whatever it may do to its folder.
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

// keep gives a file the owner, the permissions and the extended attributes of another.
func keep(f *os.File, path string, info fs.FileInfo) error {
	own, err := f.Stat()
	if err != nil {
		return err
	}
	was, is := info.Sys().(*syscall.Stat_t), own.Sys().(*syscall.Stat_t) //nolint:errcheck // on unix they always are
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("its owner could not be kept: %w", oserror.Bare(err))
		}
	}
	if err := f.Chmod(info.Mode()); err != nil {
		return fmt.Errorf("its permissions could not be kept: %w", oserror.Bare(err))
	}
	return keepAttributes(f, path)
}
