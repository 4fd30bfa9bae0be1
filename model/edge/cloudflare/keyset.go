package cloudflare

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// A keyset is characteristics that several rules count by. Which combination a request has is found out once for all of
// them.
type keyset struct {
	keys  []*lang.Key
	ids   map[string]int32 // of the combinations that some rule has a counter for
	free  []int32          // numbers that were given back
	next  int32            // number that was never given
	rules []*running       // that count by it
	scope lang.Scope

	full   int   // how many combinations there may be before it is looked for those that can be let go
	missed int64 // requests since the last sweep that found no room
	lost   int64 // requests that were not counted, as there was no room

	asked uint64 // the request that the rest is about
	key   []byte
	id    int32  // -1 for none yet
	why   string // what cannot be known; "" for nothing
}

// keysetOf returns the keyset of characteristics, the same one for the same. The data centre is part of each.
func (l *Layer) keysetOf(list []Characteristic) *keyset {
	var names []string
	k := &keyset{ids: map[string]int32{}, full: leastFull}
	for i := range list {
		if name := list[i].String(); name != "cf.colo.id" {
			names = append(names, name)
			k.keys = append(k.keys, list[i].Key)
		}
	}
	name := strings.Join(names, "\x00")
	if known := l.keysets[name]; known != nil {
		return known
	}
	l.keysets[name] = k
	return k
}

// leastFull is how many combinations there may be at any rate.
const leastFull = 4096

// mostCombinations bounds the combinations of a keyset that are counted at a time, so that those who send another one with
// each request cannot take all memory. Tests lower it.
var mostCombinations = 1 << 19

// find returns the number of a request's combination; make gives it one where it has none yet and there is room.
func (k *keyset) find(l *Layer, now clock.Msec, req *edge.Request, make bool) int32 {
	if k.asked != l.request {
		k.ask(l.request, req)
	}
	if k.id < 0 && make && k.why == "" && k.room(l, now) {
		if last := len(k.free) - 1; last >= 0 {
			k.id, k.free = k.free[last], k.free[:last]
		} else {
			k.id, k.next = k.next, k.next+1
		}
		k.ids[string(k.key)] = k.id
	}
	return k.id
}

// room says whether one more combination can be counted. Those whose counters stand at nothing are let go when there are
// twice as many as there were left the last time, which changes no decision, so that memory follows what comes within a
// window and not what ever came; where there is no room at all, who comes anew is not counted.
func (k *keyset) room(l *Layer, now clock.Msec) bool {
	if len(k.ids) < min(k.full, mostCombinations) {
		return true
	}
	if len(k.ids) >= mostCombinations && k.missed > 0 && k.missed < int64(mostCombinations)/8 {
		k.missed, k.lost = k.missed+1, k.lost+1
		return false
	}
	k.missed = 1
	for key, id := range k.ids {
		if !k.idle(l, now, id) {
			continue
		}
		for _, r := range k.rules {
			if int(id) < len(r.counters) {
				r.counters[id] = nil
			}
		}
		delete(k.ids, key)
		k.free = append(k.free, id)
	}
	k.full = max(leastFull, 2*len(k.ids))
	if len(k.ids) < mostCombinations {
		k.missed = 0
		return true
	}
	k.lost++
	return false
}

// idle says whether the counters of a combination stand at nothing, and no action goes on for it.
func (k *keyset) idle(l *Layer, now clock.Msec, id int32) bool {
	for _, r := range k.rules {
		if int(id) >= len(r.counters) || r.counters[id] == nil {
			continue
		}
		if c := r.counters[id]; c.until > now || c.value(l.window, now, r.period) > 0 {
			return false
		}
	}
	return true
}

func (k *keyset) ask(request uint64, req *edge.Request) {
	k.asked, k.id, k.why = request, -1, ""
	k.scope.Request = req
	k.key = append(append(k.key[:0], req.Colo...), 0)
	for _, key := range k.keys {
		var ok bool
		if k.key, ok = key.Append(&k.scope, k.key); !ok {
			k.why = "characteristic " + k.scope.Why()
			return
		}
	}
	if id, ok := k.ids[string(k.key)]; ok {
		k.id = id
	}
}
