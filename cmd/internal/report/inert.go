package report

import (
	"io"
	"strings"
)

// inertWriter keeps the lines of a text from being commands of a build log. GitHub takes a line for one that begins
// with "::", blanks in front of it or not; where text of a configuration comes to begin a line with a colon, a backslash
// is put in front of it.
type inertWriter struct {
	w      io.Writer
	within bool // a line has begun with something else than a blank
}

// Write implements io.Writer.
func (t *inertWriter) Write(p []byte) (int, error) { return t.WriteString(string(p)) }

// WriteString implements io.StringWriter. A failure may be told of at the next call only.
func (t *inertWriter) WriteString(s string) (int, error) {
	if strings.Contains(s, "##[") { // the older form, which is found anywhere in a line
		if _, err := t.WriteString(inert(s)); err != nil {
			return 0, err
		}
		return len(s), nil
	}
	from := 0
	for i := 0; i < len(s); i++ {
		if t.within {
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				break
			}
			i += n
		}
		switch s[i] {
		case '\n':
			t.within = false
		case ' ', '\t':
		case ':':
			if _, err := io.WriteString(t.w, s[from:i]+`\`); err != nil {
				return from, err
			}
			from, t.within = i, true
		default:
			t.within = true
		}
	}
	n, err := io.WriteString(t.w, s[from:])
	return from + n, err
}

// shown names a file at the start of a line. One whose name begins like a command of a build log is named from the
// folder that it lies in.
func (o Options) shown(path string) string {
	path = clean(path)
	if strings.HasPrefix(strings.TrimLeft(path, " "), "::") {
		return "./" + path
	}
	return path
}
