package replay

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// A merge takes the lines of all logs in the order of their times. A log is opened when its time has come, so that of a
// set of rotated logs one or two are open at a time.
type merge struct {
	r     *replay
	pool  *pool
	logs  []*log // all, by the time at which they begin
	open  []*log // that have a line to give, the next one first
	later int    // how many of logs have been opened

	lines int64
}

// A log is a Source that is being read.
type log struct {
	*Source
	n      int // number of the source
	rank   int // number in the order in which logs begin
	jobs   <-chan *job
	job    *job
	at     int   // the next record of the job's batch, and mark
	begins int64 // number of the job's first line

	lines  int64
	faults accesslog.Faults
	pace   pace
	looked uint64 // see lookAhead
	err    error  // that ended it early
	errAt  int64  // number of the line it ended at
	whole  wholeness
	coarse bool // some of its times were whole seconds, and were spread
	ended  bool // all its lines are given on

	first, last int64 // times of its records
	used        int64
}

func newMerge(r *replay) *merge {
	m := &merge{r: r, pool: newPool(r.o.Workers, &r.needs)}
	for n := range r.sources {
		m.logs = append(m.logs, &log{Source: &r.sources[n], n: n})
	}
	slices.SortStableFunc(m.logs, func(a, b *log) int { return int(min(max(a.First-b.First, -1), 1)) })
	for rank, l := range m.logs {
		l.rank = rank
	}
	return m
}

func (m *merge) stop() { m.pool.close() }

// run takes all lines.
func (m *merge) run() error {
	for {
		m.openDue()
		if len(m.open) == 0 {
			break
		}
		m.take(m.open[0])
	}
	for _, l := range m.logs {
		m.lines += l.lines
	}
	for _, e := range m.r.order {
		e.spread.flush(m.r)
	}
	m.tell()
	if m.lines == 0 {
		for _, l := range m.logs {
			if l.err != nil {
				return l.err
			}
		}
		return ErrNoLine
	}
	return nil
}

// openDue opens the logs whose time has come: that of the next line, or where there is none the next log's own.
func (m *merge) openDue() {
	for m.later < len(m.logs) {
		l := m.logs[m.later]
		if len(m.open) > 0 && l.First > m.open[0].time() {
			return
		}
		m.later++
		l.jobs = m.pool.stream(l.Source)
		if l.next(m) {
			m.insert(l)
		}
	}
}

// insert puts a log among those that are open, by its next line; of equal times the log that began first goes first, or was named first.
func (m *merge) insert(l *log) {
	at, _ := slices.BinarySearchFunc(m.open, l, func(o, l *log) int {
		if o.time() != l.time() {
			return int(min(max(o.time()-l.time(), -1), 1))
		}
		return o.rank - l.rank
	})
	m.open = slices.Insert(m.open, at, l)
}

func (l *log) time() int64 { return l.job.marks[l.at].logged }

// take gives on the lines of a log up to the next log's. Where two lines have one time, their logs alone say which goes first,
// whatever other logs are read beside them: see Part.
func (m *merge) take(l *log) {
	until := int64(1) << 62
	if len(m.open) > 1 {
		until = m.open[1].time()
		if m.open[1].rank < l.rank {
			until--
		}
	}
	if m.later < len(m.logs) {
		until = min(until, m.logs[m.later].First-1)
	}
	for {
		if m.r.last != nil && l.at%lookEvery == 0 {
			l.lookAhead(m.r.last)
		}
		l.give(m.r)
		l.at++
		if l.at == len(l.job.marks) {
			if !l.next(m) {
				m.open = m.open[1:]
				return
			}
		}
		if l.time() > until {
			break
		}
	}
	m.open = m.open[1:]
	m.insert(l)
}

// next goes on to a record; it reports false at the end of the log.
func (l *log) next(m *merge) bool {
	for l.job == nil || l.at == len(l.job.marks) {
		if l.job != nil {
			l.begins += int64(l.job.batch.Breaks)
			m.pool.done(l.job)
			l.job = nil
		}
		j, more := <-l.jobs
		if !more {
			l.ended = true
			return false
		}
		if j.err != nil {
			l.err, l.errAt, l.ended = j.err, l.begins, true
			return false
		}
		<-j.ready
		l.job, l.at = j, 0
		l.whole.look(j.marks)
		l.lines += int64(j.batch.Lines)
		l.faults.Add(&j.batch.Faults, l.begins)
		m.tell()
	}
	return true
}

// tell tells how far the reading has come.
func (m *merge) tell() {
	if m.r.o.Progress == nil {
		return
	}
	lines := int64(0)
	for _, l := range m.logs {
		lines += l.lines
	}
	m.r.o.Progress(m.pool.read.Load(), lines)
}
