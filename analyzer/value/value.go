// Package value knows nginx's complex values and variables: what a template yields for one request, or why that cannot
// be known. There is no way to read a value without asking whether it is known.
//
// It knows the variables that follow from the request, from the connection, and from map, geo, split_clients and
// captures. It refuses to guess those that come from a response, a clock, a file, a certificate or a module that was
// not read: each of them is Unknown with its reason.
package value

// A Value is what a template yields for one request: a known string, or the reason why it cannot be known. The zero
// Value is a known empty string.
type Value struct{ text, unknown string }

// Of returns a known value.
func Of(text string) Value { return Value{text: text} }

// Unknown returns a value that cannot be known, with the reason: "$upstream_status is known only after the upstream answered".
func Unknown(reason string) Value {
	if reason == "" {
		reason = "no reason is known"
	}
	return Value{unknown: reason}
}

// Known returns the value's bytes, and whether they are known.
func (v Value) Known() (string, bool) { return v.text, v.unknown == "" }

// Reason says why the value is not known; "" where it is.
func (v Value) Reason() string { return v.unknown }
