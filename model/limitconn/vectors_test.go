package limitconn

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

type scenario struct {
	Name  string
	Zones []struct{ Name, Key string }
	scenarioLimits
	Locations map[string]scenarioLimits
	Steps     []struct {
		Op, ID, URL string
		Expect      struct {
			Outcome  Verdict
			Zone     *string
			Counts   []int64
			Waiting  bool    `json:"waiting_in_limit_req"`
			LimitReq *string `json:"limit_req"`
		}
	}
}

type scenarioLimits struct {
	Limits []struct {
		Zone string
		Conn int64
	}
	DryRun bool `json:"dry_run"`
}

// TestVectors replays the scenarios measured on nginx. What limit_req does to a request before is taken from the
// expectations, and try_files is followed where a scenario needs it; both belong to the pipeline.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile(nginxtest.Shared(t, "oracle", "vectors", "limit_conn.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []scenario
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) { s.replay(t) })
	}
}

func (s *scenario) replay(t *testing.T) {
	zones, keys := map[string]*Zone{}, map[string]string{}
	for _, z := range s.Zones {
		var err error
		if zones[z.Name], err = NewZone(z.Name, 1<<20); err != nil {
			t.Fatal(err)
		}
		keys[z.Name] = strings.TrimPrefix(z.Key, "$arg_")
	}
	holds, urls := map[string]*Hold{}, map[string]string{}
	for i, step := range s.Steps {
		switch step.Op {
		case "finish", "abort":
			holds[step.ID].Finish()
			continue
		case "start":
			urls[step.ID] = step.URL
		case "wait":
		default:
			t.Fatalf("step %d: unknown %s", i, step.Op)
		}
		if step.Expect.Waiting || step.Expect.LimitReq != nil && *step.Expect.LimitReq == "REJECTED" {
			continue
		}
		limits, names, dryRun := s.limits(t, zones, keys, urls[step.ID])
		d, hold := Start(limits, dryRun)
		holds[step.ID] = hold
		zone := ""
		if d.Zone >= 0 {
			zone = names[d.Zone]
		}
		want := ""
		if step.Expect.Zone != nil {
			want = *step.Expect.Zone
		}
		if d.Verdict != step.Expect.Outcome || zone != want || !slices.Equal(d.Counts, step.Expect.Counts) {
			t.Errorf("step %d, %s: %+v by %q, nginx %+v", i, step.URL, d, zone, step.Expect)
		}
	}
}

// limits returns what decides about a URL: the location's list, and where that counts nothing the list of the location
// that try_files leads to.
func (s *scenario) limits(t *testing.T, zones map[string]*Zone, keys map[string]string, raw string) ([]Limit, []string, bool) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	in := s.scenarioLimits
	if s.Locations != nil {
		own, ok := s.Locations[u.Path]
		if in = own; !ok || u.Path == "/open/" {
			in = s.Locations["/app/"]
		}
	}
	var limits []Limit
	var names []string
	for _, l := range in.Limits {
		limits = append(limits, Limit{Zone: zones[l.Zone], Key: u.Query().Get(keys[l.Zone]), Max: l.Conn})
		names = append(names, l.Zone)
	}
	return limits, names, in.DryRun
}
