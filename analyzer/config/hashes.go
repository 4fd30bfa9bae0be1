package config

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// cacheLine is what nginx rounds buckets up to, and what it takes where none are set: 64 bytes on x86-64 and arm64.
const cacheLine = 64

// A hash is one of nginx's tables of names, in which each name must fit into a bucket (ngx_hash_init).
type hash struct {
	name   string // "server_names_hash"
	bucket int64  // bytes
	most   int64  // buckets
}

// fixedHash is a table whose sizes no directive sets.
func fixedHash(name string) hash { return hash{name: name, bucket: cacheLine, most: 512} }

// hash returns a table with the sizes that are in effect at a level when it closes.
func (l *Level) hash(name string) hash {
	h := fixedHash(name)
	if it, ok := l.Effective(name + "_bucket_size"); ok {
		h.size(it)
	}
	if it, ok := l.Effective(name + "_max_size"); ok {
		h.size(it)
	}
	return h
}

// size takes a size from the directive that sets it.
func (h *hash) size(it Item) {
	n, ok := atoi(it.Arg(0))
	switch {
	case !ok:
	case strings.HasSuffix(it.Name().Value, "_bucket_size"):
		h.bucket = align(min(n, 1<<62), cacheLine)
	default:
		h.most = n
	}
}

// mapHashSize reads how large the table of the maps behind it may get. The first map settles both sizes.
func (r *resolver) mapHashSize(it Item, _ *visit, s *scope) {
	if slices.ContainsFunc(r.http.Blocks, func(b VariableBlock) bool { return b.Name().Value == "map" }) {
		r.refuseHead(it, s.level, DuplicateDirective, quoted(it.Name().Value)+" directive is duplicate")
		return
	}
	r.mapHash.size(it)
}

func align(n, to int64) int64 { return (n + to - 1) / to * to }

// word is the size of a pointer.
const word = 8

// elementBytes is what a name takes in a table: a pointer, and its bytes and two for their number, rounded up to a word.
func elementBytes(name string) int64 { return word + align(int64(len(name))+2, word) }

// takes says whether a name fits, and the pointer that ends a bucket with it.
func (h hash) takes(name string) bool { return elementBytes(name)+word <= h.bucket }

// takesLabels says whether each part between the dots fits, as a name with a wildcard is kept.
func (h hash) takesLabels(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if !h.takes(label) {
			return false
		}
	}
	return true
}

// takesName says whether a name fits that may be one with a wildcard.
func (h hash) takesName(name string, kind NameKind) bool {
	switch kind {
	case NameExact:
		return h.takes(name)
	case NameRegex:
		return true
	case NameLeading, NameDot, NameTrailing:
	}
	return h.takesLabels(name)
}

// largestBucket is the size of bucket up to which nginx builds a table.
const largestBucket = 1<<16 - cacheLine

// sizes is what nginx says of a table that it cannot build whatever the names; "" where it can. It names no place.
func (h hash) sizes() string {
	switch {
	case h.most == 0:
		return h.increase("max_size", 0)
	case h.bucket == 0:
		return h.text()
	case h.bucket > largestBucket:
		return fmt.Sprintf("could not build %s, too large %s_bucket_size: %d", h.name, h.name, h.bucket)
	}
	return ""
}

// text is what nginx says of a name that does not fit; it names no place.
func (h hash) text() string { return h.increase("bucket_size", h.bucket) }

func (h hash) increase(what string, now int64) string {
	return fmt.Sprintf("could not build %s, you should increase %s_%s: %d", h.name, h.name, what, now)
}

// longNames refuses names of servers that share an address, if one is too long for the table that nginx makes of them, or if
// they are too many.
func (r *resolver) longNames(at *portServers, taken *takenNames, h hash) {
	if r.partial() {
		return // the size may be set where nothing was read
	}
	wrong := h.sizes()
	var first source.Span
	var level *Level
	for _, s := range at.servers {
		for _, n := range s.Names {
			if n.Kind == NameRegex {
				continue
			}
			span := n.Span
			if span.File == nil && s.Directive != nil {
				span = s.Directive.Head()
			}
			if wrong != "" || !h.takesName(n.Text, n.Kind) {
				r.refuse(&s.Level, Refusal{Kind: InvalidValue, Span: span, Text: cmp.Or(wrong, h.text())})
				return
			}
			if level == nil {
				first, level = span, &s.Level
			}
		}
	}
	if level != nil {
		r.fillTables(h, taken.all, first, level)
	}
}

// longKeys refuses the keys of a map, if one is too long for the table that nginx makes of them, or if they are too many.
func (r *resolver) longKeys(block Item, entries []Item, l *Level) {
	if r.partial() {
		return
	}
	h := r.mapHash
	wrong := h.sizes()
	for e, kind := range mapKeys(entries) {
		if wrong != "" || len(e.Name().Value) >= cacheLine/2 && !h.takesName(keyText(e), kind) {
			r.refuse(l, Refusal{Kind: InvalidValue, Span: e.WordSpan(e.Name()), Text: cmp.Or(wrong, h.text())})
			return
		}
	}
	r.fillTables(h, func(yield func(string, NameKind) bool) {
		for e, kind := range mapKeys(entries) {
			if !yield(keyText(e), kind) {
				return
			}
		}
	}, block.Head(), l)
}

// mapKeys yields those entries of a map that go into tables. Keys are names with wildcards behind "hostnames" only.
func mapKeys(entries []Item) iter.Seq2[Item, NameKind] {
	return func(yield func(Item, NameKind) bool) {
		hostnames := false
		for _, e := range entries {
			key := e.Name().Value
			switch {
			case e.NumArgs() == 0:
				hostnames = hostnames || key == "hostnames"
				continue
			case strings.HasPrefix(key, "~"), key == "default":
				continue
			}
			kind := NameExact
			if text := keyText(e); hostnames && !strings.HasPrefix(text, "~") && text != "." {
				kind = nameKind(text)
			}
			if !yield(e, kind) {
				return
			}
		}
	}
}

// keyText is the key of an entry, without the backslash that makes a key of "default" and the like.
func keyText(e Item) string { return strings.TrimPrefix(e.Name().Value, `\`) }
