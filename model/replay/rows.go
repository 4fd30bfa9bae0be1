package replay

import (
	"math/bits"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// How many keys, paths and pages are counted one by one at a time; of more, those that come seldom are dropped.
const (
	mostKeys  = 1 << 17
	mostURIs  = 1 << 16
	mostPages = 1 << 12
)

type keyID struct {
	zone *config.Zone
	key  string
}

// A keyRow counts what one key of a zone met. What each request touches fills two lines of a processor's cache.
type keyRow struct {
	*keyRest
	Requests int64
	last     int64
	peak     int64 // the largest excess, in thousandths of a request
	who      *who
	// The fullest second, by which a shared address is told from a flood.
	second, inSecond, most int64
	documents, beside      int64 // pages, and what they are made of
	uris                   sketch
	sole                   bool // all of it came from one address
	dropped                bool // it is counted no more
}

// The rest of a keyRow is what few requests touch.
type keyRest struct {
	Delayed, Rejected       int64
	wait                    int64 // the longest, in milliseconds
	first                   int64
	uri                     *class // that was asked for first
	minute, inMinute, pages int64  // the fullest minute by pages begun
	agents, users, senders  sketch
}

// A sketch counts distinct values, roughly and to some hundreds.
type sketch struct{ a, b, c, d uint64 }

func (s *sketch) add(hash uint32) {
	if hash == 0 {
		return
	}
	bit := uint64(1) << (hash >> 8 % 64)
	switch hash >> 16 % 4 {
	case 0:
		s.a |= bit
	case 1:
		s.b |= bit
	case 2:
		s.c |= bit
	default:
		s.d |= bit
	}
}

// linear holds for each number of empty cells of 256 how many values most likely filled the others: 256 ln(256/empty).
func (s *sketch) n() int64 {
	full := bits.OnesCount64(s.a) + bits.OnesCount64(s.b) + bits.OnesCount64(s.c) + bits.OnesCount64(s.d)
	return likely[full]
}

// watch is told of every key that a request was asked about.
func (e *engine) watch(z *config.Zone, key string, _ clock.Msec, excess int64, charged bool) {
	n := e.now
	row := n.who.row(e, z, key)
	row.Requests++
	row.last = n.at
	if row.Requests == 1 {
		row.who, row.sole = n.who, true
		row.keyRest = &keyRest{first: n.at, uri: n.class}
	}
	if row.who != n.who {
		row.sole = row.sole && row.who.addr == n.who.addr
	}
	if n.agent|n.user|n.sender != 0 {
		row.agents.add(n.agent)
		row.users.add(n.user)
		row.senders.add(n.sender)
	}
	row.uris.add(n.class.number())
	switch n.class.kind {
	case document:
		row.documents++
		row.countPage(n.at)
	case static, api:
		row.beside++
	case other, health, malformed:
	}
	if second := n.at / 1000; second != row.second {
		row.second, row.inSecond = second, 0
	}
	row.inSecond++
	row.most = max(row.most, row.inSecond)
	if charged {
		row.peak = max(row.peak, excess)
	}
	d := &e.dec
	d.charged[min(d.charges, len(d.charged)-1)] = row
	d.charges++
}

// settle counts a verdict at the keys that were asked.
func (n *decided) settle(d *limitreq.Decision) {
	if d.Verdict == limitreq.Passed {
		return
	}
	for _, row := range n.charged[:min(n.charges, len(n.charged))] {
		switch d.Verdict {
		case limitreq.Rejected, limitreq.RejectedDryRun:
			row.Rejected++
		case limitreq.Delayed, limitreq.DelayedDryRun:
			row.Delayed++
			row.wait = max(row.wait, int64(d.Wait+d.DryWait))
		case limitreq.None, limitreq.Passed:
		}
	}
}

// row finds the row of a key; a client has mostly the same ones.
func (w *who) row(e *engine, z *config.Zone, key string) *keyRow {
	if w.key.is(z, key) {
		return w.key.row
	}
	for i := range w.keys {
		if k := &w.keys[i]; k.is(z, key) {
			w.key, *k = *k, w.key
			return w.key.row
		}
	}
	id := keyID{z, key}
	row := e.keys.of(id)
	if w.key.row != nil {
		w.keys[w.next] = w.key
		w.next = (w.next + 1) % int8(len(w.keys))
	}
	w.key = whoseKey{id, row}
	return row
}

// number tells classes apart in sketches.
func (c *class) number() uint32 {
	if c.hash == 0 {
		c.hash = hashOf(c.path)
	}
	return c.hash
}

type uriID struct {
	server *config.Server
	path   string
}

// A uriRow counts what one path met.
type uriRow struct {
	Requests, Delayed, Rejected int64
	wait                        int64 // the longest, in milliseconds
	kind                        kind
	dropped                     bool  // it is counted no more
	source                      int32 // of the first one that was refused or delayed
	line                        int64
}

func (u *uriRow) count(o outcome, wait int64, n *entry) {
	u.Requests++
	u.kind = n.class.kind
	if o == passed {
		return
	}
	if u.Delayed+u.Rejected == 0 {
		u.line, u.source = n.line, n.source
	}
	if o == delayed {
		u.Delayed++
		u.wait = max(u.wait, wait)
		return
	}
	u.Rejected++
}

// countPage counts the pages that a key begins within a minute.
func (k *keyRest) countPage(at int64) {
	if minute := at / 60_000; minute != k.minute {
		k.minute, k.inMinute = minute, 0
	}
	k.inMinute++
	k.pages = max(k.pages, k.inMinute)
}
