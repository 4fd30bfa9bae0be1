package replay

import (
	"hash/crc32"
	"unsafe"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// An entry is one request on its way through the queue.
type entry struct {
	facts
	at    int64 // when it arrived, in milliseconds since 1970
	seq   int64 // the order in which requests were logged
	line  int64 // in its log, from 0
	class *class
	who   *who

	source     int32
	next       int32 // in the queue
	coarseTime bool  // its time within the second is made up
	mixed      bool  // and so is its place among the lines of other logs
	lacks      bool  // something that keys are made of has not been seen in the log so far
}

// A decided is what is noted of a request while it is decided.
type decided struct {
	charged     [2]*keyRow // the keys that were asked about
	charges     int
	shift, near clock.Msec // see pipeline.Hint
}

// rank orders requests of one millisecond by what the log says was decided.
func (e *entry) rank() uint8 {
	switch e.limit {
	case accesslog.Delayed, accesslog.DelayedDryRun:
		return 1
	case accesslog.Rejected, accesslog.RejectedDryRun:
		return 2
	case accesslog.NotLogged, accesslog.None, accesslog.Passed:
	}
	return 0
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// hashOf spreads texts over sketches. It is the same in every run, so that what is told rests on the log alone.
func hashOf(s string) uint32 {
	if s == "" {
		return 0
	}
	const spread = 0x9e3779b1 // the golden ratio: neighbours get far apart
	return crc32.Checksum(unsafe.Slice(unsafe.StringData(s), len(s)), castagnoli)*spread | 1
}

// give hands the next record on to the engine of its nginx.
func (l *log) give(r *replay) {
	m := &l.job.marks[l.at]
	line := l.begins + int64(m.line)
	if f := l.pace.judge(m.logged); f != accesslog.Fine {
		l.faults.Count(f, line)
		return
	}
	if at := m.arrived(); r.o.From != 0 && at < r.o.From || r.o.To != 0 && at >= r.o.To {
		r.outside++
		return
	}
	if l.used == 0 {
		l.first = m.logged
	}
	l.first, l.last = min(l.first, m.logged), max(l.last, m.logged)
	l.used++
	name := l.Nginx
	if m.named {
		name = l.record().Nginx
	}
	to := r.engineOf(name)
	var n *entry
	if m.whole && l.whole.is() {
		l.coarse = true
		n = to.spread.add(r, l, m.logged, to)
	} else {
		if m.logged >= to.spread.due {
			to.spread.pass(r, m.logged)
		}
		n = r.next(to)
	}
	*n = entry{
		facts: m.facts, at: m.arrived(), line: line, source: int32(l.n),
		class: to.classOf(l, m), who: to.whoOf(l, m), lacks: to.unseen > 0 && to.lacking(l.record()),
	}
}

// record is the next record.
func (l *log) record() *accesslog.Record { return &l.job.batch.Records[l.at] }
