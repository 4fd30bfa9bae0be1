package config

import (
	"fmt"
	"slices"
	"strings"
)

// Find returns the first directive of a name that stands at the level itself.
func (l *Level) Find(name string) (Item, bool) {
	if i := l.first(name, nameBit(name)); i >= 0 {
		return l.Items[i], true
	}
	return Item{}, false
}

// FindAll returns the directives of a name that stand at the level itself.
func (l *Level) FindAll(name string) []Item {
	var found []Item
	if i := l.first(name, nameBit(name)); i >= 0 {
		for _, it := range l.Items[i:] {
			if it.Name().Value == name {
				found = append(found, it)
			}
		}
	}
	return found
}

// first is the index of the first directive of a name, whose bit is given; -1 where there is none.
func (l *Level) first(name string, bit nameSet) int {
	if l.names&bit == 0 {
		return -1
	}
	if l.index != nil {
		if i, ok := l.index[name]; ok {
			return int(i)
		}
		return -1
	}
	for i := range l.Items {
		if l.Items[i].Name().Value == name {
			return i
		}
	}
	return -1
}

// manyItems is from how many directives on a level is looked up by an index: http may hold tens of thousands, and each
// server asks for what it inherits.
const manyItems = 64

// A nameSet tells nearly always, without a look at the directives, that a level has none of a name: each of its bits stands
// for a part of all names.
type nameSet uint64

func nameBit(name string) nameSet {
	hash := uint32(0)
	for i := range len(name) {
		hash = hash*131 + uint32(name[i])
	}
	return 1 << (hash % 64)
}

// buildIndex prepares a level for Find.
func (l *Level) buildIndex() {
	for i := range l.Items {
		l.names |= nameBit(l.Items[i].Name().Value)
	}
	if len(l.Items) < manyItems {
		return
	}
	l.index = make(map[string]int32)
	for i := range l.Items {
		name := l.Items[i].Name().Value
		if _, ok := l.index[name]; !ok {
			l.index[name] = int32(i)
		}
	}
}

// Effective returns the first directive of a name at the nearest level that has one. It holds for directives that are
// inherited as nginx's plain ones are: as a whole, and only where the level has none of its own.
func (l *Level) Effective(name string) (Item, bool) {
	it, _, ok := l.EffectiveAt(name)
	return it, ok
}

// EffectiveAt is Effective with the level at which the directive stands.
func (l *Level) EffectiveAt(name string) (Item, *Level, bool) {
	bit := nameBit(name)
	for ; l != nil; l = l.Parent {
		if i := l.first(name, bit); i >= 0 {
			return l.Items[i], l, true
		}
	}
	return Item{}, nil, false
}

// Context names the blocks around a level and the level itself, outermost first: "http", "server a.example",
// "location /api/", "if ($x)". A server goes by its first name, or by its first listen address where it has none. Of more
// blocks than anybody reads those in the middle are only counted: "9960 more blocks".
func (l *Level) Context() []string {
	depth := 0
	for outer := l; outer != nil; outer = outer.Parent {
		depth++
	}
	left := max(0, depth-maxContext)
	path := make([]string, 0, min(depth, maxContext+1))
	for n := depth; l != nil; l = l.Parent {
		switch n--; {
		case left == 0 || n < maxContext/2 || n >= maxContext/2+left:
			path = append(path, l.BlockName())
		case n == maxContext/2:
			path = append(path, fmt.Sprintf("%d more blocks", left))
		}
	}
	slices.Reverse(path)
	return path
}

// maxContext is how many blocks are named.
const maxContext = 40

// BlockName names the level alone, as Context does.
func (l *Level) BlockName() string {
	switch l.Kind {
	case KindHTTP:
		return "http"
	case KindServer:
		return l.serverLabel()
	case KindLocation:
		return l.withArguments("location")
	case KindIf, KindServerIf:
		return l.withArguments("if")
	case KindLimitExcept:
		return l.withArguments("limit_except")
	case Default:
	}
	return ""
}

func (l *Level) serverLabel() string {
	if it, ok := l.Find("server_name"); ok && it.Arg(0) != "" {
		return "server " + it.Arg(0)
	}
	if it, ok := l.Find("listen"); ok && it.Arg(0) != "" {
		if a, err := parseListen(it.Arg(0)); err == nil && a.host == "0.0.0.0" {
			return "server *" + strings.TrimPrefix(a.String(), "0.0.0.0")
		}
		return "server " + it.Arg(0)
	}
	if l.Directive == nil {
		return "server"
	}
	return "server *:80"
}

func (l *Level) withArguments(name string) string {
	if l.Directive == nil || l.Directive.NumArgs() == 0 {
		return name
	}
	var room [2]string
	args := room[:0]
	for _, w := range l.Directive.Args() {
		args = append(args, w.Value)
	}
	if name == "location" {
		if modifier, pattern, ok := splitLocation(args[:min(len(args), 2)]); ok {
			return name + " " + label(modifier, pattern)
		}
	}
	return name + " " + strings.Join(args, " ")
}
