package pipeline

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// TestLimitReqVectors replays the scenarios of limit_req through the whole pipeline: which limits judge, and with which
// keys, follows from the configuration.
func TestLimitReqVectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "oracle", "vectors", "limit_req"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	same, all := 0, 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var s struct {
				Config   string
				Uptime   *int64 `json:"monotonic_at_t0_ms"`
				Requests []struct {
					sent
					Time     int64 `json:"t_ms"`
					Location string
					Expect   decided
				}
			}
			readJSON(t, file, &s)
			p := pipelineOfText(t, s.Config)
			start := clock.Up
			if s.Uptime != nil {
				start = clock.Msec(*s.Uptime)
			}
			for i := range s.Requests {
				r := &s.Requests[i]
				all++
				f := p.Plan(r.request(t), nil).Start(start + clock.Msec(r.Time))
				got := f.decided()
				if f.Wait > 0 {
					f.Resume(start + clock.Msec(r.Time) + f.Wait)
				}
				tr := f.Trace()
				got.Status = tr.Status
				want := r.Expect
				if shown(got) != shown(want) {
					t.Errorf("request %d at %d ms, %s\n got %s\nwant %s\npath %q", i, r.Time, r.URL, shown(got), shown(want), tr.Path)
					continue
				}
				if l := tr.LimitedIn; tr.LimiterRan && r.Location != "" && (l == nil || l.Label() != r.Location) {
					t.Errorf("request %d at %d ms: limited in %v, want %s", i, r.Time, l, r.Location)
					continue
				}
				same++
			}
		})
	}
	t.Logf("%d of %d requests of %d scenarios agree", same, all, len(files))
}

type decided struct {
	Outcome     string
	ExcessMilli *int64 `json:"excess_milli"`
	Zone        *string
	DelayMs     *int64 `json:"delay_ms"`
	Status      int
}

func (f *Flight) decided() decided {
	d := decided{Outcome: string(f.Decision.Verdict)}
	if f.Zone != nil && !f.Decision.Full {
		d.ExcessMilli, d.Zone = new(f.Decision.Excess), new(f.Zone.Name)
	}
	if f.Decision.Verdict == limitreq.Delayed {
		d.DelayMs = new(int64(f.Decision.Wait))
	}
	return d
}

// TestLimitConnVectors replays the scenarios of limit_conn step by step.
func TestLimitConnVectors(t *testing.T) {
	var scenarios []struct {
		Name   string
		Config string
		Steps  []struct {
			sent
			Op     string
			ID     string
			Ms     int64
			H2     string
			Expect struct {
				Outcome  *string
				Status   *int
				Zone     *string
				InFlight bool    `json:"in_flight"`
				Waiting  bool    `json:"waiting_in_limit_req"`
				LimitReq *string `json:"limit_req"`
				Counts   []int64
			}
		}
	}
	readJSON(t, nginxtest.Shared(t, "oracle", "vectors", "limit_conn.json"), &scenarios)
	same, all := 0, 0
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			p := pipelineOfText(t, s.Config)
			flights := map[string]*Flight{}
			due := map[string]clock.Msec{}
			now := clock.Up
			for i := range s.Steps {
				step := &s.Steps[i]
				all++
				switch step.Op {
				case "start":
					f := p.PlanAnswered(step.request(t), nil, 200).Start(now)
					flights[step.ID] = &f
					due[step.ID] = now + f.Wait
				case "wait":
					now += clock.Msec(step.Ms)
				case "finish", "abort":
					flights[step.ID].Finish()
				}
				for id, f := range flights {
					if f.Wait > 0 && due[id] <= now {
						f.Resume(due[id])
					}
				}
				f := flights[step.ID]
				if f == nil {
					same++
					continue
				}
				type seen struct {
					outcome, zone string
					waiting       bool
					limitReq      string
					status        int
				}
				got := seen{string(f.Conn.Verdict), "", f.Wait > 0, string(f.Decision.Verdict), 0}
				want := seen{got.outcome, "", step.Expect.Waiting, got.limitReq, 0}
				if f.ConnZone != nil && !f.Conn.Full {
					got.zone = f.ConnZone.Name
				}
				if step.Expect.Outcome != nil {
					want.outcome = *step.Expect.Outcome
				}
				if step.Expect.Zone != nil {
					want.zone = *step.Expect.Zone
				} else if step.Op != "start" {
					want.zone = got.zone
				}
				if step.Expect.LimitReq != nil {
					want.limitReq = *step.Expect.LimitReq
				}
				if step.Expect.Status != nil {
					want.status, got.status = *step.Expect.Status, f.Status()
				}
				if got != want {
					t.Errorf("step %d, %s %s: got %+v, want %+v", i, step.Op, step.ID, got, want)
					continue
				}
				same++
			}
		})
	}
	t.Logf("%d of %d steps of %d scenarios agree", same, all, len(scenarios))
}
