package traffic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns what a JSON object holds, in the order written: header lines keep theirs. A name that stands twice is
// refused, since readers disagree about which one counts.
func members(data []byte) ([]member, error) {
	data = bytes.TrimSpace(data)
	if !json.Valid(data) {
		return nil, syntax(data)
	}
	if data[0] != '{' {
		return nil, fmt.Errorf("%s where an object is expected", describe(data))
	}
	ms := make([]member, 0, 8)
	var err error
	each(data, func(name, value []byte) {
		m := member{value: value}
		var wrong error
		if m.name, wrong = text(name); err == nil {
			err = wrong
		}
		ms = append(ms, m)
	})
	if err != nil {
		return nil, err
	}
	return ms, distinct(ms)
}

var errTwice = errors.New("the field stands twice")

// distinct refuses a name that stands twice.
func distinct(ms []member) error {
	const few = 16 // up to which comparing is cheaper than a map
	if len(ms) <= few {
		for i := range ms {
			for j := range i {
				if ms[i].name == ms[j].name {
					return under(ms[i].name, errTwice)
				}
			}
		}
		return nil
	}
	names := make(map[string]struct{}, len(ms))
	for _, m := range ms {
		if _, ok := names[m.name]; ok {
			return under(m.name, errTwice)
		}
		names[m.name] = struct{}{}
	}
	return nil
}

// cut parts the first value from what follows. The text has been found valid, so only its ends are looked for.
func cut(data []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return scalar(data)
			}
			continue
		}
		if depth == 0 {
			return data[:i+1], data[i+1:]
		}
	}
	return data, nil
}

// scalar parts a number, true, false or null from what follows.
func scalar(data []byte) (value, rest []byte) {
	i := 0
	for i < len(data) && !strings.ContainsRune(",]} \t\r\n", rune(data[i])) {
		i++
	}
	return data[:i], data[i:]
}

func space(data []byte) []byte { return bytes.TrimLeft(data, " \t\r\n") }

// elements returns what a JSON list holds.
func elements(value json.RawMessage) ([]json.RawMessage, error) {
	if value[0] != '[' {
		return nil, fmt.Errorf("%s where a list is expected", describe(value))
	}
	var list []json.RawMessage
	each(value, func(_, v []byte) { list = append(list, v) })
	return list, nil
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

func text(value json.RawMessage) (string, error) {
	if value[0] != '"' {
		return "", fmt.Errorf("%s where a string is expected", describe(value))
	}
	if inner := value[1 : len(value)-1]; plain(inner) {
		return string(inner), nil
	}
	var s string
	err := json.Unmarshal(value, &s)
	return s, err
}

// plain reports whether a string stands for itself, without escapes and in ASCII.
func plain(inner []byte) bool {
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

func texts(value json.RawMessage) ([]string, error) {
	return list(value, text)
}

// list reads every element of a list with a function.
func list[T any](value json.RawMessage, read func(json.RawMessage) (T, error)) ([]T, error) {
	elements, err := elements(value)
	if err != nil {
		return nil, err
	}
	if len(elements) == 0 {
		return nil, nil
	}
	all := make([]T, len(elements))
	for i, v := range elements {
		if all[i], err = read(v); err != nil {
			return nil, element(i, err)
		}
	}
	return all, nil
}

func boolean(value json.RawMessage) (bool, error) {
	switch string(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%s where true or false is expected", describe(value))
}

// whole reads a whole number between low and high. 5.0 and 1e3 are whole as well.
func whole(value json.RawMessage, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(string(value), 64)
		if ferr != nil || value[0] == '"' || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, fmt.Errorf("%s where a whole number is expected", describe(value))
		}
		n = int64(f)
	}
	if n < low || n > high {
		return 0, fmt.Errorf("%d is not between %d and %d", n, low, high)
	}
	return n, nil
}

// maxHeaders bounds the header lines of a request; browsers send about twenty.
const maxHeaders = 200

// headerLines reads an object of header names and values. A list of values stands for several lines of one name.
func headerLines(value json.RawMessage) ([]request.Header, error) {
	ms, err := members(value)
	if err != nil {
		return nil, err
	}
	if len(ms) > maxHeaders {
		return nil, fmt.Errorf("%d names are more than %d", len(ms), maxHeaders)
	}
	var lines []request.Header
	for _, m := range ms {
		if !token(m.name) {
			return nil, fmt.Errorf("%s is no name of a header", quoted(m.name))
		}
		values := []json.RawMessage{m.value}
		if m.value[0] == '[' {
			if values, err = elements(m.value); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			s, err := text(v)
			if err != nil {
				return nil, fmt.Errorf("header %s: %w", quoted(m.name), err)
			}
			if strings.ContainsAny(s, "\r\n\x00") {
				return nil, fmt.Errorf("header %s: its value holds a line break or a zero byte", quoted(m.name))
			}
			lines = append(lines, request.Header{Name: m.name, Value: s})
			if len(lines) > maxHeaders {
				return nil, fmt.Errorf("more than %d lines", maxHeaders)
			}
		}
	}
	return lines, nil
}

// Method reports whether a request line may begin with it: a token (RFC 9110) of at most 32 bytes.
func Method(s string) bool { return token(s) && len(s) <= 32 }

// token reports whether s may be a method or the name of a header (RFC 9110).
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// describe names a JSON value by its kind, without repeating what may be long or secret.
func describe(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return string(value[:min(len(value), 5)])
	case 'n':
		return "null"
	}
	return string(value[:min(len(value), 40)])
}

// quoted shows a name from a file, cut to a bearable length.
func quoted(name string) string {
	const longest = 60
	if len(name) > longest {
		return strconv.Quote(name[:longest]) + "..."
	}
	return strconv.Quote(name)
}
