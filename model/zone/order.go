package zone

// An order finds the entry that was used least recently. A use is a number in the entry itself and nothing else, so that
// it costs one write to a place that is at hand; a linked list would touch both neighbours, which lie anywhere. The
// order is a heap of these numbers as they stood when it last looked. Since they only grow, its first one may be out of
// date, but no entry is older than that says.
type order struct {
	heap []use // the least number first, no parent after its children
}

// A use is the number that an entry had; the entry may have been used since, or be gone.
type use struct {
	number uint64
	slot   int32
}

// add takes in an entry whose use is the latest of all, so that it may stand last.
func (o *order) add(number uint64, slot int32) { o.heap = append(o.heap, use{number, slot}) }

// renew gives the first entry the number that it has now.
func (o *order) renew(number uint64) {
	o.heap[0].number = number
	o.sink()
}

// drop takes out the first entry.
func (o *order) drop() {
	last := len(o.heap) - 1
	o.heap[0] = o.heap[last]
	o.heap = o.heap[:last]
	o.sink()
}

// sink moves the first entry behind all that are older.
func (o *order) sink() {
	h := o.heap
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].number < h[child].number {
			child++
		}
		if child >= len(h) || h[i].number <= h[child].number {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
