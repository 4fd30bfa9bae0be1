package accesslog

import (
	"bytes"
	"errors"
	"fmt"
)

// A container is a form of file that holds a log, or many, and is not read.
type container struct {
	at           int
	magic        string
	name, unpack string // what makes a log of it
}

// containers are known by their first bytes, as file(1) and the formats' own documents have them.
var containers = [...]container{
	{0, "\xfd7zXZ\x00", "packed by xz", "xz -dc FILE | ... -"},
	{0, "BZh", "packed by bzip2", "bzip2 -dc FILE | ... -"},
	{0, "\x04\x22\x4d\x18", "packed by lz4", "lz4 -dc FILE | ... -"},
	{0, "\x1f\x9d", "packed by compress", "zcat FILE | ... -"},
	{0, "PK\x03\x04", "a zip archive", "unzip -p FILE | ... -"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x -so FILE | ... -"},
	{257, "ustar", "a tar archive", "tar -xOf FILE | ... -"},
}

// Strange says why a file cannot be a log by its first bytes, as they are once it is unpacked, and what makes one of it; nil
// where nothing is known against it.
func Strange(head []byte) error {
	for _, c := range containers {
		if len(head) > c.at && bytes.HasPrefix(head[c.at:], []byte(c.magic)) {
			return fmt.Errorf("it is %s, which is not read (gzip and zstd are): %s", c.name, c.unpack)
		}
	}
	if name := wide(head); name != "" {
		return fmt.Errorf("it is text in %s: iconv -f %s -t UTF-8 makes a log of it", name, name)
	}
	return nil
}

// wide tells UTF-16 by its mark, or by every second byte being 0, and returns its name.
func wide(head []byte) (name string) {
	const looked, least = 512, 32
	head = head[:min(len(head), looked)&^1]
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}), len(head) < 2:
		return ""
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "UTF-16"
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	most := len(head) / 2
	switch {
	case most < least:
		return ""
	case zeros[1]*10 >= most*9 && zeros[0]*10 <= most:
		return "UTF-16LE"
	case zeros[0]*10 >= most*9 && zeros[1]*10 <= most:
		return "UTF-16BE"
	}
	return ""
}

// These are of a log of which no line is of any format.
var (
	errTimeless = errors.New("its lines are JSON, and no time is found in them: name the field with --fields time=NAME")
	errNobody   = errors.New("its lines are JSON, and no client's address is found in them: name the field with --fields ip=NAME")
	errBinary   = errors.New("it is no text: its lines hold bytes that stand in no log")
	errUnknown  = errors.New("the format of its lines is not known: name it with --log-format")
)

// Unreadable says why no line of a text is of any format.
func Unreadable(block Block, o Options) error {
	odd := 0
	for i := range len(block.Text) {
		if c := block.Text[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			odd++
		}
	}
	if odd*100 > len(block.Text) { // of random bytes one in nine is
		return errBinary
	}
	r, err := NewReader(JSON, o)
	if err != nil {
		return errUnknown
	}
	var b Batch
	r.Parser().Parse(block, &b)
	switch n := &b.Faults.N; {
	case n[NoTime]+n[NoClient] <= n[Foreign]+n[Cut]:
	case n[NoTime] > 0:
		return errTimeless
	default:
		return errNobody
	}
	return errUnknown
}
