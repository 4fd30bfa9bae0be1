package replay

// What a request needs of its class, its client and its key lies anywhere in memory, and to wait for each of these places one
// after the other takes longer than all the rest. So they are looked at for many requests before the first of them is decided:
// a processor then waits for them all at once. Nothing but time depends on it.
const (
	lookEvery = 8  // records
	lookAt    = 12 // records, of which some were looked at before
)

// lookAhead looks at what the requests need that are decided next.
func (e *engine) lookAhead(list []*entry) {
	sum := int64(0)
	for _, n := range list {
		sum += int64(n.class.kind) + n.who.first.last
	}
	for _, n := range list {
		if n.class.uri != nil {
			sum += n.class.uri.Requests
		}
		if p := n.class.plan; p != nil && !p.Limits() {
			continue
		}
		sum += n.who.caller.Look(e.pipe)
		if row := n.who.key.row; row != nil {
			sum += row.Requests + int64(row.uris.a)
		}
	}
	e.looked += sum
}

// lookAhead looks at where the classes and clients of the records of a log stand that are given on next.
func (l *log) lookAhead(e *engine) {
	for _, m := range l.job.marks[l.at:min(l.at+lookAt, len(l.job.marks))] {
		l.looked += e.classes.look(m.class) + e.whos.look(m.from)
	}
}
