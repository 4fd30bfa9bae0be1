// Package limitconn is nginx's limit_conn: how many requests of a key are being processed at once. It knows neither time
// nor connections nor configuration: a request starts and finishes, and keys come resolved. Each stream of HTTP/2 is a
// request of its own; a connection that waits for its next request counts for nothing.
package limitconn

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/zone"
)

// MaxKey is the longest key in bytes that is counted. nginx skips a longer one as it skips an empty one, with an error
// in its log.
const MaxKey = 255

// layout is what nginx's module keeps in a zone: its tree and sentinel; the text ` in limit_conn_zone "..."` in the
// length that nginx reserves; and for each key a tree node with the count.
var layout = zone.Layout{Own: 64, Text: 23, Entry: 36}

// Capacity returns how many keys of keyLen bytes a limit_conn zone of size bytes holds, where its name has nameLen
// bytes. It is exact for nginx on 64-bit systems, and zero for a size that nginx refuses.
func Capacity(size int64, nameLen, keyLen int) int {
	return layout.Capacity(size, nameLen, keyLen)
}

// A Verdict is what the limiter decided, in the words of $limit_conn_status.
type Verdict string

// The verdicts. None means that no limiter ran, or that every key was empty.
const (
	None           Verdict = "NONE"
	Passed         Verdict = "PASSED"
	Rejected       Verdict = "REJECTED"
	RejectedDryRun Verdict = "REJECTED_DRY_RUN"
)

// A Zone is one zone of limit_conn_zone: the counts of keys that have requests. It is not safe for use by several
// goroutines; nginx holds a lock.
type Zone struct {
	keys *zone.Zone[int64]
	name string
}

// NewZone returns an empty zone of size bytes. It fails for a size that nginx would refuse.
func NewZone(name string, size int64) (*Zone, error) {
	keys, err := zone.New[int64](layout, size, name)
	if err != nil {
		return nil, fmt.Errorf("zone %q: %w", name, err)
	}
	return &Zone{keys: keys, name: name}, nil
}

// Name returns the zone's name.
func (z *Zone) Name() string { return z.name }

// Len returns how many keys have requests.
func (z *Zone) Len() int { return z.keys.Len() }

// Count returns how many requests of a key are counted.
func (z *Zone) Count(key string) int64 {
	r := z.keys.Find(key)
	if r == zone.None {
		return 0
	}
	return *z.keys.At(r)
}

// A Limit is one limit_conn directive in force, with the key's value for the request at hand. A zone stands in a list
// at most once, as nginx insists.
type Limit struct {
	Zone *Zone
	Key  string // an empty key, and one above MaxKey, is not counted
	Max  int64  // requests at once; nginx takes 1 to 65535
}

// A Decision is one answer of the limiter.
type Decision struct {
	Verdict Verdict
	Zone    int     // index into the limits asked, of the one that rejected; -1 where none did
	Full    bool    // rejected because the zone had no room for the key; nginx then names no zone in its log
	Counts  []int64 // each key's requests, this one among them, in the order asked and as far as that got
}

// A Hold is what one request occupies. Finish gives it back, when the request is done or its client has gone.
type Hold struct {
	counted []counted
	counts  []int64
}

type counted struct {
	zone *Zone
	ref  zone.Ref
}

// Start asks the limits in order for one request. The first that is full rejects it, and what earlier ones had counted
// is taken back. With dryRun a rejected request goes on, but is counted nowhere either. A key that has no request yet
// passes whatever the limit.
func Start(limits []Limit, dryRun bool) (Decision, *Hold) {
	h := &Hold{}
	return h.Start(limits, dryRun), h
}

// Start is the function of that name with a Hold that is finished; the Counts of its Decision are good until the next one.
func (h *Hold) Start(limits []Limit, dryRun bool) Decision {
	h.counts = h.counts[:0]
	d := Decision{Verdict: None, Zone: -1}
	for i, l := range limits {
		if l.Key == "" || len(l.Key) > MaxKey {
			continue
		}
		ref, full := l.Zone.count(l.Key, l.Max)
		if ref == zone.None {
			h.Finish()
			d.Verdict, d.Zone, d.Full = Rejected, i, full
			if dryRun {
				d.Verdict = RejectedDryRun
			}
			return d
		}
		d.Verdict = Passed
		h.counts = append(h.counts, *l.Zone.keys.At(ref))
		h.counted = append(h.counted, counted{l.Zone, ref})
		d.Counts = h.counts
	}
	return d
}

// count adds one request of a key, or returns None: the limit is reached, or (full) the zone has no room.
func (z *Zone) count(key string, limit int64) (ref zone.Ref, full bool) {
	ref = z.keys.Find(key)
	if ref == zone.None {
		var ok bool
		if ref, ok = z.keys.Add(key); !ok {
			return zone.None, true
		}
	} else if *z.keys.At(ref) >= limit {
		return zone.None, false
	}
	*z.keys.At(ref)++
	return ref, false
}

// Finish gives back what the request occupied. A second call does nothing.
func (h *Hold) Finish() {
	for _, c := range h.counted {
		n := c.zone.keys.At(c.ref)
		if *n--; *n == 0 {
			c.zone.keys.Remove(c.ref)
		}
	}
	h.counted = h.counted[:0]
}
