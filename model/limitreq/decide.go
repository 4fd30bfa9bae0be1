package limitreq

import (
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/zone"
)

// An asked limit is within its burst and waits to be charged.
type asked struct {
	limit int
	state zone.Ref
}

// Pass settles the usual case in few steps, for a request that is asked about one limit only: a key whose place is known, within
// its burst and not held. It returns the new excess, in thousandths of a request. Where it reports false, nothing has
// changed but the order of use, in which the key is the latest now.
func (l *Limit) Pass(now clock.Msec) (excess int64, passed bool) { return l.PassAt(l.At, now) }

// PassAt is Pass for a key that is at a place, whatever Key and At say. A zone keeps no empty key.
func (l *Limit) PassAt(at Ref, now clock.Msec) (excess int64, passed bool) {
	z := l.Zone
	if !z.keys.Holds(at) {
		return 0, false
	}
	s := z.keys.Use(at)
	excess, moved := s.after(now, z.rate)
	if excess > l.Burst || excess > l.Delay {
		return 0, false
	}
	s.settle(now, excess, moved)
	return excess, true
}

// decideOne is decide for a list of one, without what several need.
func decideOne(now clock.Msec, l *Limit, dryRun bool, log *[]Lookup) Decision {
	if l.Key == "" || len(l.Key) > MaxKey {
		return Decision{Verdict: None, Zone: -1}
	}
	_, excess, result := l.Zone.lookUp(now, l, true)
	if log != nil {
		*log = append(*log, Lookup{Result: result, Excess: excess})
	}
	if result != Charged {
		return reject(0, excess, result == NoRoom, dryRun)
	}
	d := Decision{Verdict: Passed, Zone: -1}
	if wait := l.wait(excess); wait > 0 {
		d.Zone, d.Excess = 0, excess
		d.hold(wait, dryRun)
	}
	return d
}

func decide(now clock.Msec, limits []Limit, dryRun bool, log *[]Lookup) Decision {
	var room [8]asked
	open := room[:0]
	last := len(limits) - 1
	charged := false // the last limit charges while it looks up
	var excess int64
	for i := range limits {
		l := &limits[i]
		if l.Key == "" || len(l.Key) > MaxKey {
			continue
		}
		ref, found, result := l.Zone.lookUp(now, l, i == last)
		if log != nil {
			*log = append(*log, Lookup{Limit: i, Result: result, Excess: found})
		}
		switch result {
		case Over, NoRoom:
			return reject(i, found, result == NoRoom, dryRun)
		case Within:
			open = append(open, asked{i, ref})
		case Charged:
			charged, excess = true, found
		}
	}
	if !charged && len(open) == 0 {
		return Decision{Verdict: None, Zone: -1}
	}
	return accept(now, limits, charged, excess, open, dryRun)
}

func reject(limit int, excess int64, full, dryRun bool) Decision {
	d := Decision{Verdict: Rejected, Zone: limit, Excess: excess, Full: full}
	if dryRun {
		d.Verdict = RejectedDryRun
	}
	return d
}

// accept charges the limits that are still open, from the last to the first, and takes the longest wait.
func accept(now clock.Msec, limits []Limit, charged bool, excess int64, open []asked, dryRun bool) Decision {
	d := Decision{Verdict: Passed, Zone: -1}
	var longest clock.Msec
	if charged {
		i := len(limits) - 1
		if longest = limits[i].wait(excess); longest > 0 {
			d.Zone, d.Excess = i, excess
		}
	}
	for n := len(open) - 1; n >= 0; n-- {
		i := open[n].limit
		excess := limits[i].Zone.charge(now, open[n].state)
		if wait := limits[i].wait(excess); wait > longest {
			longest, d.Zone, d.Excess = wait, i, excess
		}
	}
	if longest > 0 {
		d.hold(longest, dryRun)
	}
	return d
}

func (d *Decision) hold(wait clock.Msec, dryRun bool) {
	if dryRun {
		d.Verdict, d.DryWait = DelayedDryRun, wait
	} else {
		d.Verdict, d.Wait = Delayed, wait
	}
}

// wait returns how long a request with that excess is held. A wait below a millisecond is none.
func (l *Limit) wait(excess int64) clock.Msec {
	if excess <= l.Delay {
		return 0
	}
	return clock.Msec(uint64(excess-l.Delay) * 1000 / uint64(l.Zone.rate))
}
