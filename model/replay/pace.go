package replay

import "github.com/ngxlimit/ngxlimit/model/accesslog"

const (
	stepBack    = Window                   // by how much the time of a log may go back, in milliseconds
	stepForward = 30 * 24 * 60 * 60 * 1000 // by how much it may go on from line to line
	agreeing    = 20                       // how many lines have to agree on another time before it is believed
)

// A pace follows the time of a log and finds lines whose time cannot be right.
type pace struct {
	time int64 // the latest that is believed; 0 before the first
	odd  int64 // time of the last line that was not believed
	run  int   // how many such lines agree so far
}

// judge says whether a line's time can be right. Where many lines in a row agree on another time, that is taken.
func (p *pace) judge(t int64) accesslog.Fault {
	if p.time == 0 || t >= p.time-stepBack && t <= p.time+stepForward {
		p.time, p.run = max(p.time, t), 0
		return accesslog.Fine
	}
	if p.run > 0 && t >= p.odd-stepBack && t <= p.odd+stepForward {
		p.run++
	} else {
		p.run = 1
	}
	p.odd = t
	if p.run >= agreeing {
		p.time, p.run = t, 0
		return accesslog.Fine
	}
	if t < p.time && t >= p.time-stepForward {
		return accesslog.Back
	}
	return accesslog.Year
}

// wholeLines is how many lines at the beginning of a log say whether its times are whole seconds.
const wholeLines = 1000

// A wholeness says whether the times of a log are whole seconds, or it has milliseconds and some happen to be none: what
// writes JSON anew turns nginx's 1772438400.000 into 1772438400. One line cannot tell the two apart, the first lines can.
type wholeness struct{ lines, whole int }

// look takes note of further lines, as long as what came before is not enough to tell.
func (w *wholeness) look(marks []mark) {
	for i := range marks[:min(len(marks), wholeLines-w.lines)] {
		w.lines++
		if marks[i].whole {
			w.whole++
		}
	}
}

// is says that the times are whole seconds: those of nine in ten lines are. At a time of milliseconds one in a thousand is.
func (w *wholeness) is() bool { return w.lines > 0 && w.whole*10 >= w.lines*9 }

// wholeSecond says that no fraction of a record's second is told.
func wholeSecond(rec *accesslog.Record) bool { return rec.Precision > 1 && rec.Time%1000 == 0 }
