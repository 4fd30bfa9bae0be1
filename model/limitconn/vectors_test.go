package limitconn

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
)

// TestVectors replays the scenarios measured on nginx. What limit_req does to a request before is taken from the
// expectations, and try_files is followed where a scenario needs it; both belong to the pipeline.
func TestVectors(t *testing.T) {
	for _, s := range measured.ReadLimitConn(t, measured.Path(t, "vectors", "limit_conn.json")) {
		t.Run(s.Name, func(t *testing.T) { replay(t, &s) })
	}
}

func replay(t *testing.T, s *measured.LimitConn) {
	t.Helper()
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
		limits, names, dryRun := limitsOf(t, s, zones, keys, urls[step.ID])
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
		if string(d.Verdict) != *step.Expect.Outcome || zone != want || !slices.Equal(d.Counts, step.Expect.Counts) {
			t.Errorf("step %d, %s: %+v by %q, nginx %+v", i, step.URL, d, zone, step.Expect)
		}
	}
}

// limitsOf returns what decides about a URL: the location's list, and where that counts nothing the list of the location
// that try_files leads to.
func limitsOf(t *testing.T, s *measured.LimitConn, zones map[string]*Zone, keys map[string]string, raw string) ([]Limit, []string, bool) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	in := s.ConnLimits
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
