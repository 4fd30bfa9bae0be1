package pipeline

import (
	"math/bits"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Hint says what is known of a request from elsewhere: what nginx decided, and how exact its time is.
type Hint struct {
	Verdict limitreq.Verdict // "" where it is not known
	Slack   clock.Msec       // by how much the time may be wrong, either way
	Shift   clock.Msec       // filled in: by how much the time was moved so that the decision is the known one
	Only    bool             // nothing else than the known verdict is taken: then nothing is charged, and Undone is set
	Undone  bool             // filled in: the request was not sent; its Flight is of no use
	Look    clock.Msec       // how far beyond the slack it is looked whether another time would have given the verdict
	Near    clock.Msec       // filled in: that time's distance; 0 for none
}

// decideNear decides at a time, or where that gives another verdict than the known one, at the nearest time within the
// slack that gives it. What was charged for a verdict that is not taken is taken back.
func decideNear(now clock.Msec, limits []limitreq.Limit, dryRun bool, h *Hint, log []limitreq.Lookup) (limitreq.Decision, []limitreq.Lookup) {
	var room [2]limitreq.State // mostly there are no more
	saved := room[:0]
	held := true // every key has an account
	for i := range limits {
		s, ok := limits[i].Saved()
		saved, held = append(saved, s), held && (ok || limits[i].Key == "")
	}
	h.Shift, h.Near, h.Undone = 0, 0, false
	d, found := limitreq.DecideLogged(now, limits, dryRun, log)
	if d.Verdict == h.Verdict || !held {
		return d, found
	}
	if h.Only {
		for i := range limits {
			limits[i].Restore(saved[i])
		}
		h.Undone = true
		return d, found
	}
	far := max(h.Slack, h.Look)
	forward, back := true, true
	if inOrder(now, far, limits, saved) {
		forward, back = ways(d.Verdict, h.Verdict, dryRun)
	}
	if !forward && !back {
		return d, found
	}
	again := func(shift clock.Msec) limitreq.Verdict {
		for i := range limits {
			limits[i].Restore(saved[i])
		}
		d, found = limitreq.DecideLogged(now+shift, limits, dryRun, log[:0])
		return d.Verdict
	}
	if forward != back { // mostly the verdict is not even another one at the end of that way
		end := far
		if back {
			end = -far
		}
		if on, other := ways(again(end), h.Verdict, dryRun); on == forward && other == back {
			forward, back = false, false
		}
	}
	for by := clock.Msec(1); by <= far && (forward || back) && h.Near == 0; by++ {
		for _, shift := range [...]clock.Msec{by, -by} {
			if shift > 0 && !forward || shift < 0 && !back {
				continue
			}
			switch again(shift); {
			case d.Verdict != h.Verdict:
			case by <= h.Slack:
				h.Shift = shift
				return d, found
			default:
				h.Near = shift
			}
		}
	}
	again(0)
	return d, found
}

// ways says whether a later time, or an earlier one, may turn a verdict into another: buckets drain, so that the later a
// request comes the milder its verdict is.
func ways(from, to limitreq.Verdict, dryRun bool) (later, earlier bool) {
	a, _ := severity(from)
	b, dry := severity(to)
	if b > 0 && dry != dryRun {
		return false, false
	}
	return a > b, a < b
}

func severity(v limitreq.Verdict) (n int, dry bool) {
	switch v {
	case limitreq.Delayed:
		return 1, false
	case limitreq.Rejected:
		return 2, false
	case limitreq.DelayedDryRun:
		return 1, true
	case limitreq.RejectedDryRun:
		return 2, true
	case limitreq.None, limitreq.Passed:
	}
	return 0, false
}

// inOrder says that around a time buckets drain as the time goes on: that the clock has not gone back by a minute, and no
// product is too large for nginx.
func inOrder(now, far clock.Msec, limits []limitreq.Limit, saved []limitreq.State) bool {
	for i, s := range saved {
		if now-far-s.Last < -60_000 {
			return false
		}
		if high, _ := bits.Mul64(uint64(limits[i].Zone.Rate()), uint64(max(now+far-s.Last, 0))); high != 0 {
			return false
		}
	}
	return true
}

// undone says that the request at hand was not sent: see Hint.Only.
func (p *Pipeline) undone() bool { return p.Hint != nil && p.Hint.Undone }
