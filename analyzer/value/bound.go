package value

import "strings"

// MaxLength bounds an evaluated value, in bytes. nginx itself bounds only its memory: twelve lines of nested maps can ask
// for more than any machine has. It counts no key of more than 65,535 bytes and takes no longer URI from a client, so that
// nothing of practical use comes near.
const MaxLength = 1 << 20

// maxWork bounds what the values of one request cost: the bytes put together, the bytes that regexes look at, and something
// for each step.
const maxWork = 128 << 20

const (
	stepWork  = 64 // of a variable that is computed
	matchWork = 16 // of a regex that is tried
)

const (
	tooLong = " would be longer than 1 MiB"
	tooMuch = "the variables of this request take more work than is done here"
)

// nameless is the reason of a value that has no name yet.
const nameless = "the value" + tooLong

// TooLong says whether a value is not known because it is longer than MaxLength.
func (v Value) TooLong() bool { return strings.HasSuffix(v.unknown, tooLong) }

// of gives what is too long the name of the variable that holds it.
func (v Value) of(name string) Value {
	if v.unknown == nameless {
		v.unknown = "$" + name + tooLong
	}
	return v
}

// spend counts work; it says whether there is some left.
func (r *Request) spend(work int) bool {
	r.work += work
	return r.work <= maxWork
}

// A Builder puts a value of a request together, within MaxLength.
type Builder struct {
	first  string          // the only piece so far, which need not be copied
	text   strings.Builder // all of them, where there are several
	of     *Request        // may be nil
	reason string
}

// Build returns a Builder for a value of the request.
func (r *Request) Build() Builder { return Builder{of: r} }

// Add adds text; false says that the value cannot be known any more.
func (b *Builder) Add(s string) bool {
	switch {
	case b.reason != "":
	case s == "":
	case b.Len()+len(s) > MaxLength:
		b.reason = nameless
	case b.of != nil && !b.of.spend(len(s)):
		b.reason = tooMuch
	case b.Len() == 0:
		b.first = s
	default:
		if b.text.Len() == 0 {
			b.text.WriteString(b.first)
		}
		b.text.WriteString(s)
	}
	return b.reason == ""
}

// Len returns the length so far, in bytes.
func (b *Builder) Len() int { return max(len(b.first), b.text.Len()) }

// Value returns what was added, or why it cannot be known.
func (b *Builder) Value() Value {
	if b.reason != "" {
		return Unknown(b.reason)
	}
	if b.text.Len() == 0 {
		return Of(b.first)
	}
	return Of(b.text.String())
}
