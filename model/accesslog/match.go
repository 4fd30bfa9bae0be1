package accesslog

import "strings"

// tries bounds how many ends of values are tried within one line, so that no line takes long.
const tries = 200

// match reads one line of the format. Where the text behind a variable also stands in its value, the first end with
// which the rest of the line fits is taken. ends receives for each part where its value begins and ends. It reports
// false for a line that does not fit.
func (p *template) match(s string, ends []int32) bool {
	if !strings.HasPrefix(s, p.lead) {
		return false
	}
	if p.straight(s, ends) {
		return true
	}
	left := tries
	return p.search(0, s, len(p.lead), ends, &left)
}

// straight takes the first end of each value, which is right for nearly all lines.
func (p *template) straight(s string, ends []int32) bool {
	at := len(p.lead)
	for n := range p.parts {
		q := &p.parts[n]
		end := p.end(n, s, at, at)
		if end < 0 {
			return false
		}
		ends[2*n], ends[2*n+1] = int32(at), int32(end)
		at = end + len(q.literal)
	}
	return at == len(s)
}

// search tries the ends of values one after another.
func (p *template) search(n int, s string, at int, ends []int32, left *int) bool {
	if n == len(p.parts) {
		return at == len(s)
	}
	q := &p.parts[n]
	for end := p.end(n, s, at, at); end >= 0; end = p.end(n, s, at, end+1) {
		if *left--; *left < 0 {
			return false
		}
		ends[2*n], ends[2*n+1] = int32(at), int32(end)
		if p.search(n+1, s, end+len(q.literal), ends, left) {
			return true
		}
		if q.literal == "" {
			return false // it ends where it ends
		}
	}
	return false
}

// end finds the first end, from a place on, of a value that begins at another; -1 where there is none. A value without
// blanks ends before one, and what was escaped holds no quote.
func (p *template) end(n int, s string, begin, from int) int {
	q := &p.parts[n]
	switch {
	case q.literal == "" && n == len(p.parts)-1:
		return len(s)
	case q.literal == "":
		return begin + valueLength(s[begin:], q.shape)
	}
	for from <= len(s) {
		i := strings.Index(s[from:], q.literal)
		if i < 0 {
			return -1
		}
		end := from + i
		switch value := s[begin:end]; {
		case q.shape == word && strings.IndexByte(value, ' ') >= 0, p.escaped && quoteIn(value):
			return -1
		case q.shape != listed || !goesOn(s, begin, end):
			return end
		}
		from = end + 1
	}
	return -1
}

// quoteIn says whether a value holds a quote that is not escaped; other servers than nginx write a backslash before it.
func quoteIn(value string) bool {
	for from := 0; ; {
		i := strings.IndexByte(value[from:], '"')
		if i < 0 {
			return false
		}
		if at := from + i; at == 0 || value[at-1] != '\\' {
			return true
		}
		from += i + 1
	}
}

// goesOn says whether a list goes on behind a place: a comma or a colon stands before it, or behind the blank there.
func goesOn(s string, begin, end int) bool {
	if end > begin && (s[end-1] == ',' || s[end-1] == ':') {
		return true
	}
	return end+1 < len(s) && s[end] == ' ' && (s[end+1] == ':' || s[end+1] == ',')
}

// valueLength is how much of a text is a value, where another one follows at once.
func valueLength(s string, of shape) int {
	for i := range len(s) {
		c := s[i]
		numeric := '0' <= c && c <= '9' || c == '.' || c == '-'
		if c == ' ' || of != text && !numeric {
			return i
		}
	}
	return len(s)
}
