package replay

import (
	"container/heap"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// An engine is one nginx: its zones, and what happened in them.
type engine struct {
	r    *replay
	name string
	pipe *pipeline.Pipeline

	trust   *realip.Config // nil where realip is off, or not the same everywhere
	uniform bool           // realip is the same everywhere
	header  string         // that realip reads; "" where there are several

	classes  *table[class]
	families *cache[familyKey, family]
	plans    *cache[boundKey, *pipeline.Plan]
	own      ownPlans
	router   *router
	whos     *table[who]
	servers  *cache[hostKey, target]
	doors    map[*config.Server]door
	parts    []string
	seen     []bool // which of needs.headers some line has held
	unseen   int    // how many none has

	spread *spread // of lines whose times are whole seconds
	mixed  int64   // lines of several such logs whose order is not known

	queue   *queue
	out     outlet   // of the queue
	left    []*entry // of a millisecond, still to be decided
	seq     int64
	looked  int64        // what lookAhead saw, so that it is looked at
	touched bool         // something was put into the queue since it was drained
	held    heldRequests // that hold a place in a zone of limit_conn

	tally  *simulate.Tally
	keys   *ranking[keyID, keyRow]
	uris   *ranking[uriID, uriRow]
	pages  *ranking[uriID, pageRow]
	spots  pipeline.ByPlace[spot]
	series Series // of all spots
	agree  agreement

	now         *entry          // that is being decided
	flight      pipeline.Flight // of it
	dec         decided
	first, last int64 // arrivals
	requests    int64
	late        int64 // took longer than Window, and were decided later than they came
	rebased     int64 // the time of all logs went back
	squeezed    int64 // were decided early, as too many waited
	unjudged    int64 // ended before any limiter, as the log shows
	strangers   int64 // hosts that no server has
	strange     int64 // of clients that are no addresses
	stranger    struct {
		source int32
		line   int64
	} // the first of them
	restarts   []int64
	assumed    []string
	hasAssumed map[string]bool
	together   bool // it stands for the hosts beyond mostHosts
}

func newEngine(r *replay, name string) *engine {
	e := &engine{
		r: r, name: name, pipe: pipeline.New(r.tree, r.router),
		classes: newTable[class](mostClasses), families: newCache[familyKey, family](mostClasses), plans: newCache[boundKey, *pipeline.Plan](mostBound),
		whos: newTable[who](mostWho), servers: newCache[hostKey, target](mostHostsOf),
		tally: simulate.NewTally(), hasAssumed: map[string]bool{},
	}
	if e.out = (outlet{e.lookAhead, e.decideAll}); r.front == nil {
		e.queue, e.spread = newQueue(), newSpread()
	} else {
		e.queue, e.out.take, e.spread = r.front.queue, r.front.decideAll, r.front.spread
	}
	e.agree.kinds = map[string]*kindRow{}
	e.keys = newRanking[keyID](mostKeys, func(k *keyRow) int64 { return k.Requests + 100*(k.Delayed+k.Rejected) })
	e.keys.drop = func(k *keyRow) { k.dropped = true }
	e.uris = newRanking[uriID](mostURIs, func(u *uriRow) int64 { return u.Requests + 100*(u.Delayed+u.Rejected) })
	e.uris.drop = func(u *uriRow) { u.dropped = true }
	e.pages = newRanking[uriID](mostPages, func(p *pageRow) int64 { return p.loads })
	e.pages.drop = func(p *pageRow) { p.dropped = true }
	e.seen, e.unseen = make([]bool, r.needs.own), r.needs.own
	e.trust, e.uniform = trustOf(r.tree)
	if e.trust != nil {
		e.header = e.trust.Header
	} else if !e.uniform && r.needs.header != "" {
		e.header = headerName(r.needs.header)
	}
	e.pipe.Authorized = true
	e.router = newRouter(e.pipe)
	e.pipe.Watch = e.watch
	e.pipe.Hint = &pipeline.Hint{}
	return e
}

func (e *engine) assume(text string) {
	if !e.hasAssumed[text] && len(e.assumed) < 50 {
		e.hasAssumed[text] = true
		e.assumed = append(e.assumed, text)
	}
}

// push takes a request in the order in which it was logged. Those whose turn has come by then are decided by the next drain.
func (e *engine) push(n *entry) {
	q := e.queue
	switch due := n.logged - Window; {
	case q.now < 0:
		q.now, q.from = due, due
	case n.logged < q.now:
		q.drainAll(due, e.out)
		e.rebased++
	case due > q.now:
		q.now = due
	}
	if n.at < q.now {
		e.late++
		n.at = q.now
	}
	if q.n >= mostWaiting {
		for q.drain(e.out); q.n >= mostWaiting; q.drainOne(e.out) {
			e.squeezed++
		}
		n.at = max(n.at, q.now)
	}
	e.seq++
	n.seq = e.seq
	q.put(n, e.out)
}

// finish decides what is left.
func (e *engine) finish() {
	e.queue.drainAll(e.queue.now, e.out)
	for len(e.held) > 0 {
		e.release(e.held[0].due)
	}
	for s := range e.spots.All() {
		s.windows.end()
	}
	e.whos.each(e.endVisits)
}

// beforeLimiter are answers that nginx gives before any limiter runs: to what it takes for no request, and to a body that is
// announced as too large. It gives some of them later too, where a body turns out to be bad or does not come; then a limiter
// has spoken, which the log may tell. An upstream gives them behind all limiters.
func beforeLimiter(n *entry) bool {
	if n.upstreamMs >= 0 || n.limit != accesslog.NotLogged && n.limit != accesslog.None {
		return false
	}
	switch n.status {
	case 408, 414, 494, 495, 496, 497:
		return true
	case 400, 413:
		return n.limit == accesslog.None || n.upstreamMs == accesslog.NoUpstream
	}
	return false
}

// mostOrdered bounds the requests of one millisecond whose order is looked for.
const mostOrdered = 128

// decideAll sends the requests of one millisecond. The log does not tell their order; where it tells their decisions,
// the next one is one that is decided as it says.
func (e *engine) decideAll(all []*entry) {
	if len(all) == 1 || len(all) > mostOrdered {
		for _, n := range all {
			e.decide(n, false)
		}
		return
	}
	e.left = append(e.left[:0], all...)
	left := e.left
	for len(left) > 0 {
		at := 0
		for at < len(left) && !e.decide(left[at], true) {
			at++
		}
		if at == len(left) {
			at = 0
			e.decide(left[0], false)
		}
		left = slices.Delete(left, at, at+1)
	}
	e.left = left
}

// decide sends one request through the configuration. With only it does so where the decision is the one that the log
// tells, or where the log tells none, and reports whether it did.
func (e *engine) decide(n *entry, only bool) bool {
	at := clock.Msec(n.at)
	for len(e.held) > 0 && e.held[0].due <= at {
		e.release(e.held[0].due)
	}
	judged := n.class.kind != malformed && !beforeLimiter(n)
	f := &e.flight
	if judged && !e.send(n, f, at, only) {
		return false
	}
	e.meet(n)
	switch {
	case !judged:
		e.unjudged++
	case e.r.needs.conns:
		e.hold(n, f, at)
	default:
		for f.Wait > 0 {
			at += f.Wait
			f.Resume(at)
		}
		e.count(n, f)
	}
	return true
}

// meet counts a request that came, whatever becomes of it.
func (e *engine) meet(n *entry) {
	if e.requests == 0 {
		e.first = n.at
	}
	if n.class.stale() {
		e.prepare(n.class)
	}
	if n.who.strange {
		if e.strange == 0 {
			e.stranger.source, e.stranger.line = n.source, n.line
		}
		e.strange++
	}
	e.requests++
	e.first, e.last = min(e.first, n.at), max(e.last, n.at)
	e.visit(n)
}

// send asks the first limiter; it reports false where that says something else than the log and only that was wanted.
func (e *engine) send(n *entry, f *pipeline.Flight, at clock.Msec, only bool) bool {
	e.now, e.dec = n, decided{}
	h := e.pipe.Hint
	h.Verdict, h.Look, h.Only, h.Slack, h.Shift, h.Near = verdicts[n.limit], look, only, 0, 0, 0
	if !n.coarseTime && e.agree.likely() {
		h.Slack = 1
	}
	if n.class.stale() {
		e.prepare(n.class)
	}
	if plan := n.class.plan; plan != nil {
		e.pipe.Resolved = true
		plan.StartInto(f, at, &n.who.caller)
	} else {
		e.pipe.Resolved = false
		*f = e.bound(n.class, n.who).Start(at)
	}
	undone := h.Undone
	e.dec.shift, e.dec.near = h.Shift, h.Near
	h.Verdict, h.Undone = "", false // it is of the first limiter alone
	return !undone
}

// serviceMs is how long a request took without what a limiter added, as far as the log tells it.
func (n *entry) serviceMs() int64 {
	switch {
	case n.upstreamMs >= 0:
		return int64(n.upstreamMs)
	case n.requestMs >= 0 && n.limit != accesslog.Delayed:
		return int64(n.requestMs)
	}
	return 0
}

// count notes what became of a request.
func (e *engine) count(n *entry, f *pipeline.Flight) {
	wait := int64(f.Decision.Wait)
	o := outcomeOf(f)
	n.class.uri.count(o, wait, n)
	s := e.spotOf(n.class, f.Place())
	s.tally.Count(f, wait+n.serviceMs())
	s.windows.count(n.at, o, n.coarseTime)
	s.times.count(n, f)
	e.compare(n, f)
	if e.r.o.Visit != nil {
		e.tellVisit(n, f)
	}
	if e.r.front != nil {
		e.r.front.answered(n, f, o)
	}
}

// verdicts are the words of the log as the limiter says them; "" where no limiter spoke.
var verdicts = [...]limitreq.Verdict{
	accesslog.NotLogged: "", accesslog.None: "", accesslog.Passed: limitreq.Passed, accesslog.Delayed: limitreq.Delayed, accesslog.Rejected: limitreq.Rejected,
	accesslog.DelayedDryRun: limitreq.DelayedDryRun, accesslog.RejectedDryRun: limitreq.RejectedDryRun,
}

// outcomeOf is what a limiter did to a request; a dry run does nothing, and is told apart.
func outcomeOf(f *pipeline.Flight) outcome {
	switch {
	case f.Refused():
		return rejected
	case f.Decision.Verdict == limitreq.Delayed:
		return delayed
	}
	return passed
}

type outcome uint8

const (
	passed outcome = iota
	delayed
	rejected
)

// A heldRequest waits in limit_req, or holds a place in limit_conn until it ends.
type heldRequest struct {
	due    clock.Msec
	flight *pipeline.Flight
	entry  *entry // nil once it is counted: it only holds its place
	place  *limitconn.Hold
	dec    decided
}

type heldRequests []heldRequest

func (h heldRequests) Len() int           { return len(h) }
func (h heldRequests) Less(i, j int) bool { return h[i].due < h[j].due }
func (h heldRequests) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heldRequests) Push(x any)        { *h = append(*h, x.(heldRequest)) }

// Pop takes the last one, as container/heap asks for.
func (h *heldRequests) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = heldRequest{}
	*h = (*h)[:last]
	return x
}

// hold goes on with a request while it waits, and lets it hold its place.
func (e *engine) hold(n *entry, f *pipeline.Flight, at clock.Msec) {
	if f.Wait > 0 {
		kept, flight := *n, *f
		heap.Push(&e.held, heldRequest{due: at + f.Wait, flight: &flight, entry: &kept, dec: e.dec})
		return
	}
	e.now = n
	e.count(n, f)
	if place := f.Hold(); place != nil {
		heap.Push(&e.held, heldRequest{due: at + clock.Msec(max(n.serviceMs(), 1)), place: place})
	}
}

// release lets the first of those go on whose time has come.
func (e *engine) release(at clock.Msec) {
	h := heap.Pop(&e.held).(heldRequest)
	if h.entry == nil {
		h.place.Finish()
		return
	}
	e.now, e.dec = h.entry, h.dec
	h.flight.Resume(at)
	e.hold(h.entry, h.flight, at)
}
