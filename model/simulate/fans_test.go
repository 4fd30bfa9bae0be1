package simulate

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

type referenceFan struct {
	Name     string
	Requests []struct {
		Path          string
		Method        string
		Kind          string
		DependsOn     *int  `json:"depends_on"`
		StartOffsetMs int64 `json:"start_offset_ms"`
		Group         string
		LongLived     bool `json:"long_lived"`
	}
	ClientQueues []struct {
		Group     string
		AtOnce    int `json:"at_once"`
		Protocols []string
	} `json:"client_queues"`
	Reference struct {
		RTT    int64 `json:"rtt_ms"`
		H2, H1 timeline
	}
}

type timeline struct {
	Arrivals   []int64 `json:"arrivals_ms"`
	LastAnswer int64   `json:"last_answer_ms"`
}

// TestReferenceTimelines compares arrivals and the last answer of every fan with two other implementations of the same
// browser, over both protocols and without a limit.
func TestReferenceTimelines(t *testing.T) {
	data, err := os.ReadFile(nginxtest.Shared(t, "facts", "fans.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Fans []referenceFan }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	tree := treeOfText(t, "events {}\nhttp { server { listen 80; location / { proxy_pass http://127.0.0.1:1; } } }\n")
	for _, f := range file.Fans {
		fan := &traffic.Fan{Name: f.Name}
		for _, r := range f.Requests {
			fan.Requests = append(fan.Requests, traffic.FanRequest{
				Method: r.Method, Path: r.Path, Kind: r.Kind, DependsOn: r.DependsOn, StartOffsetMs: r.StartOffsetMs, Group: r.Group, LongLived: r.LongLived,
			})
		}
		for _, q := range f.ClientQueues {
			fan.ClientQueues = append(fan.ClientQueues, traffic.ClientQueue{Group: q.Group, AtOnce: q.AtOnce, Protocols: q.Protocols})
		}
		for protocol, want := range map[Protocol]timeline{HTTP1: f.Reference.H1, HTTP2: f.Reference.H2} {
			t.Run(f.Name+"/"+string(protocol), func(t *testing.T) {
				res, err := Run(tree, route.New(tree), Options{
					Crowds: []Crowd{{Fan: fan}}, Protocol: protocol, RTTMs: &traffic.Dist{First: float64(f.Reference.RTT)}, KeepRequests: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				got := map[string][]int64{}
				for _, row := range res.Requests {
					got[row.URL] = append(got[row.URL], row.TMs)
				}
				wanted := map[string][]int64{}
				for i, at := range want.Arrivals {
					url := "http://localhost" + fan.Requests[i].Path
					wanted[url] = append(wanted[url], at)
				}
				for url, times := range wanted {
					if !sameTimes(got[url], times) {
						t.Errorf("%s arrives at %v, want %v", url, got[url], times)
					}
				}
				if last := res.Page.LimitedMs.Max - f.Reference.RTT/2; last != want.LastAnswer {
					t.Errorf("last answer at %d ms, want %d", last, want.LastAnswer)
				}
			})
		}
	}
}

// sameTimes compares as sets: equal paths have no order among themselves.
func sameTimes(a, b []int64) bool {
	n := map[int64]int{}
	for _, t := range a {
		n[t]++
	}
	for _, t := range b {
		n[t]--
	}
	for _, c := range n {
		if c != 0 {
			return false
		}
	}
	return true
}
