package zone

// An order remembers which entries were used least recently. Each use is written behind the last one, and an entry
// knows where its latest use stands; earlier ones are passed over when the oldest is looked for, and swept out when they
// outnumber the entries. A use thus costs one write in sequence, where a linked list would touch both neighbours, which
// lie anywhere.
type order struct {
	uses  []int32 // entries by use, oldest first
	first int     // uses before it are known to be no latest ones
}

// The sweep waits until the uses are that many times the entries, and not fewer than minSweep.
const (
	sweepAt  = 4
	minSweep = 256
)

// use writes down a use of entry r and returns its place.
func (o *order) use(r int32) int32 {
	o.uses = append(o.uses, r)
	return int32(len(o.uses) - 1)
}

// full reports whether a sweep is due among so many entries.
func (o *order) full(entries int) bool {
	return len(o.uses) >= max(sweepAt*entries, minSweep)
}
