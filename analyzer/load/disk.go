package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// maxText bounds what is read as one text: places are kept as 32-bit offsets.
const maxText = 1 << 30

// A disk reads files by the names that a configuration uses for them.
type disk struct {
	root *os.Root // nil for the real root
	real string   // the root's own path, absolute and without links; "" for the real root
	maps []mapping

	texts map[string]string // see Options.Texts
}

func newDisk(o Options) (*disk, error) {
	d := &disk{maps: sortedMappings(o.MapPath), texts: o.Texts}
	if o.Root == "" {
		return d, nil
	}
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return nil, &OptionError{"root", o.Root, oserror.Bare(err)}
	}
	d.root = root
	if d.real, err = canonical(o.Root); err != nil {
		root.Close()
		return nil, &OptionError{"root", o.Root, oserror.Bare(err)}
	}
	return d, nil
}

func (d *disk) close() {
	if d.root != nil {
		d.root.Close()
	}
}

// RealPath returns the absolute path of a file or folder without links in it.
func RealPath(name string) (string, error) { return canonical(name) }

// canonical returns the absolute path of a file without links in it.
func canonical(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// where returns the path on disk that a name is read at.
func (d *disk) where(name string) string {
	name = mapPath(d.maps, name)
	if d.root == nil {
		return name
	}
	return filepath.Join(d.real, filepath.FromSlash(path.Clean("/"+name)))
}

// own returns the path of the file itself that a name is read at, links followed; "" where it is not asked for or there
// is none.
func (d *disk) own(name string) string {
	if d.texts == nil {
		return ""
	}
	if d.root != nil {
		inside, err := d.resolve(mapPath(d.maps, name))
		if err != nil {
			return ""
		}
		return filepath.Join(d.real, filepath.FromSlash(inside))
	}
	own, err := canonical(mapPath(d.maps, name))
	if err != nil {
		return ""
	}
	return own
}

// read returns the text of a regular file. The file tells where it lies even where it cannot be read.
func (d *disk) read(name string, limit int64) (file *source.File, err error) {
	file = &source.File{Path: name, Disk: d.where(name), Real: d.own(name)}
	if text, ok := d.texts[file.Real]; ok && file.Real != "" {
		file.Text = text
		return file, nil
	}
	file.Text, err = d.text(name, limit)
	return file, err
}

func (d *disk) text(name string, limit int64) (string, error) {
	file, err := d.open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errFolder
	case !info.Mode().IsRegular() && name != os.DevNull:
		return "", errSpecial
	}
	return readSized(file, info.Size(), limit)
}

// openFlags keep the opening of a pipe from waiting for its other end.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

func (d *disk) open(name string) (*os.File, error) {
	if d.root == nil {
		return os.OpenFile(mapPath(d.maps, name), openFlags, 0)
	}
	inside, err := d.resolve(mapPath(d.maps, name))
	if err != nil {
		return nil, err
	}
	return d.root.OpenFile(inside, openFlags, 0)
}

var (
	errBinary   = errors.New("no configuration: the file is binary")
	errFolder   = errors.New("is a directory")
	errOutside  = errors.New("leads outside the root")
	errSpecial  = errors.New("is no regular file")
	errTooLarge = fmt.Errorf("is larger than %d MiB", maxText>>20)
)

// readSized reads a regular file up to the size that it had when it was opened, as nginx does.
func readSized(file io.Reader, size, limit int64) (string, error) {
	if size > limit {
		return "", errTooLarge
	}
	if size == 0 {
		return "", nil
	}
	text := make([]byte, size)
	n, err := io.ReadFull(file, text)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", err
	}
	if n == 0 {
		return "", nil
	}
	return unsafe.String(&text[0], n), nil // nothing else holds these bytes, and a dump is large
}

// readAll reads to the end of what may be a pipe.
func readAll(from io.Reader, limit int64) (string, error) {
	if file, ok := from.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			if at, err := file.Seek(0, io.SeekCurrent); err == nil {
				block := make([]byte, firstBlock)
				if n, _ := file.ReadAt(block, at); n == firstBlock && info.Size()-at <= limit && plainlyBinary(string(block)) {
					return "", errBinary
				}
				return readSized(file, info.Size()-at, limit)
			}
		}
	}
	return readPipe(from, limit)
}

// firstBlock is how much of a pipe or a device is looked at before the rest is read.
const firstBlock = 64 << 10

// readPipe reads to the end. What is plainly no text is not read to its end, which it may not have.
func readPipe(from io.Reader, limit int64) (string, error) {
	text := make([]byte, firstBlock)
	n, err := io.ReadFull(from, text)
	for err == nil {
		if n == firstBlock && plainlyBinary(string(text)) {
			return "", errBinary
		}
		if int64(n) > limit {
			return "", errTooLarge
		}
		grown := make([]byte, min(2*int64(n), limit+1))
		copy(grown, text)
		text = grown
		var more int
		more, err = io.ReadFull(from, text[n:])
		n += more
	}
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return "", err
	case n == 0:
		return "", nil
	}
	return unsafe.String(&text[0], n), nil // nothing else holds these bytes
}

// maxLinks is how many links a path may lead through, as in Linux.
const maxLinks = 40

// resolve returns the path below the root that a name stands for, links followed as after chroot(2): an absolute link
// starts again at the root. A link made where the root was not yet one, whose target names the root's own path, is
// taken for what it meant. A link that climbs out of the root is errOutside.
func (d *disk) resolve(name string) (string, error) {
	rest := strings.Split(path.Clean("/" + filepath.ToSlash(name))[1:], "/")
	var done []string
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", errOutside
			}
			done = done[:len(done)-1]
			continue
		}
		at := strings.Join(append(slices.Clip(done), part), "/")
		info, err := d.root.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part)
			continue
		}
		if links++; links > maxLinks {
			return "", syscall.ELOOP
		}
		target, err := d.root.Readlink(at)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			done = nil
			if inside, ok := below(d.real, target); ok {
				target = inside
			}
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return strings.Join(done, "/"), nil
}

// below returns what follows the folder in a path, if the path lies in it.
func below(folder, name string) (rest string, ok bool) {
	rel, err := filepath.Rel(folder, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// list returns the names in a folder; see tree.
func (d *disk) list(folder string) ([]string, error) {
	if folder == "" {
		folder = "."
	}
	folder = mapPath(d.maps, folder)
	var dir *os.File
	var err error
	if d.root == nil {
		dir, err = os.Open(folder)
	} else if folder, err = d.resolve(folder); err == nil {
		dir, err = d.root.Open(folder)
	}
	if err != nil {
		return nil, onlyOutside(err)
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what could be read counts, as for glob(3)
	return names, nil
}

// exists says whether there is something of that name, be it a link that leads nowhere.
func (d *disk) exists(name string) (bool, error) {
	name = mapPath(d.maps, name)
	if d.root == nil {
		_, err := os.Lstat(name)
		return err == nil, nil
	}
	_, err := d.resolve(name)
	return err == nil, onlyOutside(err)
}

// onlyOutside passes on the error that is ours; for all others glob(3) finds nothing and says nothing.
func onlyOutside(err error) error {
	if errors.Is(err, errOutside) {
		return errOutside
	}
	return nil
}

// folder says why a name is not that of a folder; nil if it is.
func (d *disk) folder(name string) error {
	name = mapPath(d.maps, name)
	var info fs.FileInfo
	var err error
	if d.root == nil {
		info, err = os.Stat(name)
	} else if name, err = d.resolve(name); err == nil {
		info, err = d.root.Stat(name)
	}
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	return err
}
