package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// ReadPart reads what Write wrote. Errors begin with the name of the file; behind it stands the offset where it is the text that
// is wrong, and the path of the field where it is what that says.
func ReadPart(r io.Reader, name string) (*Part, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostPart+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(text) > mostPart:
		return nil, fmt.Errorf("%s:%d: larger than %d MB, which no part is", name, mostPart, mostPart>>20)
	}
	if err := known(text); err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	if at, err := new(bound).look(text); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, at, err)
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

// known looks at what the file calls itself before anything else is read.
func known(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	var id [4]json.Token // behind the brace
	for i := range len(id) + 1 {
		token, err := dec.Token()
		switch {
		case err != nil:
			return fmt.Errorf(":%d: it is no part that replay --partial wrote: %w", offsetOf(err, text), unwrapped(err))
		case i == 0 && token != json.Delim('{'), i == 2 && token != PartFormat:
			return errors.New(": it is no part that replay --partial wrote")
		case i > 0:
			id[i-1] = token
		}
	}
	if id[0] != "format" || id[2] != "version" {
		return errors.New(": it is no part that replay --partial wrote: its format and version do not stand first")
	}
	if version, ok := id[3].(float64); !ok || version != PartVersion {
		return fmt.Errorf(": its form is version %v, and this ngxlimit reads version %d: write the parts with the same ngxlimit", id[3], PartVersion)
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

// spell replaces bytes that are no UTF-8 by their numbers in all texts: JSON cannot hold them, and what is told must not
// depend on whether a part has been a file.
func (p *Part) spell() {
	_ = walk(reflect.ValueOf(p).Elem(), "", onWalk{text: func(s string) string {
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
	}})
}

// An onWalk is told of what a value is made of. What is nil is told nothing.
type onWalk struct {
	number    func(path string, n int64) error
	quantiles func(path string, q simulate.Quantiles) error
	text      func(string) string // returns what stands there from now on
}

// walk goes through all numbers and texts of a value. Paths are those of its JSON form.
func walk(v reflect.Value, path string, to onWalk) error {
	switch v.Kind() { //nolint:exhaustive // of the others a part has none
	case reflect.Struct:
		return walkStruct(v, path, to)
	case reflect.Slice:
		for i := range v.Len() {
			if err := walk(v.Index(i), path+"["+strconv.Itoa(i)+"]", to); err != nil {
				return err
			}
		}
	case reflect.Map: // of evidence
		for _, k := range v.MapKeys() {
			if e := v.MapIndex(k).Elem(); e.Kind() == reflect.String && e.Type() == reflect.TypeFor[string]() && to.text != nil {
				v.SetMapIndex(k, reflect.ValueOf(to.text(e.String())))
			}
		}
	case reflect.Int, reflect.Int64, reflect.Int32:
		if to.number != nil {
			return to.number(path, v.Int())
		}
	case reflect.String:
		if to.text != nil && v.CanSet() {
			v.SetString(to.text(v.String()))
		}
	}
	return nil
}

func walkStruct(v reflect.Value, path string, to onWalk) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		at := path
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			at = strings.TrimPrefix(path+"."+name, ".")
		}
		if err := walk(v.Field(i), at, to); err != nil {
			return err
		}
	}
	if q, is := reflect.TypeAssert[simulate.Quantiles](v); is && to.quantiles != nil {
		return to.quantiles(path, q)
	}
	return nil
}
