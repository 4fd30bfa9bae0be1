package replay

import (
	"errors"
	"fmt"
)

// The bounds of the text of a part: how large it is, and how many values it has for its size. What is held in memory while it is
// read is so no more than some times the text.
const (
	mostPart    = 32 << 20
	leastObject = 90 // bytes that an object takes as it is written, on average at least: a Span takes a hundred
	leastValue  = 18 // likewise any value with its name
	mostMembers = 40 // of an object
	mostNested  = 8
)

// A bound counts the values of a JSON text. Whether that is JSON at all is for its reader to see.
type bound struct {
	text            []byte
	objects, values int
	depth           int
	members         [mostNested + 1]int  // so far, of the objects and lists that are open
	list            [mostNested + 1]bool // which of them are lists
}

// look returns the offset at which a text is more than a part can be, and why; it is nil where it is none.
func (b *bound) look(text []byte) (int, error) {
	b.text = text
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
			continue
		case c == '"':
			quoted = !quoted
			continue
		case quoted:
			continue
		}
		if err := b.take(c, i); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// take takes a byte that stands in no string.
func (b *bound) take(c byte, at int) error {
	switch c {
	case '{', '[':
		if c == '{' {
			b.objects++
		}
		if b.depth++; b.depth > mostNested {
			return fmt.Errorf("nested more than %d deep, which no part is", mostNested)
		}
		b.members[b.depth], b.list[b.depth] = 0, c == '['
		if next := b.next(at + 1); next == '}' || next == ']' {
			return nil
		}
		return b.begin(at)
	case '}', ']':
		b.depth = max(b.depth-1, 0)
	case ',':
		return b.begin(at)
	}
	return nil
}

// begin takes the start of a member of what is open.
func (b *bound) begin(at int) error {
	b.values++
	b.members[b.depth]++
	switch {
	case b.objects > len(b.text)/leastObject+8, b.values > len(b.text)/leastValue+64:
		return fmt.Errorf("more values than a part of %d bytes holds", len(b.text))
	case !b.list[b.depth] && b.members[b.depth] > mostMembers:
		return fmt.Errorf("an object of more than %d members, which no part has", mostMembers)
	case b.list[b.depth]:
		if next := b.next(at + 1); next != '{' && next != '"' && next != 0 {
			return errors.New("a list of something else than objects and texts, which no part has")
		}
	}
	return nil
}

// next is what follows blanks, 0 at the end.
func (b *bound) next(at int) byte {
	for ; at < len(b.text); at++ {
		switch c := b.text[at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// A counter is a writer that counts, and refuses what is more than a part that is read may be.
type counter struct{ left int }

func (c *counter) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, fmt.Errorf("it takes more than the %d MB that --merge reads: write parts of fewer nginx hosts", mostPart>>20)
	}
	return len(p), nil
}
