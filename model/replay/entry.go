package replay

import (
	"hash/crc32"
	"unsafe"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// An entry is one request on its way through the queue.
type entry struct {
	at     int64 // when it arrived, in milliseconds since 1970
	logged int64 // when it was logged
	seq    int64 // the order in which requests were logged
	line   int64 // in its log, from 0
	class  *class
	who    *who

	requestMs, upstreamMs int32 // as in accesslog.Record

	source     int32
	next       int32  // in the queue
	agent      uint32 // hashes; 0 for none
	user       uint32
	sender     uint32 // of the header in which a proxy hands on the client's address
	status     int16
	limit      accesslog.Outcome
	conn       accesslog.Outcome
	coarseTime bool // its time within the second is made up
	mixed      bool // and so is its place among the lines of other logs
	lacks      bool // something that keys are made of has not been seen in the log so far
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

// give hands a record on to the engine of its nginx.
func (l *log) give(r *replay, rec *accesslog.Record, m *mark) {
	if f := l.pace.judge(rec.Time); f != accesslog.Fine {
		l.faults.Count(f, l.begins+int64(rec.Line))
		return
	}
	if at := rec.Arrived(); r.o.From != 0 && at < r.o.From || r.o.To != 0 && at >= r.o.To {
		r.outside++
		return
	}
	if l.used == 0 {
		l.first = rec.Time
	}
	l.first, l.last = min(l.first, rec.Time), max(l.last, rec.Time)
	l.used++
	name := rec.Nginx
	if name == "" {
		name = l.Nginx
	}
	to := r.engineOf(name)
	if l.whole.is() && wholeSecond(rec) {
		l.coarse = true
		to.fill(to.spread.add(r, l, rec.Time, to), l, rec, m)
		return
	}
	if rec.Time >= to.spread.due {
		to.spread.pass(r, rec.Time)
	}
	to.fill(r.next(to), l, rec, m)
}
