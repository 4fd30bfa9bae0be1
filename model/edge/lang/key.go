package lang

import (
	"encoding/binary"
)

// A Key is one characteristic of a rule: what tells its counters apart.
type Key struct {
	Text string
	Uses []Use
	root node
	name string // see String
	one  texter // root, compiled; nil where that is no single text
}

// ParseKey reads a characteristic: a field, with its key where it is a map, or a function of one. Errors are *Error.
func ParseKey(text string, env *Env) (*Key, error) {
	p, err := newParser(text, env)
	if err != nil {
		return nil, err
	}
	if p.at().kind == tEnd {
		return nil, p.fail(p.at(), "it is empty")
	}
	first := p.at()
	root, err := p.operand()
	if err != nil {
		return nil, err
	}
	if t := p.at(); t.kind != tEnd {
		return nil, p.unexpected(t, "the end")
	}
	if root.kind().shape == table {
		return nil, p.fail(first, "%s is a map: name one of its entries", snip(root.String()))
	}
	return &Key{text, p.uses, root, root.String(), singleText(root)}, nil
}

// singleText compiles a characteristic that is one text; nil for another.
func singleText(root node) texter {
	if _, several := root.(list); several || root.kind().base != text {
		return nil
	}
	return textOf(root)
}

// String is the characteristic in one spelling.
func (k *Key) String() string { return k.name }

// Append adds the value for a request to a key of several, so that different values never give the same key: one that is
// missing differs from an empty one. ok is false where it cannot be known; Scope.Why says why.
func (k *Key) Append(s *Scope, to []byte) (key []byte, ok bool) {
	s.why = ""
	if k.name == "ip.src" && s.Request.Client.IsValid() {
		a := s.Request.Client.As16()
		return append(append(to, 3), a[:]...), true
	}
	if k.one != nil {
		v, st := k.one(s)
		switch st {
		case unknown:
			return to, false
		case missing:
			return append(to, 0), true
		case present:
		}
		return appendText(to, v), true
	}
	if e, ok := k.root.(*entry); ok {
		return e.append(s, to)
	}
	if l, several := k.root.(list); several {
		v, at := l.next(s, 0)
		if v.state == unknown {
			return to, false
		}
		for at >= 0 {
			to = appendValue(to, v, text)
			v, at = l.next(s, at)
		}
		return append(to, 0), true
	}
	v := k.root.eval(s)
	switch v.state {
	case unknown:
		return to, false
	case missing:
		return append(to, 0), true
	case present:
	}
	return appendValue(to, v, k.root.kind().base), true
}

// append adds all values that a map has for a name.
func (n *entry) append(s *Scope, to []byte) (key []byte, ok bool) {
	if n.of.obscure(s, n.key).state == unknown {
		return to, false
	}
	_, v, at := n.of.src(s, n.key, 0)
	for at >= 0 {
		to = appendText(to, v)
		_, v, at = n.of.src(s, n.key, at)
	}
	return append(to, 0), true
}

func appendText(to []byte, v string) []byte {
	to = binary.AppendUvarint(append(to, 1), uint64(len(v)))
	return append(to, v...)
}

func appendValue(to []byte, v value, b base) []byte {
	switch b {
	case text:
		return appendText(to, v.s)
	case integer:
		return binary.AppendVarint(append(to, 2), v.n)
	case address:
		a := v.ip.As16()
		return append(append(to, 3), a[:]...)
	case boolean:
		if v.b {
			return append(to, 4)
		}
		return append(to, 5)
	case anything:
	}
	return to
}
