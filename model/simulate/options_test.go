package simulate

import (
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// TestRefusedOptions has each option out of bounds named in a line.
func TestRefusedOptions(t *testing.T) {
	tree := treeOfText(t, "events {}\nhttp { server { listen 80; } }\n")
	one := &traffic.Fan{Requests: []traffic.FanRequest{{Path: "/", Kind: "html"}}}
	zero, two := 0, 2
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{}, "nobody"},
		{of(Crowd{}), "no requests"},
		{Options{Crowds: []Crowd{{Fan: one}}, Protocol: "h4"}, `protocol "h4"`},
		{of(Crowd{Fan: one, Clients: 1e8}), "clients are more"},
		{of(Crowd{Fan: one, Clients: -1}), "-1 clients"},
		{of(Crowd{Fan: one, PerAddress: []int{3, 0}}), "shared by 0 clients"},
		{of(Crowd{Fan: one, Repeat: 1e8}), "loads of a page"},
		{of(Crowd{Fan: one, Every: -1}), "negative"},
		{of(Crowd{Fan: one, Clients: 1e6, Arrival: Arrival{Kind: Every, Span: time.Hour}}), "ten years"},
		{of(Crowd{Fan: &traffic.Fan{Requests: []traffic.FanRequest{{Path: "/", DependsOn: &zero}}}}), "waits for itself"},
		{of(Crowd{Fan: &traffic.Fan{Requests: []traffic.FanRequest{{Path: "/"}, {Path: "/a", DependsOn: &two}}}}), "which it does not have"},
		{of(Crowd{Fan: &traffic.Fan{Streams: []traffic.Stream{{Requests: one.Requests, RatePerS: 1e9, DurationS: 1e6}}}}), "more than"},
		{of(Crowd{Fan: &traffic.Fan{Streams: []traffic.Stream{{RatePerS: 1, DurationS: 1}}}}), "stream 0 of the fan sends nothing"},
	} {
		_, err := Run(tree, route.New(tree), c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if r, err := Run(tree, route.New(tree), of(Crowd{Fan: one})); err != nil || r.Page.Pages != 1 || r.Page.LimitedMs.Max != 140 {
		t.Errorf("%+v, %v", r, err)
	}
}

// of are the options of one crowd.
func of(c Crowd) Options { return Options{Crowds: []Crowd{c}} }

// TestHosts has the page loaded from the server that a host leads to, by TLS where there is some.
func TestHosts(t *testing.T) {
	tree := treeOfText(t, `events {}
http {
    limit_req_zone $binary_remote_addr zone=a:1m rate=5r/s;
    server { listen 80; server_name a.example; return 301 https://$host$request_uri; }
    server { listen 443 ssl; server_name a.example; ssl_certificate c; ssl_certificate_key k; location / { proxy_pass http://127.0.0.1:1; } }
    server { listen 80; server_name *.b.example; location / { limit_req zone=a; proxy_pass http://127.0.0.1:1; } }
}
`)
	single := &traffic.Fan{Requests: []traffic.FanRequest{{Path: "/", Kind: "html"}}}
	for host, want := range map[string]string{
		"a.example":     "https://a.example/",
		"www.b.example": "http://www.b.example/",
		"":              "http://www.b.example/", // the first with a limit
	} {
		r, err := Run(tree, route.New(tree), Options{Crowds: []Crowd{{Fan: single}}, Host: host, KeepRequests: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Requests[0].URL != want || r.Requests[0].Location == nil || *r.Requests[0].Location != "/" {
			t.Errorf("host %q: %+v, want %s", host, r.Requests[0], want)
		}
	}
	r, err := Run(tree, route.New(tree), Options{Crowds: []Crowd{{Fan: single}}, Host: "other.example"})
	if err != nil || !strings.Contains(strings.Join(r.Assumptions, "\n"), `no server has the name "other.example"`) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestQuantiles compares the histogram, which takes over for large samples, with the exact values.
func TestQuantiles(t *testing.T) {
	var small, large sample
	for i := range int64(1000) {
		small.add(i % 100)
		for range 10 {
			large.add(i % 100)
		}
	}
	if large.histogram == nil || small.histogram != nil {
		t.Fatal("the histogram begins elsewhere")
	}
	want := Quantiles{P50: 49, P95: 94, P99: 98, Max: 99}
	if got := small.quantiles(); got != want {
		t.Errorf("exact: %+v, want %+v", got, want)
	}
	if got := large.quantiles(); got != want {
		t.Errorf("histogram: %+v, want %+v", got, want)
	}
	var none sample
	if got := none.quantiles(); got != (Quantiles{}) {
		t.Errorf("of nothing: %+v", got)
	}
	var zeros sample
	for range 5000 {
		zeros.add(0)
	}
	zeros.add(7)
	if got := zeros.quantiles(); got != (Quantiles{Max: 7}) || len(zeros.values) != 1 {
		t.Errorf("of zeros and one: %+v", got)
	}
}
