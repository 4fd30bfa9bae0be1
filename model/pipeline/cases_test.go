package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

type caseFile struct {
	Input  struct{ File string }
	NginxT struct {
		Accepts bool
	} `json:"nginx_t"`
	Expect struct {
		Requests  []caseRequest
		Sequences []struct {
			Name         string
			Protocol     string
			Requests     []caseSent
			Outcomes     []string
			ConnOutcomes []string `json:"conn_outcomes"`
			Statuses     []*int
			Delays       []int64 `json:"delays_ms"`
			Zone         string
			Zones        []*string
		}
	}
}

type caseSent struct {
	sent
	Time   int64 `json:"t_ms"`
	Repeat int
}

type caseRequest struct {
	sent
	Server       *string
	Location     *string
	LocationLine int `json:"location_line"`
	Path         []string
	Runs         bool
	LimitedIn    string `json:"limited_in"`
	Limits       []struct {
		Zone      string
		KeyValue  *string `json:"key_value"`
		Counted   bool
		RateMilli int64 `json:"rate_milli"`
		Burst     int64
		Mode      string
	}
	ConnLimits []struct {
		Zone    string
		Max     int
		Counted bool
	} `json:"conn_limits"`
	RejectStatus     int  `json:"reject_status"`
	ConnRejectStatus int  `json:"conn_reject_status"`
	DryRun           bool `json:"dry_run"`
	Status           *int
	RemoteAddr       string `json:"remote_addr"`
	Trusted          *bool
}

// TestCases sends the requests and sequences of the public problem reports.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "cases"), "*", "case.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	same, all, sequences := 0, 0, 0
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var c caseFile
			readJSON(t, file, &c)
			if !c.NginxT.Accepts {
				t.Skip("nginx refuses it")
			}
			p := pipelineOf(t, filepath.Join(dir, c.Input.File))
			for i := range c.Expect.Requests {
				q := &c.Expect.Requests[i]
				all++
				tr := p.Fresh().Do(clock.Up, q.request(t))
				if diff := q.differences(&tr); diff != "" {
					t.Errorf("request %d, %s: %s (path %q, assumptions %q)", i, q.URI, diff, tr.Path(), tr.Assumptions)
					continue
				}
				same++
			}
			for _, s := range c.Expect.Sequences {
				p := p.Fresh()
				n := 0
				bad := false
				var held []*Flight
				var last int64
				check := func(f *Flight, wait int64) {
					var d []string
					if n < len(s.Outcomes) && string(f.Decision.Verdict) != s.Outcomes[n] {
						d = append(d, fmt.Sprintf("%s, want %s", f.Decision.Verdict, s.Outcomes[n]))
					}
					if n < len(s.ConnOutcomes) && string(f.Conn.Verdict) != s.ConnOutcomes[n] {
						d = append(d, fmt.Sprintf("%s, want %s", f.Conn.Verdict, s.ConnOutcomes[n]))
					}
					if n < len(s.Statuses) && s.Statuses[n] != nil && f.Status() != 0 && f.Status() != *s.Statuses[n] {
						d = append(d, fmt.Sprintf("status %d, want %d", f.Status(), *s.Statuses[n]))
					}
					if n < len(s.Delays) && (wait-s.Delays[n] > 70 || s.Delays[n]-wait > 70) {
						d = append(d, fmt.Sprintf("waits %d ms, want %d", wait, s.Delays[n]))
					}
					if s.Zone != "" && f.Zone != nil && f.Zone.Name != s.Zone {
						d = append(d, fmt.Sprintf("zone %s, want %s", f.Zone.Name, s.Zone))
					}
					if d != nil {
						t.Errorf("%s, request %d: %s", s.Name, n, strings.Join(d, "; "))
						bad = true
					}
					n++
				}
				for i := range s.Requests {
					q := &s.Requests[i]
					if q.Protocol == "" {
						q.Protocol = s.Protocol
					}
					r := q.request(t)
					plan := p.Plan(r, nil)
					if q.Host == nil {
						plan = p.Plan(r, p.g.tree.HTTP.Servers[0])
					}
					if q.Time > last && len(s.ConnOutcomes) == 0 {
						for _, f := range held { // the upstreams answered at once
							f.Finish()
						}
						held, last = nil, q.Time
					}
					for range max(q.Repeat, 1) {
						f := plan.Start(clock.Up + clock.Msec(q.Time))
						wait := f.Wait
						if wait > 0 {
							f.Resume(clock.Up + clock.Msec(q.Time) + wait)
						}
						check(&f, int64(wait))
						held = append(held, &f)
					}
				}
				if !bad {
					sequences++
				}
			}
		})
	}
	t.Logf("%d of %d requests and %d sequences of %d cases agree", same, all, sequences, len(files))
}

func (e *caseRequest) differences(tr *Trace) string {
	var d []string
	differ := func(what string, got, want any) {
		if shown(got) != shown(want) {
			d = append(d, what+" "+shown(got)+", want "+shown(want))
		}
	}
	if e.Server != nil && tr.Server != nil {
		differ("server", tr.Server.Names[0].Text, *e.Server)
	}
	if e.Location == nil {
		differ("location", tr.Location != nil, false)
	} else if tr.Location == nil {
		differ("location", nil, *e.Location)
	} else {
		differ("location", tr.Location.Label(), *e.Location)
		if e.LocationLine != 0 {
			differ("line", tr.Location.Directive.Span().From().Line, e.LocationLine)
		}
	}
	differ("runs", tr.LimiterRan, e.Runs)
	differ("limits", len(tr.Limits), len(e.Limits))
	for i := range min(len(e.Limits), len(tr.Limits)) {
		got, want := &tr.Limits[i], &e.Limits[i]
		differ("zone", got.ZoneName, want.Zone)
		differ("counted", got.Counted, want.Counted)
		differ("rate", got.Zone.Rate, want.RateMilli)
		differ("burst", got.Burst/1000, want.Burst)
		if key, ok := got.Key.Known(); ok && want.KeyValue != nil {
			differ("key", key, *want.KeyValue)
		}
	}
	differ("conn limits", len(tr.Conns), len(e.ConnLimits))
	for i := range min(len(e.ConnLimits), len(tr.Conns)) {
		differ("conn counted", tr.Conns[i].Counted, e.ConnLimits[i].Counted)
	}
	if e.RejectStatus != 0 {
		differ("reject status", tr.RejectStatus, e.RejectStatus)
		differ("dry run", tr.DryRun, e.DryRun)
	}
	if e.ConnRejectStatus != 0 {
		differ("conn reject status", tr.ConnRejectStatus, e.ConnRejectStatus)
	}
	if e.LimitedIn != "" && tr.LimitedIn != nil {
		differ("limited in", tr.LimitedIn.Label(), e.LimitedIn)
	}
	var status *int
	if tr.Status != 0 {
		status = &tr.Status
	}
	differ("status", status, e.Status)
	if e.RemoteAddr != "" {
		addr := "unix:"
		if tr.Client.Addr.IsValid() {
			addr = tr.Client.Addr.String()
		}
		differ("remote_addr", addr, e.RemoteAddr)
	}
	if e.Trusted != nil {
		differ("trusted", tr.Client.Trusted, *e.Trusted)
	}
	return strings.Join(d, "; ")
}
