package cloudflare

import "github.com/ngxlimit/ngxlimit/model/clock"

// A Window says how counters forget.
type Window string

// The windows.
const (
	// Buckets is what Cloudflare published in 2017: two windows of fixed length, of which the older one counts as far as
	// it overlaps the last period.
	Buckets Window = "buckets"
	// Sliding counts exactly what came within the last period.
	Sliding Window = "sliding"
	// Fixed begins anew with each window.
	Fixed Window = "fixed"
)

// Windows lists the windows, the default first.
var Windows = []Window{Buckets, Sliding, Fixed}

// A counter counts one combination of a rule's characteristics.
type counter struct {
	until clock.Msec // the action goes on to then
	index int64      // of the current window
	cur   int64
	prev  int64
	slide *slide // only with Sliding, where what stands above but until is not used
}

// A slide is what came within the last period.
type slide struct {
	marks []mark // what came when, oldest first from head on
	head  int
	sum   int64
}

type mark struct {
	at clock.Msec
	n  int64
}

// finest is how many moments a sliding window tells apart, so that a long one needs no endless memory: up to a minute
// that is the millisecond.
const finest = 60_000

// add counts n at a time.
func (c *counter) add(w Window, now, period clock.Msec, n int64) {
	if w == Sliding {
		grain := max(period/finest, 1)
		at := now - now%grain
		if c.slide == nil {
			c.slide = &slide{}
		}
		s := c.slide
		s.forget(now, period)
		s.sum += n
		if last := len(s.marks) - 1; last >= s.head && s.marks[last].at >= at {
			s.marks[last].n += n // a clock that goes back counts for the latest
			return
		}
		s.marks = append(s.marks, mark{at, n})
		return
	}
	c.move(now, period)
	c.cur += n
}

// forget drops what came a period ago or earlier.
func (s *slide) forget(now, period clock.Msec) {
	for s.head < len(s.marks) && s.marks[s.head].at <= now-period {
		s.sum -= s.marks[s.head].n
		s.head++
	}
	switch {
	case s.head == len(s.marks):
		s.marks, s.head = s.marks[:0], 0
	case s.head > 64 && s.head > len(s.marks)/2:
		s.marks, s.head = append(s.marks[:0], s.marks[s.head:]...), 0
	}
}

// move goes on to the window of a time; a time of an earlier one counts as the current.
func (c *counter) move(now, period clock.Msec) {
	switch index := indexOf(now, period); {
	case index <= c.index:
	case index == c.index+1:
		c.index, c.prev, c.cur = index, c.cur, 0
	default:
		c.index, c.prev, c.cur = index, 0, 0
	}
}

func indexOf(now, period clock.Msec) int64 {
	i := int64(now / period)
	if now < 0 && now%period != 0 {
		i--
	}
	return i
}

// value is what the counter stands at, rounded up: it exceeds a whole number exactly where the estimate does.
func (c *counter) value(w Window, now, period clock.Msec) int64 {
	if w == Sliding {
		if c.slide == nil {
			return 0
		}
		c.slide.forget(now, period)
		return c.slide.sum
	}
	c.move(now, period)
	if w == Fixed || c.prev == 0 {
		return c.cur
	}
	elapsed := int64(now) - c.index*int64(period)
	left := int64(period) - min(max(elapsed, 0), int64(period))
	whole, rest := c.prev/int64(period), c.prev%int64(period)
	return c.cur + whole*left + (rest*left+int64(period)-1)/int64(period)
}

// reset sets it back to nothing.
func (c *counter) reset() {
	if c.slide != nil {
		*c.slide = slide{marks: c.slide.marks[:0]}
	}
	*c = counter{index: c.index, slide: c.slide}
}
