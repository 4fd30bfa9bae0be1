package syntax

import "sync"

// A memory is what one parser leaves to the next: tens of thousands of small files are read one after another, and none of
// them fills a piece.
type memory struct {
	directives arena[Directive]
	blocks     arena[Block]
	places     arena[word]

	spareRead   []Directive
	spareWords  []Word
	sparePlaces []word
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// An arena hands out slices that are cut from larger pieces of memory: a configuration has hundreds of thousands of
// directives, and most of them have one or two arguments.
type arena[T any] struct {
	free []T
	next int // size of the next piece
}

const (
	firstPiece = 16
	largePiece = 2048
)

// take returns a slice of n zero elements that nothing else shares.
func (a *arena[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(a.free) {
		if n > largePiece/4 {
			return make([]T, n)
		}
		a.next = min(max(2*a.next, firstPiece, n), largePiece)
		a.free = make([]T, a.next)
	}
	s := a.free[:n:n]
	a.free = a.free[n:]
	return s
}

// keep returns a copy of s in the arena.
func (a *arena[T]) keep(s []T) []T {
	t := a.take(len(s))
	copy(t, s)
	return t
}
