package simulate

import (
	"cmp"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// What is to be shown in its course is known only at the end: which page was the worst, which key had the fullest
// bucket. So the traffic is run twice: the first run finds out what to look at, and the second, which goes just the
// same, looks at it. Neither keeps more than that.

// A watch is what a run looks at. A nil watch looks at nothing.
type watch struct {
	// The first run:
	worst  pageRef
	sooner map[int64]pageRef // the first page that took a time, rounded to three digits

	// The second one:
	records map[loadKey]*record
	series  map[*config.Zone]*series
}

// A loadKey names a load across runs.
type loadKey struct {
	crowd         int32
	client, round int32
}

func keyOf(l *load) loadKey { return loadKey{l.crowd.number, l.client, l.round} }

// A pageRef names a page of a load.
type pageRef struct {
	loadKey
	visit  int
	broken bool
	took   int64
	lost   int32 // requests that were refused for good or never sent
}

func newWatch() *watch {
	return &watch{worst: pageRef{loadKey: loadKey{client: -1}}, sooner: map[int64]pageRef{}}
}

// page takes note of a page that is done.
func (w *watch) page(l *load, i int) {
	if w == nil || w.sooner == nil {
		return
	}
	v := &l.visits[i]
	if !v.begun {
		return
	}
	ref := pageRef{keyOf(l), i, v.broken, v.took(), v.lost}
	if w.worst.client < 0 || worse(&ref, &w.worst) {
		w.worst = ref
	}
	took := threeDigits(ref.took)
	if first, ok := w.sooner[took]; !ok || first.broken && !ref.broken {
		w.sooner[took] = ref
	}
}

// worse says whether a page is in a worse way than another: more is missing of it, or else it took longer.
func worse(a, b *pageRef) bool {
	return cmp.Or(cmp.Compare(a.lost, b.lost), cmp.Compare(a.took, b.took)) > 0
}

// threeDigits rounds a time, so that there are few different ones.
func threeDigits(ms int64) int64 {
	unit := int64(1)
	for ms/unit >= 1000 {
		unit *= 10
	}
	return ms / unit * unit
}

// median returns the page whose time is nearest to the median.
func (w *watch) median(p50 int64) (ref pageRef, ok bool) {
	want := threeDigits(p50)
	nearest := int64(-1)
	for took := range w.sooner {
		if !ok || distance(took, want) < distance(nearest, want) || distance(took, want) == distance(nearest, want) && took < nearest {
			nearest, ok = took, true
		}
	}
	return w.sooner[nearest], ok
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// recordOf returns the record of a load that is looked at; nil for any other.
func (w *watch) recordOf(l *load) *record {
	if w == nil || w.records == nil {
		return nil
	}
	d := w.records[keyOf(l)]
	if d != nil {
		d.load = l
	}
	return d
}

// finish completes the record of a load that is done.
func (w *watch) finish(l *load) {
	if l.record != nil {
		l.record.visits = slices.Clone(l.visits)
		l.record, w.records[keyOf(l)].load = nil, nil
	}
}

// detail runs the same traffic again, and looks at what the first run found.
func detail(first *simulation, r *Result, fresh func() *simulation) {
	s := fresh()
	s.meter.done = first.meter.done
	s.watch = &watch{records: map[loadKey]*record{}, series: map[*config.Zone]*series{}}
	refs := make([]pageRef, 0, 2)
	if ref, ok := first.watch.median(r.Page.LimitedMs.P50); ok {
		refs = append(refs, ref, first.watch.worst)
	}
	for _, ref := range refs {
		if s.watch.records[ref.loadKey] == nil {
			s.watch.records[ref.loadKey] = &record{at: map[int32]int{}, leftOut: map[int32]int{}}
		}
	}
	uses := first.pipe.Zones()
	for _, z := range uses {
		s.watch.series[z.Zone] = newSeries(z)
	}
	s.pipe.Watch = func(z *config.Zone, key string, now clock.Msec, excess int64, charged bool) {
		s.watch.series[z].take(key, now, excess, charged)
	}
	s.run()
	for i, ref := range refs {
		r.Waterfalls = append(r.Waterfalls, s.watch.records[ref.loadKey].waterfall([...]string{"median", "worst"}[i], &ref, s.crowds[ref.crowd]))
	}
	for i := range uses {
		r.Zones[i].Series = s.watch.series[uses[i].Zone].result()
	}
}
