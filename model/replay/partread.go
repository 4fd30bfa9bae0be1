package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// The bounds of a part that is read. Written, each object takes more than leastObject bytes, so that what is held in memory is
// no more than a few times the text.
const (
	mostPart    = 32 << 20
	leastObject = 60
	mostNumber  = 1 << 45 // of requests, lines, or milliseconds: a thousand years
)

// ReadPart reads what Write wrote. Errors begin with the name of the file and, where it is the text that is wrong, the offset
// within it.
func ReadPart(r io.Reader, name string) (*Part, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostPart+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(text) > mostPart:
		return nil, fmt.Errorf("%s:%d: larger than %d MB, which no part is", name, mostPart, mostPart>>20)
	}
	if at := tooMany(text); at >= 0 {
		return nil, fmt.Errorf("%s:%d: more objects than a part of that size holds", name, at)
	}
	if err := known(text); err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	p := &Part{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // the numbers of evidence are handed on as they are
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, offsetOf(err, text), unwrapped(err))
	}
	if rest := bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, fmt.Errorf("%s:%d: something stands behind the part", name, len(text)-len(rest))
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// tooMany counts the objects of a JSON text, and returns the offset of the first one too many; -1 for none.
func tooMany(text []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			if n++; n > len(text)/leastObject+8 {
				return i
			}
		}
	}
	return -1
}

// known looks at what the file calls itself before anything else is read.
func known(text []byte) error {
	var id struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&id); {
	case err != nil:
		return fmt.Errorf(":%d: it is no part that replay --partial wrote: %w", offsetOf(err, text), unwrapped(err))
	case id.Format != PartFormat:
		return errors.New(": it is no part that replay --partial wrote")
	case id.Version != PartVersion:
		return fmt.Errorf(": its form is version %d, and this ngxlimit reads version %d: write the parts with the same ngxlimit", id.Version, PartVersion)
	}
	return nil
}

// offsetOf is where in the text an error is.
func offsetOf(err error, text []byte) int64 {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return syntax.Offset
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return kind.Offset
	}
	if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return int64(max(bytes.Index(text, []byte(name)), 0))
	}
	return int64(len(text)) // it ends early, or it is something that has no place of its own
}

// unwrapped words an error of the JSON reader.
func unwrapped(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it ends early")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// check looks for what no replay writes, so that parts can be summed up and shown without further thought.
func (p *Part) check() error {
	if err := walk(reflect.ValueOf(p).Elem(), "", func(path string, n int64) error {
		if n > mostNumber || n < -mostNumber {
			return fmt.Errorf("%s is %d, out of any range", path, n)
		}
		return nil
	}, nil); err != nil {
		return err
	}
	if p.Outside < 0 {
		return fmt.Errorf("outside is %d", p.Outside)
	}
	for i := range p.Logs {
		if err := p.Logs[i].check(); err != nil {
			return fmt.Errorf("logs[%d]: %w", i, err)
		}
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		if i > 0 && h.Nginx <= p.Hosts[i-1].Nginx {
			return fmt.Errorf("hosts[%d]: not in the order of names, or twice: %q", i, h.Nginx)
		}
		if err := h.check(); err != nil {
			return fmt.Errorf("hosts[%d]: %w", i, err)
		}
	}
	return nil
}

func (l *LogPart) check() error {
	if l.Lines < 0 || l.Used < 0 || l.Used > l.Lines || l.BrokenAt < 0 {
		return fmt.Errorf("%d lines, %d used, broken at %d", l.Lines, l.Used, l.BrokenAt)
	}
	for i, f := range l.Faults {
		known := slices.ContainsFunc(accesslog.Kinds(), func(k accesslog.Fault) bool { return k.Name() == f.Kind })
		if !known || f.Lines < 1 || f.First < 1 {
			return fmt.Errorf("faults[%d]: %q, %d lines, first %d", i, f.Kind, f.Lines, f.First)
		}
	}
	return nil
}

func (h *Host) check() error {
	a := &h.Agreement
	switch {
	case h.Requests < 0:
		return fmt.Errorf("%d requests", h.Requests)
	case a.Logged < 0 || a.Same < 0 || a.Shifted < 0 || a.Same > a.Logged || a.Shifted > a.Same:
		return fmt.Errorf("agreement: %d logged, %d same, %d shifted", a.Logged, a.Same, a.Shifted)
	case len(h.Keys) > shownKeys || len(h.URIs) > shownURIs || len(h.Pages) > shownPages:
		return fmt.Errorf("%d keys, %d uris, %d pages: more than a part holds", len(h.Keys), len(h.URIs), len(h.Pages))
	}
	if !h.Series.valid() {
		return errors.New("series: not as one is made")
	}
	for i, k := range a.Kinds {
		if _, ok := kindTexts[k.Kind]; !ok || k.N < 1 || i > 0 && k.Kind <= a.Kinds[i-1].Kind {
			return fmt.Errorf("agreement: kinds[%d]: %q of %d", i, k.Kind, k.N)
		}
	}
	for i := range h.Windows {
		if !slices.Contains(widths[:], h.Windows[i].WidthMs) {
			return fmt.Errorf("windows[%d]: a width of %d ms", i, h.Windows[i].WidthMs)
		}
	}
	return nil
}

// spell replaces bytes that are no UTF-8 by their numbers in all texts: JSON cannot hold them, and what is told must not
// depend on whether a part has been a file.
func (p *Part) spell() {
	_ = walk(reflect.ValueOf(p).Elem(), "", nil, func(s string) string {
		if utf8.ValidString(s) {
			return s
		}
		var b strings.Builder
		for len(s) > 0 {
			r, size := utf8.DecodeRuneInString(s)
			if r == utf8.RuneError && size == 1 {
				fmt.Fprintf(&b, `\x%02x`, s[0])
			} else {
				b.WriteString(s[:size])
			}
			s = s[size:]
		}
		return b.String()
	})
}

// walk goes through all numbers and texts of a value. A nil function looks at nothing.
func walk(v reflect.Value, path string, number func(path string, n int64) error, text func(string) string) error {
	switch v.Kind() { //nolint:exhaustive // of the others a part has none
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				if err := walk(v.Field(i), path+"."+f.Name, number, text); err != nil {
					return err
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := walk(v.Index(i), path+"["+strconv.Itoa(i)+"]", number, text); err != nil {
				return err
			}
		}
	case reflect.Map: // of evidence
		for _, k := range v.MapKeys() {
			if e := v.MapIndex(k).Elem(); e.Kind() == reflect.String && text != nil {
				v.SetMapIndex(k, reflect.ValueOf(text(e.String())))
			}
		}
	case reflect.Int, reflect.Int64, reflect.Int32:
		if number != nil {
			return number(strings.TrimPrefix(path, "."), v.Int())
		}
	case reflect.String:
		if text != nil && v.CanSet() {
			v.SetString(text(v.String()))
		}
	}
	return nil
}
