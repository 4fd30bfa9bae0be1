package alerts

import (
	"strings"
	"unicode"
)

// The variables of a log that are watched.
const (
	limitReqStatus = "limit_req_status"
	requestTime    = "request_time"
	upstreamTime   = "upstream_response_time"
)

// A piece of a log format is a variable, or text between variables.
type piece struct{ text, variable string }

// split cuts a log format into its pieces, as nginx reads $name and ${name} there.
func split(format string) []piece {
	var out []piece
	text := ""
	for format != "" {
		name, rest := variable(format)
		if name == "" {
			text += format[:1]
			format = format[1:]
			continue
		}
		if text != "" {
			out = append(out, piece{text: text})
			text = ""
		}
		out = append(out, piece{variable: name})
		format = rest
	}
	if text != "" {
		out = append(out, piece{text: text})
	}
	return out
}

// variable reads a variable at the start; the name is empty where none stands there.
func variable(s string) (name, rest string) {
	inner, ok := strings.CutPrefix(s, "$")
	if !ok {
		return "", s
	}
	inner, braced := strings.CutPrefix(inner, "{")
	n := 0
	for n < len(inner) && (inner[n] == '_' || inner[n] < 0x80 && (unicode.IsLetter(rune(inner[n])) || unicode.IsDigit(rune(inner[n])))) {
		n++
	}
	name, rest = strings.ToLower(inner[:n]), inner[n:]
	if braced {
		if rest, ok = strings.CutPrefix(rest, "}"); !ok {
			return "", s
		}
	}
	return name, rest
}

// cut returns the pieces up to the last of the named variables, and the text behind it.
func cut(pieces []piece, names ...string) []piece {
	last := -1
	for i, p := range pieces {
		for _, name := range names {
			if p.variable == name {
				last = i
			}
		}
	}
	if last >= 0 && last+1 < len(pieces) {
		last++
	}
	return pieces[:last+1]
}

// comment makes a text stand in a comment: on one line, and without what steers a terminal.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
