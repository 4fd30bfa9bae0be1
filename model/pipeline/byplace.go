package pipeline

import (
	"iter"
	"maps"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A ByPlace holds a value for each place that was asked for. The zero ByPlace is ready.
type ByPlace[V any] struct {
	all    map[*config.Level]*V
	lately [4]placed[V] // most requests come to a place of the last few
	oldest int          // of these
}

type placed[V any] struct {
	level *config.Level
	value *V // nil: nothing
}

// Of returns the value of a place, and makes it when it is first asked for; that is told.
func (b *ByPlace[V]) Of(p Place) (value *V, made bool) {
	for i := range b.lately {
		if at := &b.lately[i]; at.level == p.Level && at.value != nil {
			return at.value, false
		}
	}
	if value = b.all[p.Level]; value == nil {
		if b.all == nil {
			b.all = map[*config.Level]*V{}
		}
		value, made = new(V), true
		b.all[p.Level] = value
	}
	b.lately[b.oldest] = placed[V]{p.Level, value}
	b.oldest = (b.oldest + 1) % len(b.lately)
	return value, made
}

// Find returns the value of a place; nil where it was not asked for.
func (b *ByPlace[V]) Find(p Place) *V { return b.all[p.Level] }

// Len is how many places were asked for.
func (b *ByPlace[V]) Len() int { return len(b.all) }

// All lists the values, in no order.
func (b *ByPlace[V]) All() iter.Seq[*V] { return maps.Values(b.all) }
