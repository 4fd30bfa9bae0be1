package simulate

import (
	"cmp"
	"slices"

	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// maxEntries bounds the entries of a waterfall; nobody reads more.
const maxEntries = 2000

// NotSent is the verdict of an entry that was never sent, because what it waits for was refused.
const NotSent = "NOT_SENT"

// Blocked is the verdict of an entry that the edge answered.
const Blocked = "BLOCKED"

// A record is the course of one load. The methods of a nil record do nothing.
type record struct {
	load    *load
	entries []recorded
	at      map[int32]int // of the last try of a request
	leftOut map[int32]int // by page of the load
	visits  []visit       // at the end
}

// recorded is an entry whose times are still those of the simulation, in microseconds.
type recorded struct {
	Entry
	visit int32
}

// issue begins an entry: the client wants a request at a time.
func (d *record) issue(id int32, at int64) {
	if d == nil {
		return
	}
	q := d.load.crowd.request(id)
	if len(d.entries) == maxEntries {
		d.leftOut[q.visit]++
		delete(d.at, id)
		return
	}
	e := Entry{
		Request: int(id), DependsOn: q.DependsOn, Method: q.Method, Path: q.Path, Kind: q.Kind, Try: int(d.load.triesOf(id)), IssuedMs: at,
	}
	if q.byClient || q.byNumber {
		e.Path, _ = q.Expand(d.load.crowd.clientNumber(d.load), d.load.crowd.page.number(d.load, id))
	}
	if q.stream >= 0 {
		e.DependsOn = d.load.crowd.page.streams[q.stream].DependsOn
	}
	d.at[id] = len(d.entries)
	d.entries = append(d.entries, recorded{e, q.visit})
}

// entry returns the last try of a request; nil where it is left out.
func (d *record) entry(id int32) *Entry {
	if i, ok := d.at[id]; ok {
		return &d.entries[i].Entry
	}
	return nil
}

func (d *record) send(id int32, at int64) {
	if d == nil {
		return
	}
	if e := d.entry(id); e != nil {
		e.SentMs = at
	}
}

// done completes an entry whose answer left nginx at a time, and reaches the client at another.
func (d *record) done(id int32, left, back int64, a *answer) {
	if d == nil {
		return
	}
	e := d.entry(id)
	if e == nil {
		return
	}
	e.EndMs = back
	if a.status != 0 {
		e.Status = new(a.status)
	}
	f := a.flight
	if f == nil {
		e.Verdict = Blocked
		return
	}
	e.WaitMs = int64(f.Decision.Wait) * 1000
	e.ServiceMs = left - e.SentMs - d.load.rtt/2 - e.WaitMs
	e.Verdict, e.Zone = verdictOf(f), zoneOf(f)
	if place := f.Place(); place.Location != nil {
		e.Location = new(place.Label())
	}
}

// notSent makes an entry of a request that was never sent.
func (d *record) notSent(id int32) {
	if d == nil {
		return
	}
	d.issue(id, 0)
	if e := d.entry(id); e != nil {
		e.Verdict = NotSent
	}
}

// verdictOf is what the limiters said, in one word: a refusal by either counts.
func verdictOf(f *pipeline.Flight) string {
	switch {
	case f.Decision.Verdict == limitreq.Rejected || f.Conn.Verdict == limitconn.Rejected:
		return string(limitreq.Rejected)
	case f.Decision.Verdict == limitreq.None && f.Conn.Verdict != limitconn.None:
		return string(f.Conn.Verdict)
	}
	return string(f.Decision.Verdict)
}

// zoneOf names the zone that held a request up or refused it; nil for none.
func zoneOf(f *pipeline.Flight) *string {
	switch {
	case f.Zone != nil:
		return new(f.Zone.Name)
	case f.ConnZone != nil:
		return new(f.ConnZone.Name)
	}
	return nil
}

// waterfall returns one page of the load, in the order in which its requests were wanted; what was never sent comes last.
func (d *record) waterfall(which string, ref *pageRef, c *crowd) Waterfall {
	v := &d.visits[ref.visit]
	w := Waterfall{
		Which: which, Fan: c.Fan.Name, Client: int(ref.client) + 1, Load: int(ref.round) + 1, StartMs: v.start / 1000, TookMs: v.took(),
		Broken: v.broken, Entries: []Entry{}, LeftOut: d.leftOut[int32(ref.visit)],
	}
	for _, e := range d.entries {
		if int(e.visit) != ref.visit {
			continue
		}
		if e.Verdict != NotSent {
			for _, t := range []*int64{&e.IssuedMs, &e.SentMs, &e.EndMs} {
				*t = (*t - v.start + 500) / 1000
			}
		}
		e.WaitMs, e.ServiceMs = e.WaitMs/1000, (e.ServiceMs+500)/1000
		w.Entries = append(w.Entries, e.Entry)
	}
	slices.SortStableFunc(w.Entries, func(a, b Entry) int {
		if a, b := a.Verdict == NotSent, b.Verdict == NotSent; a != b {
			if a {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.IssuedMs, b.IssuedMs), cmp.Compare(a.Request, b.Request))
	})
	return w
}
