package config

import (
	"fmt"
	"strings"
)

// cacheLine is what nginx rounds buckets up to, and what it takes where none are set: 64 bytes on x86-64 and arm64.
const cacheLine = 64

// A hash is one of nginx's tables of names, in which each name must fit into a bucket (ngx_hash_init).
type hash struct {
	name   string // "server_names_hash"
	bucket int    // bytes
}

// bucketSize reads how large the buckets of a table are.
func (r *resolver) bucketSize(it Item, _ *visit, _ *scope) {
	if n, ok := atoi(it.Arg(0)); ok {
		r.buckets[strings.TrimSuffix(it.Name().Value, "_bucket_size")] = align(int(min(n, 1<<20)), cacheLine)
	}
}

// hash returns a table with the size that has been set for its buckets up to now.
func (r *resolver) hash(name string) hash {
	bucket := r.buckets[name]
	if bucket == 0 {
		bucket = cacheLine
	}
	return hash{name, bucket}
}

func align(n, to int) int { return (n + to - 1) / to * to }

// takes says whether a name fits: its bytes and two for their number, rounded up to a word, and two pointers.
func (h hash) takes(name string) bool {
	const word = 8
	return len(name) <= h.bucket && word+align(len(name)+2, word)+word <= h.bucket
}

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

// text is what nginx says of a name that does not fit; it names no place.
func (h hash) text() string {
	return fmt.Sprintf("could not build %s, you should increase %s_bucket_size: %d", h.name, h.name, h.bucket)
}

// longNames refuses names of servers that share an address, if one is too long for the table that nginx makes of them.
func (r *resolver) longNames(at *portServers, h hash) {
	if r.partial() {
		return // the size may be set where nothing was read
	}
	for _, s := range at.servers {
		for _, n := range s.Names {
			if h.takesName(n.Text, n.Kind) || n.Span.File == nil {
				continue
			}
			r.refuse(&s.Level, Refusal{Kind: InvalidValue, Span: n.Span, Text: h.text()})
			return
		}
	}
}

// longKeys refuses the keys of a map, if one is too long for the table that nginx makes of them.
func (r *resolver) longKeys(entries []Item, l *Level) {
	if r.partial() {
		return
	}
	h, hostnames := r.hash("map_hash"), false
	for _, e := range entries {
		key := e.Name().Value
		switch {
		case e.NumArgs() == 0:
			hostnames = hostnames || key == "hostnames"
			continue
		case len(key) < cacheLine/2 || key[0] == '~':
			continue
		}
		kind := NameExact
		if hostnames {
			kind = nameKind(key)
		}
		if !h.takesName(strings.TrimPrefix(key, `\`), kind) {
			r.refuse(l, Refusal{Kind: InvalidValue, Span: e.WordSpan(e.Name()), Text: h.text()})
			return
		}
	}
}
