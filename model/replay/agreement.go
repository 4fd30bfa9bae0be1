package replay

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// look is how far another time of arrival is tried where a decision differs, in milliseconds: so far do the clocks of
// nginx's workers stand apart under load, each of which reads the time once for all that has come.
const look clock.Msec = 25

// The kinds of disagreement, most telling first.
const (
	kindDryRun     = "dry_run"      // the same decision, in earnest on one side and in a dry run on the other
	kindUnknownKey = "unknown_key"  // the key is not known from the log
	kindNotHere    = "not_limited"  // the log says that a limiter ran, here none does
	kindNotThere   = "not_logged"   // here a limiter runs, the log says that none did
	kindTime       = "time"         // the log's times are whole seconds
	kindSubrequest = "subrequests"  // the log is looser, and holds subrequests, which nginx did not count
	kindWorkers    = "workers"      // the decision for a time that lies within the clocks of the workers
	kindRestart    = "zone_emptied" // the log passes what here is over the limit: the zone had been emptied
	kindBefore     = "before_log"   // the log refuses what would be the first requests: those before the log are not known
	kindUnlogged   = "unlogged"     // the log is stricter, and not all that counts in the zone is logged
	kindEdge       = "edge"         // the log is stricter, and the edge here stops requests that it holds
	kindStricter   = "log_stricter" // for no reason that is known
	kindLooser     = "log_looser"
)

// An agreement compares decisions with those in the log.
type agreement struct {
	logged, same, shifted int64
	kinds                 map[string]*kindRow
	lenient               []int64 // times of the last decisions that only an emptied zone would explain
}

// A kindRow is one kind of disagreement.
type kindRow struct {
	n              int64
	line           int64 // of the first
	source         int32
	logged, replay limitreq.Verdict
	pairs          map[[2]limitreq.Verdict]int64
}

// likely says whether the log may have been made by this configuration. The words of one that was made by another say nothing
// of when a request arrived.
func (a *agreement) likely() bool {
	return a.logged < enoughLogged || a.same*100 >= a.logged*likelySamePer
}

// compare notes whether a decision is the logged one, and if not why.
func (e *engine) compare(n *entry, f *pipeline.Flight) {
	e.dec.settle(&f.Decision)
	if n.limit == accesslog.NotLogged {
		return
	}
	a := &e.agree
	a.logged++
	there := verdicts[n.limit]
	if there == "" {
		there = limitreq.None
	}
	here := f.Decision.Verdict
	if here == there {
		a.same++
		if e.dec.shift != 0 {
			a.shifted++
		}
		return
	}
	kind := e.why(n, f, there, here)
	row := a.kinds[kind]
	if row == nil {
		row = &kindRow{line: n.line, source: n.source, logged: there, replay: here, pairs: map[[2]limitreq.Verdict]int64{}}
		a.kinds[kind] = row
	}
	row.n++
	row.pairs[[2]limitreq.Verdict{there, here}]++
}

// why finds the kind of a disagreement.
func (e *engine) why(n *entry, f *pipeline.Flight, there, here limitreq.Verdict) string {
	switch {
	case earnest(there) == earnest(here):
		return kindDryRun
	case n.class.unknown, n.lacks && here == limitreq.None && e.r.needs.madeOfHeaders(f.Place()):
		return kindUnknownKey
	case here == limitreq.None:
		return kindNotHere
	case there == limitreq.None:
		return kindNotThere
	case n.coarseTime:
		return kindTime
	case severity(there) < severity(here) && e.r.omissions.subrequests[f.Place().Server]:
		return kindSubrequest
	case severity(there) > severity(here) && e.r.omissions.touch(f.Place()):
		return kindUnlogged
	case e.dec.near != 0:
		return kindWorkers
	case severity(there) > severity(here):
		if n.at-e.first <= e.drainMs(f) {
			return kindBefore
		}
		if e.r.front != nil && e.r.front.stopped > 0 {
			return kindEdge
		}
		return kindStricter
	}
	if e.emptied(n) {
		return kindRestart
	}
	return kindLooser
}

// earnest is a verdict as it would be without a dry run.
func earnest(v limitreq.Verdict) string { return strings.TrimSuffix(string(v), "_DRY_RUN") }

func severity(v limitreq.Verdict) int {
	switch earnest(v) {
	case "DELAYED":
		return 1
	case "REJECTED":
		return 2
	}
	return 0
}

// drainMs is how long the fullest bucket of the zones at a place takes to be empty.
func (e *engine) drainMs(f *pipeline.Flight) int64 {
	longest := int64(1000)
	place := f.Place()
	if place.Level == nil {
		return longest
	}
	for _, l := range place.Level.Settings.LimitReqs.Value {
		if l.Zone != nil && l.Zone.Rate > 0 {
			longest = max(longest, (l.Burst+1000)*1000/l.Zone.Rate)
		}
	}
	return longest
}

const (
	manyLenient   = 5     // decisions within soon that only an emptied zone explains
	soon          = 5_000 // milliseconds
	enoughLogged  = 200   // decisions that must have been compared
	likelySamePer = 90    // percent that agree at least where the configuration is the one that made the log
	mostlySamePer = 98    // percent that must have agreed, so that the configuration is the one that made the log
)

// emptied says whether a zone that was emptied explains a decision. nginx keeps its zones when it reloads its
// configuration, and loses them when it is started anew or when their size changes. Where several decisions at once say
// so, and nearly all before agreed, the zones are emptied here as well.
func (e *engine) emptied(n *entry) bool {
	a := &e.agree
	for len(a.lenient) > 0 && n.at-a.lenient[0] > soon {
		a.lenient = a.lenient[1:]
	}
	a.lenient = append(a.lenient, n.at)
	if len(a.lenient) > 1000 {
		a.lenient = a.lenient[len(a.lenient)-1000:]
	}
	if len(a.lenient) >= manyLenient && a.logged >= enoughLogged && a.same*100 >= a.logged*mostlySamePer {
		e.pipe.Empty()
		e.restarts = append(e.restarts, n.at)
		a.lenient = a.lenient[:0]
	}
	return a.logged >= enoughLogged && a.same*100 >= a.logged*mostlySamePer
}
