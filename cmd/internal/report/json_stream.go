package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const indent = "  "

// EncodeJSON writes a value as indented JSON, with "<", ">" and "&" as they are, and what steers a terminal or the
// direction of text as an escape.
func EncodeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible(b.Bytes()))
	return err
}

// An objectWriter writes one indented JSON object whose long lists are never held as a whole: a report of tens of
// thousands of findings would else stand in memory several times. Its buffer and its encoder serve for all of them.
type objectWriter struct {
	errWriter
	begun   bool // a field was written
	encoded bytes.Buffer
	encoder *json.Encoder
}

func (o *objectWriter) open()  { o.print("{\n") }
func (o *objectWriter) close() { o.print("\n}\n") }

func (o *objectWriter) comma() {
	if o.begun {
		o.print(",\n")
	}
	o.begun = true
}

// fields writes the fields of a struct as fields of the object.
func (o *objectWriter) fields(v any) {
	text := o.encode(v, "")
	text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{\n")), []byte("\n}"))
	o.comma()
	o.write(text)
}

// list writes a field that holds n elements.
func (o *objectWriter) list(name string, n int, element func(i int) any) {
	o.comma()
	o.print(indent, `"`, name, `": [`)
	o.elements(n, 2, element)
	o.print("]")
}

// elements writes what stands between the brackets of a list, its elements indented depth times.
func (o *objectWriter) elements(n, depth int, element func(i int) any) {
	margin := strings.Repeat(indent, depth)
	for i := range n {
		if i > 0 {
			o.print(",")
		}
		text := o.encode(element(i), margin)
		o.print("\n", margin)
		o.write(text)
	}
	if n > 0 {
		o.print("\n", strings.Repeat(indent, depth-1))
	}
}

// encode returns a value as indented JSON, its further lines behind a margin. The bytes are good until the next call.
func (o *objectWriter) encode(v any, margin string) []byte {
	if o.err != nil {
		return nil
	}
	if o.encoder == nil {
		o.encoder = json.NewEncoder(&o.encoded)
		o.encoder.SetEscapeHTML(false)
	}
	o.encoded.Reset()
	o.encoder.SetIndent(margin, indent)
	o.fail(o.encoder.Encode(v))
	return visible(bytes.TrimSuffix(o.encoded.Bytes(), []byte("\n")))
}

// fail remembers what an encoder could not write.
func (o *objectWriter) fail(err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("encode: %w", err)
	}
}

func (o *objectWriter) write(text []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(text)
	}
}
