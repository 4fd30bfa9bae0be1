package rule_test

import (
	"fmt"
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
)

// always takes every place.
func always(rule.Place) bool { return true }

// TestBurstNeeded asks the limiter: with the burst that is said to be needed it refuses none of a page, with one less some.
func TestBurstNeeded(t *testing.T) {
	suffered := func(location, limit string, rate int) rule.Suffered {
		facts := rule.NewFacts(ruletest.Resolve(t, server(location, limit, rate), ""), rule.Settings{ClientsPerAddress: 1})
		return facts.SufferedBy(facts.LimitReqs()[0], 0, always)
	}
	for _, rate := range []int{1, 5, 20, 60, 300} {
		for _, location := range []string{"/", "/api/", "/assets/"} {
			for _, limit := range []string{"burst=1", "burst=3 nodelay", "burst=30 delay=2"} {
				needed := suffered(location, limit, rate).BurstNeeded()
				if needed < 2 {
					t.Errorf("%s at %dr/s: a burst of %d is said to be enough", location, rate, needed)
				}
				if s := suffered(location, fmt.Sprintf("burst=%d nodelay", needed), rate); s.One.Harmed() {
					t.Errorf("%s at %dr/s: with burst=%d %+v", location, rate, needed, s.One)
				}
				if s := suffered(location, fmt.Sprintf("burst=%d nodelay", needed-1), rate); s.One.Rejected == 0 {
					t.Errorf("%s at %dr/s: burst=%d is enough, and %d is said to be needed", location, rate, needed-1, needed)
				}
			}
		}
	}
}

// TestSufferedBy gives each limit of a list what it decides itself, and both together what the place suffers.
func TestSufferedBy(t *testing.T) {
	text := `events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:10m rate=10r/s;
    limit_req_zone $server_name zone=srv:10m rate=10r/s;
    server {
        server_name a.example.com;
        location / { limit_req zone=ip burst=12 nodelay; limit_req zone=srv burst=60; proxy_pass http://127.0.0.1:8080; }
    }
}
`
	facts := rule.NewFacts(ruletest.Resolve(t, text, ""), rule.Settings{ClientsPerAddress: 1})
	list := facts.LimitReqs()[0]
	all := facts.Suffered(list.Places[0])
	ip, srv := facts.SufferedBy(list, 0, always), facts.SufferedBy(list, 1, always)
	if ip.One.Delayed != 0 || srv.One.Delayed == 0 || ip.One.Delayed+srv.One.Delayed != all.One.Delayed {
		t.Errorf("of %d delayed requests nodelay holds %d, the other limit %d", all.One.Delayed, ip.One.Delayed, srv.One.Delayed)
	}
	if ip.One.Rejected+srv.One.Rejected != all.One.Rejected {
		t.Errorf("of %d refused requests the limits refuse %d and %d", all.One.Rejected, ip.One.Rejected, srv.One.Rejected)
	}
	if ip.One.Requests != all.One.Requests || srv.One.Requests != all.One.Requests {
		t.Errorf("%d and %d requests of %d", ip.One.Requests, srv.One.Requests, all.One.Requests)
	}
}

func TestSufferedWords(t *testing.T) {
	tests := []struct {
		s    rule.Suffered
		want string
	}{
		{rule.Suffered{Clients: 1, One: rule.Counts{Requests: 1, Rejected: 1}}, "of a page's 1 request here 1 is refused"},
		{rule.Suffered{Clients: 1, One: rule.Counts{Requests: 9, Delayed: 1, Rejected: 2}}, "of a page's 9 requests here 1 waits and 2 are refused"},
		{
			rule.Suffered{Clients: 2, One: rule.Counts{Requests: 9}, Office: rule.Counts{Requests: 1200, Delayed: 1}},
			"of a page's 9 requests here none waits, with 2 clients behind one address 1 of 1,200 waits",
		},
	}
	for _, tt := range tests {
		if got := tt.s.Words(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
