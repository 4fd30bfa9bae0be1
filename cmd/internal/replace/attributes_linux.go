package replace

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// keepAttributes copies the extended attributes of a file: access lists and security labels are among them.
func keepAttributes(f *os.File, path string) error {
	names, err := attribute(func(into []byte) (int, error) { return unix.Llistxattr(path, into) })
	if err != nil {
		return attributeError(err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if name == "" {
			continue
		}
		value, err := attribute(func(into []byte) (int, error) { return unix.Lgetxattr(path, name, into) })
		if own, _ := attribute(func(into []byte) (int, error) { return unix.Fgetxattr(int(f.Fd()), name, into) }); err == nil && string(own) == string(value) {
			continue // as a security label of the folder's
		}
		if err == nil {
			err = unix.Fsetxattr(int(f.Fd()), name, value, 0)
		}
		if err := attributeError(err); err != nil {
			return fmt.Errorf("its attribute %s could not be kept: %w", name, err)
		}
	}
	return nil
}

// attribute calls get for the size, and then for the bytes.
func attribute(get func([]byte) (int, error)) ([]byte, error) {
	n, err := get(nil)
	if err != nil || n == 0 {
		return nil, err
	}
	into := make([]byte, n)
	n, err = get(into)
	if err != nil {
		return nil, err
	}
	return into[:n], nil
}

// attributeError passes over what a file system does not have, or the kernel sets by itself.
func attributeError(err error) error {
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENODATA) {
		return nil
	}
	return err
}
