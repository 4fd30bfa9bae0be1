package oracle

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// A judged is what limit_req decided, in the words of the measurements.
type judged struct {
	Outcome     string
	ExcessMilli *int64
	Zone        *string
	DelayMs     *int64
	Status      *int
	Alert       string
	Location    string // whose limits decided; "" where it is not said
	Keys        map[string]string
	Simulated   *judged // by simulate --requests; nil where it cannot be asked
}

func judgedOf(v *measured.Verdict) judged {
	return judged{Outcome: v.Outcome, ExcessMilli: v.ExcessMilli, Zone: v.Zone, DelayMs: v.DelayMs, Status: v.Status, Alert: v.Alert}
}

// judgeRun gives the requests of a run to the simulation, as simulate --requests does. How long nginx held a delayed
// request, and what it then answered, was not seen there.
func judgeRun(c *tally, path string) {
	r := measured.ReadRun(c, filepath.Dir(path))
	tree := c.load(r.Config, measured.Version)
	file, err := os.Open(r.Requests)
	if err != nil {
		c.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	result, err := simulate.Requests(tree, route.New(tree), traffic.ReadRequests(file, ""))
	if err != nil {
		c.Fatal(err)
	}
	if len(result.Requests) != len(r.Expected) || r.About.Requests != len(r.Expected) {
		c.Fatalf("%d rows for %d decisions of %d requests", len(result.Requests), len(r.Expected), r.About.Requests)
	}
	for i := range r.Expected {
		row := &result.Requests[i]
		got := ofRow(row)
		got.DelayMs = nil
		if row.Outcome == string(limitreq.Delayed) {
			got.Status = nil
		}
		c.compare(fmt.Sprintf("request %d at %d ms, %s", i, row.TMs, row.URL), got, judgedOf(&r.Expected[i]))
	}
}

// judgeLimitReq sends the requests of a scenario through the phases, one after the other: which limits judge, and by
// which keys, follows from the configuration. A delayed request is answered before the next one comes; that charges
// nothing.
func judgeLimitReq(c *tally, path string) {
	s := measured.ReadLimitReq(c, path)
	p := c.inText(s.Config)
	up := clock.Up
	if s.Uptime != nil {
		up = clock.Msec(*s.Uptime)
	}
	rows := c.simulated(s)
	for i := range s.Requests {
		r := &s.Requests[i]
		now := up + clock.Msec(r.TMs)
		f := p.Plan(measured.Get(c, r.URL, r.ClientIP, r.Headers), nil).Start(now)
		got, want := seen(&f), judgedOf(&r.Expect)
		if f.Wait > 0 {
			f.Resume(now + f.Wait)
		}
		tr := f.Trace()
		got.Status = &tr.Status
		if rows != nil {
			all := judgedOf(&r.Expect)
			got.Simulated, want.Simulated = new(ofRow(&rows[i])), &all
		}
		if got.Outcome != string(limitreq.None) {
			got.Keys, want.Keys = keysOf(&tr), keysIn(s, r.Key, &tr)
			if want.Location = r.Location; want.Location != "" && tr.LimitedIn != nil {
				got.Location = tr.LimitedIn.Label()
			}
		}
		c.compare(fmt.Sprintf("request %d at %d ms, %s, path %q", i, r.TMs, r.URL, tr.Path()), got, want)
	}
}

// simulated gives the requests of a scenario to the simulation, as simulate --requests does. It takes the host to have
// been up for long, so of another uptime it knows nothing.
func (c *tally) simulated(s *measured.LimitReq) []simulate.Row {
	c.Helper()
	if s.Uptime != nil {
		return nil
	}
	tree := c.loadText(inHTTP(s.Config), measured.Version)
	stream := func(yield func(traffic.Event, error) bool) {
		for i := range s.Requests {
			r := &s.Requests[i]
			e := traffic.Event{At: clock.Msec(r.TMs), URL: r.URL, Request: *measured.Get(c, r.URL, r.ClientIP, r.Headers)}
			if !yield(e, nil) {
				return
			}
		}
	}
	result, err := simulate.Requests(tree, route.New(tree), stream)
	if err != nil || len(result.Requests) != len(s.Requests) {
		c.Fatalf("simulate: %v", err)
	}
	return result.Requests
}

// ofRow writes a row of the simulation in the words of the measurements.
func ofRow(row *simulate.Row) judged {
	j := judged{Outcome: row.Outcome, ExcessMilli: row.ExcessMilli, Zone: row.Zone, Status: row.Status}
	if row.DelayMs > 0 {
		j.DelayMs = &row.DelayMs
	}
	if row.NoRoomIn != "" {
		j.Alert = noRoom(row.NoRoomIn)
	}
	return j
}

func noRoom(zone string) string { return `could not allocate node in limit_req zone "` + zone + `"` }

// seen writes what limit_req said to a request that has been started.
func seen(f *pipeline.Flight) judged {
	got := judged{Outcome: string(f.Decision.Verdict)}
	switch {
	case f.Decision.Full:
		got.Alert = noRoom(f.Zone.Name)
	case f.Zone != nil:
		got.ExcessMilli, got.Zone = new(f.Decision.Excess), new(f.Zone.Name)
	}
	if f.Decision.Verdict == limitreq.Delayed {
		got.DelayMs = new(int64(f.Decision.Wait))
	}
	return got
}

// keysOf returns the keys of the limits that judged, by zone.
func keysOf(tr *pipeline.Trace) map[string]string {
	keys := map[string]string{}
	for _, l := range tr.Limits {
		key, known := l.Key.Known()
		if !known {
			key = "not known: " + l.Key.Reason()
		}
		keys[l.ZoneName] = key
	}
	return keys
}

// keysIn returns those that a scenario gives for them, an address as nginx keeps it.
func keysIn(s *measured.LimitReq, given map[string]string, tr *pipeline.Trace) map[string]string {
	keys := map[string]string{}
	for _, l := range tr.Limits {
		keys[l.ZoneName] = given[l.ZoneName]
	}
	for _, z := range s.Zones {
		if addr, err := netip.ParseAddr(keys[z.Name]); err == nil && z.Key == "$binary_remote_addr" {
			keys[z.Name] = string(addr.AsSlice())
		}
	}
	return keys
}

// judgeLimitConn follows the scenarios step by step.
func judgeLimitConn(c *tally, path string) {
	for _, s := range measured.ReadLimitConn(c, path) {
		conns := &connections{tally: c, pipe: c.inText(s.Config), flights: map[string]*flight{}, now: clock.Up}
		for i := range s.Steps {
			conns.step(fmt.Sprintf("%s, step %d", s.Name, i), &s.Steps[i])
		}
	}
}

// connections are the requests of a scenario that are under way.
type connections struct {
	*tally
	pipe    *pipeline.Pipeline
	flights map[string]*flight
	now     clock.Msec
}

type flight struct {
	pipeline.Flight
	due clock.Msec // when limit_req lets it go on
}

// upstreamStatus is what the backend of the scenarios answers.
const upstreamStatus = 200

func (cs *connections) step(what string, step *measured.ConnStep) {
	switch step.Op {
	case "start":
		r := measured.Get(cs, step.URL, "", nil)
		if step.H2 != "" {
			r.Protocol, r.Server = "HTTP/2.0", netip.AddrPortFrom(netip.Addr{}, 8080)
		}
		f := &flight{Flight: cs.pipe.PlanAnswered(r, nil, upstreamStatus).Start(cs.now)}
		f.due = cs.now + f.Wait
		cs.flights[step.ID] = f
	case "wait":
		cs.now += clock.Msec(step.Ms)
	case "finish", "abort":
		cs.flights[step.ID].Finish()
	default:
		cs.Fatalf("%s: unknown operation %q", what, step.Op)
	}
	for _, f := range cs.flights {
		if f.Wait > 0 && f.due <= cs.now {
			f.Resume(f.due)
		}
	}
	got, want := standing(step, cs.flights[step.ID])
	cs.compare(fmt.Sprintf("%s, %s %s", what, step.Op, step.ID), got, want)
}

// How a request stands after a step.
type stands struct {
	Outcome, Zone, LimitReq string
	Status                  int
	Counts                  []int64
	Waiting, InFlight       bool
}

// standing compares as much as the step says.
func standing(step *measured.ConnStep, f *flight) (got, want stands) {
	x := &step.Expect
	got.Waiting, want.Waiting = f.Wait > 0, x.Waiting
	if step.Op == "start" || step.Op == "wait" {
		got.InFlight, want.InFlight = f.Done() && !f.Refused(), x.InFlight
	}
	if x.Outcome != nil {
		got.Outcome, want.Outcome = string(f.Conn.Verdict), *x.Outcome
	}
	if x.LimitReq != nil {
		got.LimitReq, want.LimitReq = string(f.Decision.Verdict), *x.LimitReq
	}
	if x.Status != nil {
		got.Status, want.Status = f.Status(), *x.Status
	}
	if f.ConnZone != nil && !f.Conn.Full {
		got.Zone = f.ConnZone.Name
	}
	switch {
	case x.Zone != nil:
		want.Zone = *x.Zone
	case x.Counts == nil: // a later step does not name the zone again
		want.Zone = got.Zone
	}
	if x.Counts != nil {
		got.Counts, want.Counts = append([]int64{}, f.Conn.Counts...), x.Counts
	}
	return got, want
}
