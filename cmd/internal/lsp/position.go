package lsp

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// An encoding says in which units the protocol counts the characters of a line.
type encoding string

// The encodings that are offered. Every client knows UTF-16.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// agree chooses the encoding: that of bytes where the client knows it, since places are kept in bytes here.
func agree(offered []string) encoding {
	for _, want := range []encoding{utf8Units, utf32Units} {
		if slices.Contains(offered, string(want)) {
			return want
		}
	}
	return utf16Units
}

// lines converts between offsets and the protocol's positions in one text. To the protocol "\r" alone ends a line too,
// which it does not to nginx.
type lines struct {
	text   string
	starts []uint32
	units  encoding
}

func newLines(text string, units encoding) *lines {
	l := &lines{text: text, starts: []uint32{0}, units: units}
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "\r\n")
		if n < 0 {
			break
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		l.starts = append(l.starts, uint32(i))
	}
	return l
}

// bounds are the offsets at which a line starts and ends, its line end left out.
func (l *lines) bounds(line int) (start, end int) {
	start, end = int(l.starts[line]), len(l.text)
	if line+1 < len(l.starts) {
		end = int(l.starts[line+1])
		end = start + len(strings.TrimSuffix(strings.TrimSuffix(l.text[start:end], "\n"), "\r"))
	}
	return start, end
}

// width is how many units a character takes. Of what is no UTF-8 each byte is a character, as for a client that puts
// U+FFFD in its place.
func (l *lines) width(r rune, size int) int {
	switch l.units {
	case utf8Units:
		if r == utf8.RuneError && size == 1 {
			return len("\uFFFD")
		}
		return size
	case utf16Units:
		if r > 0xFFFF {
			return 2
		}
	case utf32Units:
	}
	return 1
}

// offset returns where a position lies. Behind the end of a line is its end, behind the last line that of the text; within
// a character is before it.
func (l *lines) offset(p position) uint32 {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return uint32(len(l.text))
	}
	at, end := l.bounds(int(p.Line))
	left := int64(p.Character)
	for at < end && left > 0 {
		r, size := utf8.DecodeRuneInString(l.text[at:end])
		if left -= int64(l.width(r, size)); left < 0 {
			break
		}
		at += size
	}
	return uint32(at)
}

// position returns where an offset lies.
func (l *lines) position(offset uint32) position {
	offset = min(offset, uint32(len(l.text)))
	line := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset }) - 1
	at, end := l.bounds(line)
	end = min(end, int(offset))
	n := 0
	for at < end {
		r, size := utf8.DecodeRuneInString(l.text[at:])
		if at+size > end {
			break
		}
		n += l.width(r, size)
		at += size
	}
	return position{Line: uint32(line), Character: uint32(n)}
}

// between returns the range from one offset to another.
func (l *lines) between(start, end uint32) textRange {
	return textRange{Start: l.position(start), End: l.position(end)}
}
