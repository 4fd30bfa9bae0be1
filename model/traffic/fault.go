package traffic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A FileError is what is wrong with a file, and where.
type FileError struct {
	Line, Column int    // from 1; the column counts bytes
	Path         string // to the value, such as requests[3].kind; "" for the file as a whole
	Err          error
}

func (e *FileError) Error() string {
	at := fmt.Sprintf("%d:%d: ", e.Line, e.Column)
	if e.Path != "" {
		at += e.Path + ": "
	}
	return at + e.Err.Error()
}

func (e *FileError) Unwrap() error { return e.Err }

// A fault is an error in a value of a JSON text; the steps lead to the value from the outermost.
type fault struct {
	steps []step
	err   error
}

// A step goes to the member of an object by its name, or to the element of a list by its number.
type step struct {
	name  string
	index int // where name is ""
}

// under says that an error is about a member of a value that the caller knows.
func under(name string, err error) error { return inside(step{name: name}, err) }

// element says that an error is about an element of a list that the caller knows.
func element(index int, err error) error { return inside(step{index: index}, err) }

func inside(s step, err error) error {
	if err == nil {
		return nil
	}
	f, ok := errors.AsType[*fault](err)
	if !ok {
		return &fault{[]step{s}, err}
	}
	return &fault{append([]step{s}, f.steps...), f.err}
}

func (f *fault) Error() string { return pathOf(f.steps) + ": " + f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

func pathOf(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case !token(s.name) || strings.Contains(s.name, "."):
			b.WriteString("[" + quoted(s.name) + "]")
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// locate turns an error about a JSON text into one with its place.
func locate(data []byte, err error) error {
	if err == nil {
		return nil
	}
	at := 0
	out := &FileError{Err: err}
	if s, ok := errors.AsType[*syntaxError](err); ok {
		at = s.offset
	} else if f, ok := errors.AsType[*fault](err); ok {
		out.Path, out.Err = pathOf(f.steps), f.err
		at = offset(data, f.steps)
	}
	out.Line = 1 + bytes.Count(data[:at], []byte("\n"))
	out.Column = at - bytes.LastIndexByte(data[:at], '\n')
	return out
}

// offset walks to a value, as far as there is a way: what is missing is missed where it should be. A member is found by
// its name. Where a name stands twice the last is meant, since readers take the first and refuse the second.
func offset(data []byte, steps []step) int {
	value := space(data)
	at := len(data) - len(value)
	for _, s := range steps {
		found := false
		each(value, func(name, v []byte) {
			switch {
			case s.name != "" && name == nil, s.name == "" && name != nil:
			case s.name == "":
				if s.index == 0 {
					value, at, found = v, cap(data)-cap(v), true
				}
				s.index--
			default:
				if text, err := text(name); err == nil && text == s.name {
					value, at, found = v, cap(data)-cap(name), true
				}
			}
		})
		if !found {
			break
		}
	}
	return at
}

// each calls do for the members of an object, or for the elements of a list with a nil name. The text has been found
// valid. All parts share its memory, and the distance of their ends of it is their place.
func each(value []byte, do func(name, value []byte)) {
	if value[0] != '{' && value[0] != '[' {
		return
	}
	object := value[0] == '{'
	for rest := space(value[1:]); rest[0] != '}' && rest[0] != ']'; {
		var name []byte
		if object {
			name, rest = cut(rest)
			rest = space(space(rest)[1:]) // behind the colon
		}
		v, after := cut(rest)
		do(name, v)
		if rest = space(after); rest[0] == ',' {
			rest = space(rest[1:])
		}
	}
}

// A syntaxError says why a text is no JSON, and where.
type syntaxError struct {
	offset int
	text   string
}

func (e *syntaxError) Error() string { return "not valid JSON: " + e.text }

// syntax words what is wrong with a text that is no JSON.
func syntax(data []byte) error {
	var into json.RawMessage
	s, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(data, &into))
	switch {
	case !ok || s.Error() == "unexpected end of JSON input":
		return &syntaxError{len(data), "it ends too early"}
	default:
		return &syntaxError{max(int(s.Offset)-1, 0), s.Error()}
	}
}
