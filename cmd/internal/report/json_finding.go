package report

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// findings writes the list of findings in the bytes that encoding/json would make of a struct. There may be tens of thousands, and
// each is appended to one buffer: reflection, sorted copies of maps and a second pass for the indentation took longer than
// most rules.
func (o *objectWriter) findings(found []rule.Finding) {
	o.comma()
	o.print(indent, `"findings": `)
	j := jsonText{depth: 1}
	j.open('[')
	for i := range found {
		j.item()
		j.finding(&found[i])
		o.write(j.text)
		j.text = j.text[:0]
	}
	j.close(']')
	o.write(j.text)
	o.fail(j.err)
}

// findingJSON lets a finding be a part of what encoding/json writes; the file is named as given.
type findingJSON struct {
	*rule.Finding
	file string
}

// MarshalJSON implements json.Marshaler.
func (f findingJSON) MarshalJSON() ([]byte, error) {
	var j jsonText
	j.findingIn(f.Finding, f.file)
	return j.text, j.err
}

func (j *jsonText) finding(f *rule.Finding) { j.findingIn(f, f.Primary.File.Path) }

func (j *jsonText) findingIn(f *rule.Finding, file string) {
	from, to := f.Primary.From(), f.Primary.To()
	j.open('{')
	j.string("rule", f.Rule.Name)
	j.string("severity", string(f.Severity))
	j.string("confidence", string(f.Confidence))
	j.string("message", f.Message)
	j.string("file", file)
	j.number("line", from.Line)
	j.number("column", from.Column)
	j.number("end_line", to.Line)
	j.number("end_column", to.Column)
	j.name("context")
	j.strings(f.Within())
	j.number("places", f.Places)
	if len(f.Hosts) > 0 { // the inputs that have it, of several machines
		j.name("hosts")
		j.strings(f.Hosts)
	}
	j.name("evidence")
	j.evidence(f.Evidence)
	j.name("related")
	j.open('[')
	for _, l := range f.Related {
		at := l.Span.From()
		j.item()
		j.open('{')
		j.string("file", l.Span.File.Path)
		j.number("line", at.Line)
		j.number("column", at.Column)
		j.string("message", l.Message)
		j.close('}')
	}
	j.close(']')
	j.name("fix")
	j.fix(f.Fix)
	if line := f.Settle(); line != "" { // the line of the settings file that settles what it rests on
		j.string("settle", line)
	}
	j.string("fingerprint", f.Fingerprint)
	j.close('}')
}

func (j *jsonText) evidence(evidence map[string]any) {
	j.names = j.names[:0]
	for name := range evidence {
		j.names = append(j.names, name)
	}
	slices.Sort(j.names)
	j.open('{')
	for _, name := range j.names {
		j.item()
		j.quote(name)
		j.text = append(j.text, ": "...)
		switch v := evidence[name].(type) {
		case int64:
			j.text = strconv.AppendInt(j.text, v, 10)
		case string:
			j.quote(v)
		default:
			j.any(v)
		}
	}
	j.close('}')
}

func (j *jsonText) fix(f *rule.Fix) {
	if f == nil {
		j.text = append(j.text, "null"...)
		return
	}
	j.open('{')
	j.string("title", f.Title)
	j.name("safe")
	j.text = strconv.AppendBool(j.text, f.Safe)
	j.name("edits")
	j.open('[')
	for _, e := range f.Edits {
		j.item()
		j.edit(e)
	}
	j.close(']')
	j.close('}')
}

func (j *jsonText) edit(e source.Edit) {
	j.open('{')
	j.string("file", e.Span.File.Path)
	j.number("offset", int(e.Span.Start))
	j.number("length", int(e.Span.End-e.Span.Start))
	j.string("text", e.Text)
	j.close('}')
}

// A jsonText is indented JSON that is being put together.
type jsonText struct {
	text  []byte
	depth int
	begun bool // the innermost list or object has an element
	names []string
	err   error
}

// open begins a list or an object.
func (j *jsonText) open(bracket byte) {
	j.text = append(j.text, bracket)
	j.depth++
	j.begun = false
}

// close ends a list or an object; an empty one stays on its line.
func (j *jsonText) close(bracket byte) {
	j.depth--
	if j.begun {
		j.line()
	}
	j.text = append(j.text, bracket)
	j.begun = true // what it stands in has this element
}

// item begins an element.
func (j *jsonText) item() {
	if j.begun {
		j.text = append(j.text, ',')
	}
	j.begun = true
	j.line()
}

func (j *jsonText) line() {
	j.text = append(j.text, '\n')
	for range j.depth {
		j.text = append(j.text, indent...)
	}
}

// name begins a field of an object. The name needs no escape.
func (j *jsonText) name(name string) {
	j.item()
	j.text = append(append(append(j.text, '"'), name...), `": `...)
}

func (j *jsonText) string(name, value string) {
	j.name(name)
	j.quote(value)
}

func (j *jsonText) number(name string, n int) {
	j.name(name)
	j.text = strconv.AppendInt(j.text, int64(n), 10)
}

func (j *jsonText) strings(list []string) {
	j.open('[')
	for _, s := range list {
		j.item()
		j.quote(s)
	}
	j.close(']')
}

// quote writes a string.
func (j *jsonText) quote(s string) {
	if !plain(s) || strings.ContainsAny(s, `"\`) {
		j.any(s)
		return
	}
	j.text = append(append(append(j.text, '"'), s...), '"')
}

// any writes what is rare as encoding/json does.
func (j *jsonText) any(v any) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(strings.Repeat(indent, j.depth), indent)
	if err := e.Encode(v); err != nil && j.err == nil {
		j.err = err
	}
	j.text = append(j.text, visible([]byte(strings.TrimSuffix(b.String(), "\n")))...)
}
