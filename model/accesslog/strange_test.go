package accesslog

import (
	endian "encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

const ordinaryLine = `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "x"` + "\r\n"

func wideText(s string, order endian.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		s = "\ufeff" + s
	}
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func TestStrange(t *testing.T) {
	lines := strings.Repeat(ordinaryLine, 5)
	for name, c := range map[string]struct{ head, want string }{
		"a log":              {lines, ""},
		"nothing":            {"", ""},
		"a byte":             {"\x00", ""},
		"a mark of UTF-8":    {"\ufeff" + lines, ""},
		"zeros in front":     {strings.Repeat("\x00", 4096) + lines, ""},
		"xz":                 {"\xfd7zXZ\x00\x00\x04", "packed by xz, which is not read (gzip and zstd are): xz -dc FILE"},
		"bzip2":              {"BZh91AY&SY", "packed by bzip2"},
		"lz4":                {"\x04\x22\x4d\x18", "packed by lz4"},
		"compress":           {"\x1f\x9d\x90", "packed by compress"},
		"zip":                {"PK\x03\x04\x14", "a zip archive"},
		"7z":                 {"7z\xbc\xaf\x27\x1c\x00", "a 7z archive"},
		"tar":                {"m.log" + strings.Repeat("\x00", 252) + "ustar  \x00", "a tar archive"},
		"UTF-16, small end":  {wideText(lines, endian.LittleEndian, true), "text in UTF-16: iconv -f UTF-16 -t UTF-8"},
		"UTF-16, big end":    {wideText(lines, endian.BigEndian, true), "text in UTF-16: "},
		"UTF-16LE, unmarked": {wideText(lines, endian.LittleEndian, false), "text in UTF-16LE: iconv -f UTF-16LE"},
		"UTF-16BE, unmarked": {wideText(lines, endian.BigEndian, false), "text in UTF-16BE: "},
	} {
		switch err := Strange([]byte(c.head)); {
		case err == nil && c.want != "", err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// No text of lines is taken for anything else.
func TestLogsAreNotStrange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([0-9.]+ - - \[[^\]\x00]*\] "[^"\x00]*" [0-9]+\r?\n)*`).Draw(t, "log")
		if err := Strange([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestUnreadable(t *testing.T) {
	for text, want := range map[string]error{
		"hello\nworld\n": errUnknown, strings.Repeat("\x00", 100): errBinary, "\x7fELF\x02\x01\x01\x00\x00": errBinary, strings.Repeat("hello\tworld\r\n", 9) + "\x1b": errUnknown, "": errUnknown,
		`{"ip":"192.0.2.1","when":"2026-03-02T08:00:00Z"}` + "\n": errTimeless, `{"msec":1772438400.1,"who":"192.0.2.1"}` + "\n": errNobody, `{"a":` + "\n": errUnknown,
	} {
		if got := Unreadable(Block{Text: text, First: true}, Options{}); got != want { //nolint:errorlint // these are handed on as they are
			t.Errorf("%q: %v", text, got)
		}
	}
}
