package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// An Error is a file that cannot be read, at the place where that shows.
type Error struct {
	Span source.Span
	Text string
}

func (e *Error) Error() string {
	at := e.Span.From()
	return fmt.Sprintf("line %d, column %d: %s", at.Line, at.Column, e.Text)
}

// JSON reads a file as one JSON value. Errors are *Error.
func JSON(f *source.File) (*Value, error) {
	if len(f.Text) > Largest {
		return nil, &Error{source.Span{File: f}, fmt.Sprintf("the file is larger than %d MiB", Largest>>20)}
	}
	if strings.TrimSpace(f.Text) == "" {
		return nil, &Error{source.Span{File: f}, "the file is empty"}
	}
	d := json.NewDecoder(strings.NewReader(f.Text))
	d.UseNumber()
	r := &jsonReader{file: f, d: d}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if rest := r.skip(); rest < len(f.Text) {
		return nil, r.fail(rest, len(f.Text), "something follows the end of the value")
	}
	return v, nil
}

type jsonReader struct {
	file   *source.File
	d      *json.Decoder
	values int
}

// skip returns where the next token begins.
func (r *jsonReader) skip() int {
	at := int(r.d.InputOffset())
	for at < len(r.file.Text) && strings.IndexByte(" \t\r\n,:", r.file.Text[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonReader) span(from, to int) source.Span {
	return source.Span{File: r.file, Start: uint32(from), End: uint32(to)}
}

func (r *jsonReader) fail(from, to int, format string, args ...any) error {
	return &Error{r.span(from, min(to, len(r.file.Text))), fmt.Sprintf(format, args...)}
}

func (r *jsonReader) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		n := len(r.file.Text)
		return r.fail(n, n, "the file ends in the middle of a value: it may have been cut off")
	}
	at := int(r.d.InputOffset())
	text := err.Error()
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at, text = max(int(e.Offset)-1, 0), e.Error()
		if at >= len(r.file.Text)-1 && strings.Contains(text, "unexpected end") {
			return r.broken(io.EOF)
		}
	}
	return r.fail(at, at+1, "it is not JSON: %s", strings.TrimPrefix(text, "json: "))
}

func (r *jsonReader) value(depth int) (*Value, error) {
	from := r.skip()
	t, err := r.d.Token()
	if err != nil {
		return nil, r.broken(err)
	}
	if r.values++; r.values > mostRows {
		return nil, r.fail(from, from+1, "the file has more than %d values", mostRows)
	}
	v := &Value{Span: r.span(from, int(r.d.InputOffset()))}
	switch t := t.(type) {
	case json.Delim:
		if depth == deepest {
			return nil, r.fail(from, from+1, "values are nested more than %d deep", deepest)
		}
		if t == '[' {
			err = r.list(v, depth)
		} else {
			err = r.object(v, depth)
		}
		v.Span.End = uint32(r.d.InputOffset())
		return v, err
	case string:
		v.Kind, v.Text = String, t
		v.pieces = []piece{{0, v.Span.Start + 1, v.Span.End - 1, quoted}}
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case bool:
		v.Kind, v.Bool = Bool, t
	}
	return v, nil
}

func (r *jsonReader) list(v *Value, depth int) error {
	v.Kind = List
	for r.d.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	return r.end()
}

func (r *jsonReader) object(v *Value, depth int) error {
	v.Kind = Object
	for r.d.More() {
		from := r.skip()
		name, err := r.d.Token()
		if err != nil {
			return r.broken(err)
		}
		f := Field{Span: r.span(from, int(r.d.InputOffset()))}
		f.Name, _ = name.(string)
		if f.Value, err = r.value(depth + 1); err != nil {
			return err
		}
		v.Fields = append(v.Fields, f)
	}
	return r.end()
}

func (r *jsonReader) end() error {
	if _, err := r.d.Token(); err != nil {
		return r.broken(err)
	}
	return nil
}
