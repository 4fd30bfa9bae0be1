package replay

import (
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// placeTimes compare how long the requests of one place took with how long their upstreams did, by the log alone.
type placeTimes struct {
	request  simulate.Sample // of requests with an upstream, milliseconds
	upstream simulate.Sample
	beside   simulate.Sample // what a request took beyond its upstream
	queued   simulate.Sample // likewise, of those that the log says were delayed

	logged, delayed, rejected int64                    // by the log
	kinds                     [malformed + 1]kindCount // of the requests that a limiter judged
	mixed                     int64                    // of those that the replay delays, how many stand in an order of lines that is made up
}

// A kindCount counts requests of one kind at one place.
type kindCount struct {
	judged, delayed, refused int64
	path                     string // of the first
}

func (t *placeTimes) count(n *entry, f *pipeline.Flight) {
	if v := f.Decision.Verdict; v != limitreq.None {
		t.kinds[n.class.kind].count(n, v)
		if n.mixed && (v == limitreq.Delayed || v == limitreq.DelayedDryRun) {
			t.mixed++
		}
	}
	switch n.limit {
	case accesslog.Delayed:
		t.delayed++
	case accesslog.Rejected:
		t.rejected++
	default:
	}
	if n.limit != accesslog.NotLogged {
		t.logged++
	}
	if n.requestMs < 0 || n.upstreamMs < 0 {
		return
	}
	beside := int64(max(n.requestMs-n.upstreamMs, 0))
	t.request.Add(int64(n.requestMs))
	t.upstream.Add(int64(n.upstreamMs))
	t.beside.Add(beside)
	if n.limit == accesslog.Delayed {
		t.queued.Add(beside)
	}
}

func (k *kindCount) count(n *entry, v limitreq.Verdict) {
	if k.judged == 0 {
		k.path = n.class.path
	}
	k.judged++
	switch v {
	case limitreq.Delayed, limitreq.DelayedDryRun:
		k.delayed++
	case limitreq.Rejected, limitreq.RejectedDryRun:
		k.refused++
	case limitreq.None, limitreq.Passed:
	}
}

// judged sums the kinds up.
func (t *placeTimes) judged() kindCount {
	var sum kindCount
	for i := range t.kinds {
		sum.judged += t.kinds[i].judged
		sum.delayed += t.kinds[i].delayed
		sum.refused += t.kinds[i].refused
	}
	return sum
}
