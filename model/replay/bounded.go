package replay

import (
	"math"
	"slices"
)

// A cache keeps what was used lately: between one and two times as many as it is meant to hold, in two halves of which
// the older one is forgotten when the younger one is full.
type cache[K comparable, V any] struct {
	young, old map[K]*kept[K, V]
	most       int
}

// kept is a value with the key that it was put in by: that of a later look-up may be cut out of a block, which would be
// kept for its sake.
type kept[K comparable, V any] struct {
	key   K
	value *V
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{young: map[K]*kept[K, V]{}, most: most}
}

// get returns what is kept of a key; nil for nothing.
func (c *cache[K, V]) get(k K) *V {
	if v := c.young[k]; v != nil {
		return v.value
	}
	if v := c.old[k]; v != nil {
		c.keep(v)
		return v.value
	}
	return nil
}

func (c *cache[K, V]) put(k K, v *V) { c.keep(&kept[K, V]{k, v}) }

func (c *cache[K, V]) keep(v *kept[K, V]) {
	if len(c.young) >= c.most {
		c.old, c.young = c.young, make(map[K]*kept[K, V], c.most)
	}
	c.young[v.key] = v
}

// each calls do for all that is kept, in no order.
func (c *cache[K, V]) each(do func(*V)) {
	for k, v := range c.old {
		if c.young[k] != v {
			do(v.value)
		}
	}
	for _, v := range c.young {
		do(v.value)
	}
}

// A ranking counts by keys of which there may be any number, and keeps those that count most: when it is full, the
// keys with the fewest requests go, and what went is told. A key that comes again begins anew.
type ranking[K comparable, V any] struct {
	all    map[K]*V
	most   int
	weight func(*V) int64
	gone   int64    // keys that went
	drop   func(*V) // told of each; nil: nobody wants to know
}

func newRanking[K comparable, V any](most int, weight func(*V) int64) *ranking[K, V] {
	return &ranking[K, V]{all: map[K]*V{}, most: most, weight: weight}
}

// of returns the counts of a key, and makes them when they are first asked for.
func (r *ranking[K, V]) of(k K) *V {
	if v := r.all[k]; v != nil {
		return v
	}
	if len(r.all) >= r.most {
		r.clear()
	}
	v := new(V)
	r.all[k] = v
	return v
}

// clear makes room for at least half.
func (r *ranking[K, V]) clear() {
	for least := int64(1); len(r.all) > r.most/2; least *= 2 {
		for k, v := range r.all {
			if r.weight(v) > least {
				continue
			}
			delete(r.all, k)
			r.gone++
			if r.drop != nil {
				r.drop(v)
			}
		}
		if least > math.MaxInt64/2 {
			return
		}
	}
}

// insertBest keeps the first few of what is given to it in an order, whatever the order in which it is given: it returns the
// list with one more where that is among the first.
func insertBest[T any](list []T, most int, v T, compare func(a, b T) int) []T {
	if len(list) == most && compare(list[most-1], v) <= 0 {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, v, compare)
	if list = slices.Insert(list, at, v); len(list) > most {
		list = list[:most]
	}
	return list
}
