package limitreq

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/zone"
)

// layout is what nginx's module keeps in a zone: its tree, queue and sentinel; the text ` in limit_req zone ""` with its
// end; and for each key a tree node with the account.
var layout = zone.Layout{Own: 80, Text: 22, Entry: 80}

// Capacity returns how many keys of keyLen bytes a limit_req zone of size bytes holds before it drops any, where its
// name has nameLen bytes. An address as $binary_remote_addr has 4 or 16 bytes. It is exact for nginx on 64-bit
// systems, and zero for a size that nginx refuses.
func Capacity(size int64, nameLen, keyLen int) int {
	return layout.Capacity(size, nameLen, keyLen)
}

// A State is what a zone remembers about one key.
type State struct {
	Excess int64 // thousandths of a request
	Last   clock.Msec
}

// A Zone is one zone of limit_req_zone: its rate, and the accounts of its keys. Several limits may share it. It is not
// safe for use by several goroutines; nginx holds a lock.
type Zone struct {
	keys *zone.Zone[State]
	rate int64
	name string
}

// NewZone returns an empty zone. The rate is in thousandths of a request per second, as nginx stores it (10r/m is 166);
// the size is in bytes. It fails for numbers that nginx would refuse.
func NewZone(name string, rate, size int64) (*Zone, error) {
	if rate <= 0 {
		return nil, fmt.Errorf("zone %q has a rate of %d thousandths", name, rate)
	}
	keys, err := zone.New[State](layout, size, name)
	if err != nil {
		return nil, fmt.Errorf("zone %q: %w", name, err)
	}
	return &Zone{keys: keys, rate: rate, name: name}, nil
}

// Name returns the zone's name.
func (z *Zone) Name() string { return z.name }

// Rate returns the zone's rate in thousandths of a request per second.
func (z *Zone) Rate() int64 { return z.rate }

// Len returns how many keys the zone holds.
func (z *Zone) Len() int { return z.keys.Len() }

// Look looks at what is kept of a key at a place, so that it is at hand soon after; what it returns means nothing.
func (z *Zone) Look(at Ref) int64 {
	if z.keys.Holds(at) {
		return 1
	}
	return 0
}

// Reset makes the zone as new. No Ref of before holds then.
func (z *Zone) Reset() { z.keys.Reset() }

// Forget drops the account of a key, as if it had never been asked for. Refs of other keys hold.
func (z *Zone) Forget(key string) {
	if r := z.keys.Find(key); r != zone.None {
		z.keys.Remove(r)
	}
}

// State returns the account of a key, and whether there is one. It does not count as use.
func (z *Zone) State(key string) (State, bool) {
	r := z.keys.Find(key)
	if r == zone.None {
		return State{}, false
	}
	return *z.keys.At(r), true
}

// lookUp asks the zone about a key. A key that is over its burst becomes the most recently used all the same. With
// charge the account is settled at once.
func (z *Zone) lookUp(now clock.Msec, l *Limit, charge bool) (zone.Ref, int64, Result) {
	r := l.At
	if !z.keys.Holds(r) {
		if r = z.keys.Find(l.Key); r == zone.None {
			return z.admit(now, l.Key, charge)
		}
	}
	s := z.keys.Use(r)
	excess, moved := s.after(now, z.rate)
	switch {
	case excess > l.Burst:
		return r, excess, Over
	case !charge:
		return r, excess, Within
	}
	s.settle(now, excess, moved)
	return r, excess, Charged
}

// admit puts in a new key: excess 0, whatever the burst.
func (z *Zone) admit(now clock.Msec, key string, charge bool) (zone.Ref, int64, Result) {
	z.expire(now, idleAtMost)
	r, ok := z.keys.Add(key)
	if !ok {
		if r = z.keys.Oldest(); r != zone.None {
			z.keys.Remove(r)
		}
		z.expire(now, idleAtMost)
		if r, ok = z.keys.Add(key); !ok {
			return zone.None, 0, NoRoom
		}
	}
	if !charge {
		return r, 0, Within
	}
	z.keys.At(r).Last = now
	return r, 0, Charged
}

// charge settles the account of a key that was within its burst, and returns its excess.
func (z *Zone) charge(now clock.Msec, r zone.Ref) int64 {
	s := z.keys.At(r)
	excess, moved := s.after(now, z.rate)
	s.settle(now, excess, moved)
	return excess
}

func (s *State) settle(now clock.Msec, excess int64, moved bool) {
	s.Excess = excess
	if moved {
		s.Last = now
	}
}

// after returns the excess of one more request at now, and whether a charge moves the time of the account: it does
// not within the same millisecond, nor when the clock has gone back by up to a minute. A clock that went back further
// is taken to have gone on by 1 ms.
func (s *State) after(now clock.Msec, rate int64) (excess int64, moved bool) {
	ms := now - s.Last
	if ms < 0 {
		if ms >= -60000 {
			ms = 0
		} else {
			ms = 1
		}
	}
	return max(0, s.Excess-drained(rate, ms)+1000), ms != 0
}

// drained returns what a rate takes off in a time that is not negative. The product is unsigned, and wraps, as in
// nginx.
func drained(rate int64, ms clock.Msec) int64 {
	return int64(uint64(rate) * uint64(ms) / 1000)
}

const (
	// idleAtMost is how many idle keys make room for a new one.
	idleAtMost = 2
	// idleFrom is how long a key must not have been charged before it may be dropped unasked.
	idleFrom clock.Msec = 60000
)

// expire drops the least recently used keys, at most n, while they have been idle for a minute and owe nothing. The
// first that may not go ends it.
func (z *Zone) expire(now clock.Msec, n int) {
	for ; n > 0; n-- {
		r := z.keys.Oldest()
		if r == zone.None {
			return
		}
		s := z.keys.At(r)
		ms := now - s.Last
		if ms < 0 {
			ms = -ms
		}
		if ms < idleFrom || s.Excess-drained(z.rate, ms) > 0 {
			return
		}
		z.keys.Remove(r)
	}
}
