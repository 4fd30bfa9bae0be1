// Package hostname knows nginx's table of host names: exact names, names with one leading or one trailing wildcard, and
// which of them wins for a given name. Server names and maps with "hostnames" share it. Regular expressions are no part
// of it.
package hostname

import (
	"errors"
	"strings"
)

// ErrInvalid says that a name is no host name and no wildcard that nginx takes.
var ErrInvalid = errors.New("invalid hostname or wildcard")

// ErrConflict says that a name is in the table already.
var ErrConflict = errors.New("conflicting name")

// A Table finds the value of a host name. The zero Table is empty. It may be read by many at once after the last Add.
type Table[T any] struct {
	exact   exact[T]
	taken   map[string]bool // exact names that ".name" occupies without answering in exact
	head    map[string]wildcard[T]
	tail    map[string]T
	longest int // of the keys of head and tail; bounds the work of a lookup
}

type wildcard[T any] struct {
	value T
	bare  bool // ".example.com": the bare name matches as well
}

// AddExact adds a name that is compared as a whole, letters without case. Wildcards in it have no meaning.
func (t *Table[T]) AddExact(name string, v T) error {
	name = Lower(name)
	if t.taken[name] || !t.exact.add(name, v) {
		return ErrConflict
	}
	return nil
}

// Add adds a name that may be "*.example.com", ".example.com" (both the bare name and every name below it) or
// "www.example.*". The error is ErrInvalid or ErrConflict.
func (t *Table[T]) Add(name string, v T) error {
	stars := strings.Count(name, "*")
	if stars > 1 || strings.Contains(name, "..") || strings.IndexByte(name, 0) >= 0 {
		return ErrInvalid
	}
	name = Lower(name)
	switch {
	case len(name) > 1 && name[0] == '.':
		return t.addBare(name[1:], v)
	case len(name) > 2 && strings.HasPrefix(name, "*."):
		return t.addHead(name[2:], wildcard[T]{value: v})
	case len(name) > 2 && strings.HasSuffix(name, ".*"):
		return t.addTail(name[:len(name)-2], v)
	case stars > 0:
		return ErrInvalid
	}
	return t.AddExact(name, v)
}

func (t *Table[T]) addBare(suffix string, v T) error {
	if _, dup := t.exact.find(suffix); dup || t.taken[suffix] {
		return ErrConflict
	}
	if t.taken == nil {
		t.taken = map[string]bool{}
	}
	t.taken[suffix] = true // even where the wildcard is in conflict, as in nginx
	return t.addHead(suffix, wildcard[T]{value: v, bare: true})
}

func (t *Table[T]) addHead(suffix string, w wildcard[T]) error {
	if _, dup := t.head[suffix]; dup {
		return ErrConflict
	}
	if t.head == nil {
		t.head = map[string]wildcard[T]{}
	}
	t.head[suffix] = w
	t.longest = max(t.longest, len(suffix))
	return nil
}

func (t *Table[T]) addTail(prefix string, v T) error {
	if _, dup := t.tail[prefix]; dup {
		return ErrConflict
	}
	if t.tail == nil {
		t.tail = map[string]T{}
	}
	t.tail[prefix] = v
	t.longest = max(t.longest, len(prefix))
	return nil
}

// Find returns the value of a name in lower case: of the exact name, else of the longest leading wildcard, else of the
// longest trailing one.
func (t *Table[T]) Find(name string) (v T, ok bool) {
	if v, ok = t.exact.find(name); ok || name == "" {
		return v, ok
	}
	if v, ok = t.findHead(name); ok {
		return v, true
	}
	return t.findTail(name)
}

func (t *Table[T]) findHead(name string) (v T, ok bool) {
	if len(t.head) == 0 {
		return v, false
	}
	if w, found := t.head[name]; found && w.bare {
		return w.value, true
	}
	from := max(0, len(name)-t.longest-1)
	for i := from; i < len(name); i++ {
		if name[i] != '.' {
			continue
		}
		if w, found := t.head[name[i+1:]]; found {
			return w.value, true
		}
	}
	return v, false
}

func (t *Table[T]) findTail(name string) (v T, ok bool) {
	if len(t.tail) == 0 {
		return v, false
	}
	for i := min(len(name)-1, t.longest); i >= 0; i-- {
		if name[i] != '.' {
			continue
		}
		if v, ok = t.tail[name[:i]]; ok {
			return v, true
		}
	}
	return v, false
}

// Lower returns s with the letters A to Z in lower case, and every other byte as it is: nginx's only case folding.
func Lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			return lower(s, i)
		}
	}
	return s
}

func lower(s string, from int) string {
	b := []byte(s)
	for i := from; i < len(b); i++ {
		if c := b[i]; 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
