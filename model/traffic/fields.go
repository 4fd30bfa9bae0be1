package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
)

// A field is one that an object may have, and how its value is taken; nil: it is passed over.
type field[T any] struct {
	name string
	read func(into *T, value json.RawMessage) error
}

// readObject reads an object whose fields are known. Null is the same as leaving a field out. A field that is not known
// is refused, as a misspelt one would change the meaning in silence.
func readObject[T any](value json.RawMessage, fields []field[T], into *T) error {
	ms, err := members(value)
	if err != nil {
		return err
	}
	for _, m := range ms {
		f := find(fields, m.name)
		if f == nil {
			return under(m.name, unknown(m.name, names(fields)))
		}
		if f.read == nil || isNull(m.value) {
			continue
		}
		if err := f.read(into, m.value); err != nil {
			return under(m.name, err)
		}
	}
	return nil
}

func find[T any](fields []field[T], name string) *field[T] {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// otherFiles are fields of other files that are mistaken for fans.
var otherFiles = []string{"log", "fans"}

// names are those that say something.
func names[T any](fields []field[T]) []string {
	list := make([]string, 0, len(fields))
	for _, f := range fields {
		if f.read != nil && !slices.Contains(otherFiles, f.name) {
			list = append(list, f.name)
		}
	}
	return list
}

// unknown is the error for a field that means nothing here.
func unknown(name string, allowed []string) error { return misspelt("unknown field", name, allowed) }

// misspelt refuses a word that is none of those allowed, and names the one that was probably meant.
func misspelt(what, word string, allowed []string) error {
	if near := spelling.Nearest(word, allowed); near != "" {
		return fmt.Errorf("%s %s: did you mean %s?", what, quoted(word), quoted(near))
	}
	if len(allowed) == 0 {
		return fmt.Errorf("%s %s; there is none", what, quoted(word))
	}
	return fmt.Errorf("%s %s; allowed are %s", what, quoted(word), strings.Join(allowed, ", "))
}

// set takes a value that a function reads into a place.
func set[T, V any](place func(*T) *V, read func(json.RawMessage) (V, error)) func(*T, json.RawMessage) error {
	return func(into *T, value json.RawMessage) (err error) {
		*place(into), err = read(value)
		return err
	}
}

// oneOf reads one of a few words; the first is the one that is meant where none is given, and is read as "".
func oneOf[S ~string](words ...string) func(json.RawMessage) (S, error) {
	return func(value json.RawMessage) (S, error) {
		word, err := text(value)
		if err != nil {
			return "", err
		}
		for i, w := range words {
			switch {
			case w == word && i == 0:
				return "", nil
			case w == word:
				return S(word), nil
			}
		}
		return "", misspelt("unknown word", word, words)
	}
}

func between[N int | int64](low, high N) func(json.RawMessage) (N, error) {
	return func(value json.RawMessage) (N, error) {
		n, err := whole(value, int64(low), int64(high))
		return N(n), err
	}
}

// flag reads true or false.
func flag(value json.RawMessage) (bool, error) {
	switch string(value) {
	case "true", "false":
		return string(value) == "true", nil
	}
	return false, errors.New("it is neither true nor false")
}
