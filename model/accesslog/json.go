package accesslog

import "strings"

// maxNesting bounds objects and lists within a line; what is deeper is of no known format.
const maxNesting = 100

// jsonLine reads a line that is one JSON object. Fields that mean nothing are passed over, values within values too. It
// is written for lines and not for JSON: a value of a wrong kind is taken by its text, and a missing comma is forgiven.
type jsonLine struct {
	table *nameTable
	order []guess // names in the order of the last line, with their fields: most lines have the same

	moulds  []mould // of the last lines
	learned int
}

type guess struct {
	name  string
	field field
}

// maxNames bounds how many names of a line are remembered.
const maxNames = 200

// decode reads a line of a length, with which a text begins: what follows it is passed over, but may be looked at.
func (j *jsonLine) decode(text string, length int, l *line) Fault {
	if j.known(text, length, l) {
		return l.end()
	}
	s := text[:length]
	f := j.walk(s, l)
	if !f.Skips() {
		j.learn(s)
	}
	return f
}

// walk reads a line of any shape.
func (j *jsonLine) walk(s string, l *line) Fault {
	if s == "" || s[0] != '{' {
		return Foreign
	}
	headers := len(j.table.headers)
	i := 1
	for n := 0; ; n++ {
		i = blank(s, i)
		switch {
		case i >= len(s):
			return Cut
		case s[i] == '}':
			if blank(s, i+1) < len(s) {
				return Foreign
			}
			return l.end()
		case s[i] == ',':
			i++
			n--
			continue
		case s[i] != '"':
			return Foreign
		}
		f, after := j.name(s, i, n)
		if after < 0 {
			return Cut
		}
		i = blank(s, after)
		switch {
		case i >= len(s):
			return Cut
		case s[i] != ':':
			return Foreign
		}
		from, to, next, escaped := value(s, blank(s, i+1))
		if next < 0 {
			return Cut
		}
		if next == 0 {
			return Foreign
		}
		if f != skipped && from <= to {
			v := s[from:to]
			if escaped {
				v = unescapeJSON(v)
			}
			l.set(f, v, headers)
		}
		i = next
	}
}

// name reads the name that begins with a quote at i, and looks up its field. It returns where it ends; -1 where the line
// ends first.
func (j *jsonLine) name(s string, i, n int) (field, int) {
	i++
	if n < len(j.order) {
		if g := &j.order[n]; len(s) > i+len(g.name) && s[i+len(g.name)] == '"' && s[i:i+len(g.name)] == g.name {
			return g.field, i + len(g.name) + 1
		}
	}
	end, escaped := stringEnd(s, i)
	if end < 0 {
		return skipped, -1
	}
	name := s[i:end]
	if escaped {
		name = unescapeJSON(name)
	}
	f := j.table.of(name)
	if n < maxNames && len(name) <= 200 && !escaped {
		for len(j.order) <= n {
			j.order = append(j.order, guess{})
		}
		j.order[n] = guess{strings.Clone(name), f}
	}
	return f, end + 1
}

func blank(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd finds the quote that ends a string whose text begins at i; -1 where there is none.
func stringEnd(s string, i int) (end int, escaped bool) {
	quote := strings.IndexByte(s[i:], '"')
	if quote < 0 {
		return -1, false
	}
	end = i + quote
	if strings.IndexByte(s[i:end], '\\') < 0 {
		return end, false
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i, true
		}
	}
	return -1, true
}

// value finds the value that begins at i. A string's text and the text of a number lie from from to to; for null and for
// objects and lists from is behind to. next is where it goes on: -1 where the line ends first, 0 where it is no JSON.
func value(s string, i int) (from, to, next int, escaped bool) {
	if i >= len(s) {
		return 0, 0, -1, false
	}
	switch s[i] {
	case '"':
		end, escaped := stringEnd(s, i+1)
		if end < 0 {
			return 0, 0, -1, false
		}
		return i + 1, end, end + 1, escaped
	case '{', '[':
		return 1, 0, skipNested(s, i), false
	}
	end := i
	for end < len(s) && s[end] != ',' && s[end] != '}' && s[end] != ' ' && s[end] != '\t' && s[end] != '\r' {
		if c := s[end]; c == '"' || c == '{' || c == '[' || c == ']' || c == ':' {
			return 0, 0, 0, false
		}
		end++
	}
	switch {
	case end == len(s):
		return 0, 0, -1, false
	case s[i:end] == "null":
		return 1, 0, end, false
	}
	return i, end, end, false
}

// skipNested passes over an object or a list, and returns where it goes on, as value does.
func skipNested(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			end, _ := stringEnd(s, i+1)
			if end < 0 {
				return -1
			}
			i = end
		case '{', '[':
			if depth++; depth > maxNesting {
				return 0
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
