package lang

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/model/edge"
)

// A base is what kind of value something is.
type base uint8

const (
	anything base = iota // of a field that is not known here
	boolean
	integer
	text
	address
)

func (b base) String() string {
	return [...]string{"a value", "true or false", "a number", "a text", "an address"}[b]
}

// A shape says how many values there are.
type shape uint8

const (
	one   shape = iota
	array       // several, in order
	table       // arrays by name
)

// kind is the type of a value.
type kind struct {
	base  base
	shape shape
	each  bool // one of the elements of an array that any or all goes through
}

func (k kind) String() string {
	switch k.shape {
	case array:
		return "an array"
	case table:
		return "a map"
	case one:
	}
	return k.base.String()
}

// A state says whether a value is there.
type state uint8

const (
	present state = iota
	missing       // it is not there: a header that was not sent
	unknown       // it cannot be known
)

// A value is what a node yields for one request.
type value struct {
	state state
	b     bool
	n     int64
	s     string
	ip    netip.Addr
}

func yes(b bool) value     { return value{b: b} }
func str(s string) value   { return value{s: s} }
func num(n int64) value    { return value{n: n} }
func (v value) gone() bool { return v.state != present }

// A Scope is what an expression is asked of.
type Scope struct {
	Request  *edge.Request
	Response *edge.Response // nil as long as there is none

	why  string  // the first thing that could not be known
	elem value   // that any or all has come to
	args []value // of the functions under way
}

// Why says what could not be known, since the last Match.
func (s *Scope) Why() string { return s.why }

// dark is a value that cannot be known.
func (s *Scope) dark(why string) value {
	if s.why == "" {
		s.why = why
	}
	return value{state: unknown}
}

// A node is a part of an expression.
type node interface {
	kind() kind
	eval(*Scope) value
	String() string // in one spelling, so that what is the same reads the same
}

// A list is a node whose values can be gone through: next returns the value at a place and the place behind it; the
// first place is 0. Without a value the state of the returned one says why there is none.
type list interface {
	node
	next(s *Scope, at int) (v value, behind int)
}

// Truth is the answer of an expression.
type Truth uint8

// The answers.
const (
	False Truth = iota
	True
	Unknown
)
