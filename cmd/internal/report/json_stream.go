package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const indent = "  "

// EncodeJSON writes a value as indented JSON, with "<", ">" and "&" as they are.
func EncodeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

// An objectWriter writes one indented JSON object whose long lists are never held as a whole: a report of tens of
// thousands of findings would else stand in memory several times.
type objectWriter struct {
	errWriter
	begun bool // a field was written
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
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{\n"), "\n}")
	o.comma()
	o.print(text)
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
		o.print("\n", margin, o.encode(element(i), margin))
	}
	if n > 0 {
		o.print("\n", strings.Repeat(indent, depth-1))
	}
}

// encode returns a value as indented JSON, its further lines behind a margin.
func (o *objectWriter) encode(v any, margin string) string {
	if o.err != nil {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(margin, indent)
	if err := e.Encode(v); err != nil {
		o.err = fmt.Errorf("encode: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
