package simulate

import (
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// retrying is a fan of requests at once that are made again after 429 and 503: after 300 ms, 600 ms, 1200 ms.
func retrying(n int) *traffic.Fan {
	f := &traffic.Fan{Name: "retrying", Retries: []traffic.Retry{{
		Name: "ky", Statuses: []int{429, 503}, AtMost: 3, BaseMs: 300, Factor: 2, RetryAfter: true,
	}}}
	for range n {
		f.Requests = append(f.Requests, traffic.FanRequest{Method: "GET", Path: "/", Kind: "api", Retry: "ky"})
	}
	return f
}

// TestRetries has the times of the tries: 20 ms from nginx to the client, the wait, and 20 ms back.
func TestRetries(t *testing.T) {
	hanging := retrying(3)
	zero := 1
	hanging.Requests[2].DependsOn = &zero
	hanging.Requests[2].Retry = ""
	again := []int64{0, 0, 340, 980, 2220} // + 20 + 300 + 20, + 20 + 600 + 20, + 20 + 1200 + 20: then a second has gone by
	for _, c := range []struct {
		name, location string
		fan            *traffic.Fan
		times          []int64
		took           int64
		broken         int
	}{
		{"backoff", "", retrying(2), again, 2310, 0},
		{"429", "limit_req_status 429;", retrying(2), again, 2310, 0},
		{"another status", "limit_req_status 430;", retrying(2), []int64{0, 0}, 90, 1},
		{"retry-after", "add_header Retry-After 1 always;", retrying(2), []int64{0, 0, 1040}, 1130, 0},
		{"retry-after without always", "add_header Retry-After 1;", retrying(2), again, 2310, 0},
		{"what hangs on it waits", "add_header Retry-After 2 always;", hanging, []int64{0, 0, 2040, 2130}, 2170, 1},
		{"an error page takes the status", "error_page 503 =200 /shown;", retrying(2), []int64{0, 0}, 90, 1},
		{"it gives up", "limit_req_dry_run off; add_header Retry-After 0 always;", retrying(2), []int64{0, 0, 40, 80, 120}, 160, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := treeOfText(t, `events {}
http {
    limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s;
    server { listen 80; location / { limit_req zone=z; `+c.location+` proxy_pass http://127.0.0.1:1; } location = /shown { return 200; } }
}
`)
			r, err := Run(tree, route.New(tree), Options{Crowds: []Crowd{{Fan: c.fan}}, Protocol: HTTP2, KeepRequests: true, Detail: true})
			if err != nil {
				t.Fatal(err)
			}
			var times []int64
			tries := 0
			for _, row := range r.Requests {
				times = append(times, row.TMs)
				if row.Retry > 0 {
					tries++
				}
			}
			if !slices.Equal(times, c.times) || tries != r.Crowds[0].Retries {
				t.Errorf("times %v, want %v; %d tries, %d counted", times, c.times, tries, r.Crowds[0].Retries)
			}
			if r.Page.LimitedMs.Max != c.took || r.Page.BrokenPages != c.broken {
				t.Errorf("took %d ms, want %d; %d pages broken, want %d", r.Page.LimitedMs.Max, c.took, r.Page.BrokenPages, c.broken)
			}
			// The waterfall tells the same story.
			sent := 0
			for _, e := range r.Waterfalls[1].Entries {
				if e.Verdict != NotSent {
					sent++
				}
				if e.Try > 0 && e.IssuedMs < 300 && c.name == "backoff" {
					t.Errorf("sent again at once: %+v", e)
				}
			}
			if sent != len(c.times) || r.Waterfalls[1].TookMs != c.took {
				t.Errorf("%d entries, took %d: %+v", sent, r.Waterfalls[1].TookMs, r.Waterfalls[1].Entries)
			}
		})
	}
}
