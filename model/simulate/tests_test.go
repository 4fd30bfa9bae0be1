package simulate

import (
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// TestTests has the three tests pass and fail where they should, with figures.
func TestTests(t *testing.T) {
	server := func(rate, limit string) string {
		return "events {}\nhttp {\nlimit_req_zone $binary_remote_addr zone=z:1m rate=" + rate + ";\nserver { listen 80 http2; location / { limit_req zone=z " + limit + "; proxy_pass http://127.0.0.1:1; } }\n}\n"
	}
	for _, c := range []struct {
		name, text string
		clients    int
		passed     [3]bool
		says       [3]string
	}{
		{"roomy", server("30r/s", "burst=60 nodelay"), 1, [3]bool{true, true, true}, [3]string{
			"1 client at once: nothing refused, nothing held up", "1 client at once, 3 times, 10 s apart: nothing refused", "whole again from 500 ms on; within 10 s",
		}},
		{"slow to drain", server("1r/s", "burst=30 nodelay"), 1, [3]bool{true, false, false}, [3]string{
			"nothing refused", "of 69 requests refused, ", "whole again from 30 s on; within 10 s",
		}},
		{"no room", server("5r/s", "burst=10 nodelay"), 1, [3]bool{false, false, false}, [3]string{
			"of 23 requests refused, 1 of 1 page broken", "3 of 3 pages broken", "the page suffers even with empty buckets",
		}},
		{"held up", server("5r/s", "burst=30"), 1, [3]bool{false, false, false}, [3]string{
			"22 held up, for up to 3.", "held up", "even with empty buckets: 22 held up",
		}},
		{"an office", server("30r/s", "burst=60 nodelay"), 29, [3]bool{false, false, true}, [3]string{
			"29 clients at once: ", "29 clients at once, 3 times", "whole again",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := treeOfText(t, c.text)
			o := of(Crowd{Fan: fan(t, "portal"), Clients: c.clients, PerAddress: []int{c.clients}, Arrival: Arrival{Kind: Poisson, Span: time.Hour}})
			tests, err := Tests(tree, route.New(tree), o, TestNames)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range tests {
				if got.Name != TestNames[i] || got.Passed != c.passed[i] || !strings.Contains(got.Message, c.says[i]) {
					t.Errorf("%s: %t %q, want %t %q", got.Name, got.Passed, got.Message, c.passed[i], c.says[i])
				}
				if got.Passed && (got.Figures.Rejected > 0 || got.Figures.Pages == 0 || got.Figures.PageP95Ms != got.UnlimitedP95Ms) {
					t.Errorf("%s: %+v", got.Name, got)
				}
			}
			if r := tests[2]; r.EmptyMs == nil || *r.EmptyMs <= 0 || r.OverloadSent == 0 {
				t.Errorf("%+v", r)
			}
		})
	}
	tree := treeOfText(t, server("1r/s", "burst=1"))
	if _, err := Tests(tree, route.New(tree), of(Crowd{Fan: flood(1, 1, 0)}), TestNames); err == nil || !strings.Contains(err.Error(), "nobody comes but attackers") {
		t.Errorf("%v", err)
	}
	if _, err := Tests(tree, route.New(tree), of(Crowd{Fan: fan(t, "portal")}), []string{"long-burst"}); err == nil || !strings.Contains(err.Error(), "there are short-burst, ") {
		t.Errorf("%v", err)
	}
}
