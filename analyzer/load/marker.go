package load

import (
	"regexp"
	"strings"
)

// markerHead starts the line that nginx -T writes in front of each file: `# configuration file PATH:`.
const markerHead = "# configuration file "

// byteOrderMark is what some shells put in front of redirected output.
const byteOrderMark = "\ufeff"

// A marker is a line of a text that looks like one of nginx's own. Whether it is one, only the includes tell.
type marker struct {
	path  string
	start int // of the line
	text  int // behind the line: where the file's text starts
}

// findMarkers returns the lines that look like markers, in order. All end as the first one does: in a dump that went
// through a terminal every line ends with CRLF; in any other a line with CRLF is the text of a file.
func findMarkers(text string) (markers []marker, eol string) {
	eol = "\n"
	for at := markerAt(text, 0); at >= 0; at = markerAt(text, at) {
		start := at
		line, next := text[at:], len(text)
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line, next = line[:n], at+n+1
		}
		at = next
		if len(markers) == 0 && strings.HasSuffix(line, ":\r") {
			eol = "\r\n"
		}
		if eol == "\r\n" && next == len(text) {
			line = strings.TrimSuffix(line, "\r") // the last line of all may have lost its newline
		} else if eol == "\r\n" {
			var found bool
			if line, found = strings.CutSuffix(line, "\r"); !found {
				continue
			}
		}
		path, found := strings.CutSuffix(line[len(markerHead):], ":")
		if found && path != "" {
			markers = append(markers, marker{path, start, next})
		}
	}
	return markers, eol
}

// markerAt returns the offset of the next line from at on, a line's start, that begins like a marker; -1 if none does.
func markerAt(text string, at int) int {
	if strings.HasPrefix(text[at:], markerHead) {
		return at
	}
	if at == 0 && strings.HasPrefix(text, byteOrderMark+markerHead) {
		return len(byteOrderMark)
	}
	i := strings.Index(text[max(at-1, 0):], "\n"+markerHead)
	if i < 0 {
		return -1
	}
	return max(at-1, 0) + i + 1
}

// ownLine matches what nginx itself writes to standard error: `nginx: the configuration file ... syntax is ok`,
// `nginx: [warn] ...`, and lines as of its error log.
var ownLine = regexp.MustCompile(`^(?:nginx: (?:the configuration file .* syntax is ok|configuration file .* test (?:is successful|failed)|\[[a-z]+\] .*)|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]+\] \d+#\d+: .*)\r?\n?$`)

// ownHead is a cheap test before ownLine.
func ownHead(line string) bool {
	return strings.HasPrefix(line, "nginx: ") || len(line) > 20 && line[4] == '/' && line[7] == '/'
}

func isOwnLine(line string) bool { return ownHead(line) && ownLine.MatchString(line) }

// body takes nginx's own lines from both ends of the text between two markers, and the one newline that nginx writes
// behind each file. It returns where the file's text starts and ends.
func body(text string, start, end int, eol string) (from, to int) {
	for start < end {
		n := strings.IndexByte(text[start:end], '\n') + 1
		if n == 0 || !isOwnLine(text[start:start+n]) {
			break
		}
		start += n
	}
	for start < end {
		n := strings.LastIndexByte(text[start:end-1], '\n') + 1
		if !isOwnLine(text[start+n : end]) {
			break
		}
		end = start + n
	}
	end = start + len(strings.TrimSuffix(text[start:end], eol))
	return start, end
}
