package config

import (
	"fmt"
	"iter"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A filling is what becomes of a table whose names fit into a bucket each (ngx_hash_init).
type filling uint8

const (
	fits      filling = iota
	crowded           // no number of buckets holds them at the size of bucket, which nginx then leaves aside: it warns
	overfull          // and a bucket grows beyond what nginx can address: it refuses
	undecided         // the search would take too long
)

// The bounds on the search for a number of buckets: nginx itself has none.
const (
	mostBuckets = 1 << 20 // of one table
	mostSteps   = 1 << 26 // names put into buckets, for all tables of a configuration
)

// A tableName is a name of a table as it counts: where it goes, and how much it takes there.
type tableName struct {
	hash  uint64
	bytes uint32
}

func newTableName(name string) tableName {
	var h uint64
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		h = h*31 + uint64(c)
	}
	return tableName{h, uint32(min(elementBytes(name), largestBucket))}
}

// fill looks for the least number of buckets that hold the names, from the one on at which nginx begins. steps is what may
// be spent, and what is left of it.
func (h hash) fill(names []tableName, steps *int64) filling {
	n := int64(len(names))
	if n < 2 {
		return fits // as it does by itself
	}
	room := h.bucket - word
	start := max(1, n/(room/(2*word)))
	if h.most > 10_000 && h.most/n < 100 {
		start = h.most - 1000
	}
	var buckets []uint32
	for size := start; size <= h.most; size++ {
		if size > mostBuckets || *steps < 0 {
			return undecided
		}
		if int64(cap(buckets)) < size {
			buckets = make([]uint32, min(2*size, mostBuckets))
		}
		buckets = buckets[:size]
		clear(buckets)
		*steps -= size / 8 // clearing is quick
		if putAll(names, buckets, uint32(room), steps) {
			return fits
		}
	}
	if h.most > mostBuckets {
		return undecided
	}
	if putAll(names, make([]uint32, h.most), largestBucket-word, steps) {
		return crowded
	}
	return overfull
}

// putAll puts names into empty buckets, and says whether all of them stay within room.
func putAll(names []tableName, buckets []uint32, room uint32, steps *int64) bool {
	for i, name := range names {
		b := &buckets[name.hash%uint64(len(buckets))]
		if *b += name.bytes; *b > room {
			*steps -= int64(i)
			return false
		}
	}
	*steps -= int64(len(names))
	return true
}

// fillTables fills the tables that nginx makes of names, each given once and in the form of its kind: one of the exact names,
// and of wildcards one for each part that others follow. It warns and refuses at a place of its own, as nginx names none.
func (r *resolver) fillTables(h hash, names iter.Seq2[string, NameKind], at source.Span, l *Level) {
	worst := fits
	for _, table := range tablesOf(names) {
		worst = max(worst, h.fill(table, &r.steps))
	}
	if worst == crowded || worst == overfull {
		r.refuse(l, Refusal{Kind: InvalidValue, Span: at, Warning: true, Text: fmt.Sprintf(
			"could not build optimal %s, you should increase either %[1]s_max_size: %[2]d or %[1]s_bucket_size: %[3]d; ignoring %[1]s_bucket_size",
			h.name, h.most, h.bucket)})
	}
	if worst == overfull {
		r.refuse(l, Refusal{Kind: InvalidValue, Span: at, Text: h.increase("max_size", h.most)})
	}
}

// tablesOf sorts names into tables. The parts of "*.a.example" and ".a.example" are kept from the last one on, those of
// "www.a.*" from the first.
func tablesOf(names iter.Seq2[string, NameKind]) [][]tableName {
	exact := make([]tableName, 0)
	leading, trailing := newPartTables(), newPartTables()
	for text, kind := range names {
		switch kind {
		case NameExact:
			exact = append(exact, newTableName(text))
		case NameLeading, NameDot:
			leading.addFromLast(strings.TrimPrefix(strings.TrimPrefix(text, "*"), "."))
		case NameTrailing:
			trailing.addFromFirst(strings.TrimSuffix(text, ".*"))
		case NameRegex:
		}
	}
	return append(append(leading.tables, trailing.tables...), exact)
}

// partTables are the tables of wildcards: each part of a name leads to the table of what may come next.
type partTables struct {
	tables [][]tableName
	next   map[partOf]int // the table behind a part
}

// A partOf is a part of a name in one of the tables.
type partOf struct {
	table int
	part  string
}

func newPartTables() *partTables {
	return &partTables{tables: make([][]tableName, 1), next: make(map[partOf]int)}
}

func (t *partTables) addFromFirst(name string) {
	at := 0
	for more := true; more; {
		var part string
		part, name, more = strings.Cut(name, ".")
		at = t.add(at, part)
	}
}

func (t *partTables) addFromLast(name string) {
	for at := 0; ; {
		dot := strings.LastIndexByte(name, '.')
		at = t.add(at, name[dot+1:])
		if dot < 0 {
			return
		}
		name = name[:dot]
	}
}

// add puts a part into a table unless it is there, and returns the table behind it.
func (t *partTables) add(at int, part string) int {
	key := partOf{at, lower(part)}
	next, known := t.next[key]
	if !known {
		t.tables[at] = append(t.tables[at], newTableName(part))
		next = len(t.tables)
		t.tables = append(t.tables, nil)
		t.next[key] = next
	}
	return next
}
