package simulate

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// row begins the row of a request at its arrival, and returns its number; -1 where none is kept.
func (s *simulation) row(l *load, r int32, at int64) int32 {
	if !s.opts.KeepRequests {
		return -1
	}
	t, q := &s.target, l.crowd.request(r)
	path := q.Path
	if q.byClient || q.byNumber {
		path, _ = q.Expand(l.crowd.clientNumber(l), l.crowd.page.number(l, r))
	}
	row := Row{
		TMs: int64(toClock(at) - epoch), ClientIP: addressText(t.clients.address(l.address)), URL: t.scheme + "://" + t.host + path,
		Retry: int(l.triesOf(r)),
	}
	if len(s.crowds) > 1 {
		row.Fan = l.crowd.Fan.Name
	}
	s.rows = append(s.rows, row)
	return int32(len(s.rows) - 1)
}

// fill completes a row with the decision.
func (s *simulation) fill(row int32, f *pipeline.Flight) {
	if row >= 0 {
		s.rows[row].decide(f)
	}
}

// decide fills in what became of the row's request.
func (row *Row) decide(f *pipeline.Flight) {
	place := f.Place()
	if place.Location != nil {
		row.Location = new(place.Label())
	}
	d := &f.Decision
	row.Outcome, row.DelayMs = string(d.Verdict), int64(d.Wait)
	switch {
	case f.Zone == nil || d.Verdict == limitreq.Passed:
	case d.Full:
		row.NoRoomIn = f.Zone.Name
	default:
		row.Zone, row.ExcessMilli = new(f.Zone.Name), new(d.Excess)
	}
	row.ConnOutcome = string(f.Conn.Verdict)
	if f.Lost() {
		row.Outcome, row.ConnOutcome = orUnknown(row.Outcome), orUnknown(row.ConnOutcome)
	}
	if f.ConnZone != nil {
		row.ConnZone = new(f.ConnZone.Name)
	}
	if status := f.Status(); status != 0 {
		row.Status = new(status)
	}
}

// Unknown is the outcome of a request that could not be followed as far as any limiter.
const Unknown = "UNKNOWN"

func orUnknown(outcome string) string {
	if outcome == string(limitreq.None) {
		return Unknown
	}
	return outcome
}

// block completes the row of a request that never reached nginx.
func (row *Row) block(status int) {
	row.Outcome, row.ConnOutcome = string(limitreq.None), string(limitconn.None)
	if status != 0 {
		row.Status = new(status)
	}
}

func addressText(a netip.Addr) string {
	if !a.IsValid() {
		return "unix:"
	}
	return request.AddrText(a)
}
