package simulate

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// TestOrdinaryClients asks from where clients come that a configuration does not name.
func TestOrdinaryClients(t *testing.T) {
	everywhere := "allow 203.0.113.0/24; allow 198.51.100.0/24; allow 192.0.2.0/24; allow 198.18.0.0/15; allow 2001:db8::/32;"
	for _, test := range []struct {
		name, http, location string
		first, second        string
		says                 string
	}{
		{name: "nothing", first: "203.0.113.1", second: "203.0.113.2"},
		{name: "geo of a network", http: "geo $a { default 0; 203.0.113.0/24 1; }", first: "198.51.100.1", second: "198.51.100.2", says: "ordinary visitors"},
		{name: "one address", http: "geo $a { default 0; 203.0.113.1 1; }", first: "203.0.113.2", second: "203.0.113.3", says: "ordinary visitors"},
		{name: "behind those that are needed", http: "geo $a { default 0; 203.0.113.3 1; }", first: "203.0.113.1", second: "203.0.113.2"},
		{name: "ranges", http: "geo $a { ranges; default 0; 203.0.113.2-203.0.113.254 1; }", first: "203.0.113.1", second: "198.51.100.1", says: "ordinary visitors"},
		{name: "a proxy of geo", http: "geo $a { default 0; proxy 203.0.113.0/24; }", first: "198.51.100.1", second: "198.51.100.2", says: "ordinary visitors"},
		{name: "map", http: `map $remote_addr $a { default 0; 203.0.113.1 1; }`, first: "203.0.113.2", second: "203.0.113.3", says: "ordinary visitors"},
		{name: "regex", http: `map $remote_addr $a { default 0; ~^203\. 1; }`, first: "198.51.100.1", second: "198.51.100.2", says: "ordinary visitors"},
		{name: "regex for everybody", http: `map $remote_addr $a { default 0; ~^(?<net>\d+\.\d+)\. $net; }`, first: "203.0.113.1", second: "203.0.113.2"},
		{name: "regex over something else", http: `map $http_x $a { default 0; ~^203\. 1; }`, first: "203.0.113.1", second: "203.0.113.2"},
		{name: "everybody", http: "geo $a { default 0; 0.0.0.0/0 1; }", first: "203.0.113.1", second: "203.0.113.2"},
		{name: "trusted", http: "set_real_ip_from 203.0.113.0/24;", first: "198.51.100.1", second: "198.51.100.2", says: "ordinary visitors"},
		{name: "allow", location: "allow 203.0.113.0/24; deny all;", first: "198.51.100.1", second: "198.51.100.2", says: "ordinary visitors"},
		{name: "IPv4 is exhausted", location: strings.Replace(everywhere, "allow 2001:db8::/32;", "", 1), first: "2001:db8::2:0", second: "2001:db8::2:1", says: "ordinary visitors"},
		{name: "none is left", location: everywhere, first: "203.0.113.1", second: "203.0.113.2", says: "no others are left"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := treeOfText(t, fmt.Sprintf("events {}\nhttp { %s\nserver { listen 80; location / { %s proxy_pass http://127.0.0.1:81; } } }\n", test.http, test.location))
			fan := &traffic.Fan{Requests: []traffic.FanRequest{{Method: "GET", Path: "/", Kind: "api"}}}
			o := Options{Crowds: []Crowd{{Fan: fan, Clients: 2, Arrival: Arrival{Kind: Every, Span: time.Second}}}, KeepRequests: true}
			r, err := Run(tree, route.New(tree), o)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Requests[0].ClientIP + " " + r.Requests[1].ClientIP; got != test.first+" "+test.second {
				t.Errorf("clients come from %s, want %s and %s", got, test.first, test.second)
			}
			said := strings.Join(r.Assumptions, "\n")
			if test.says != "" && !strings.Contains(said, test.says) {
				t.Errorf("not said %q:\n%s", test.says, said)
			}
			if test.says == "" && (strings.Contains(said, "ordinary visitors") || strings.Contains(said, "no others")) {
				t.Errorf("said although nothing changes:\n%s", said)
			}
		})
	}
}

// TestOrdinaryNumbers takes clients one by one, passing those that lie in some network.
func TestOrdinaryNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var networks []netip.Prefix
		var found []interval
		for range rapid.IntRange(1, 12).Draw(t, "networks") {
			at := addressOf(rapid.IntRange(0, 2000).Draw(t, "at"))
			if rapid.IntRange(0, 5).Draw(t, "six") == 0 {
				at = addressOf(762 + 1<<17 + rapid.IntRange(0, 100).Draw(t, "at6"))
			}
			n := netip.PrefixFrom(at, at.BitLen()-rapid.IntRange(0, 17).Draw(t, "host bits")).Masked()
			networks = append(networks, n)
			found = append(found, numbersOf(n.String())...)
		}
		o := newOrdinary(found)
		k := -1
		for n := range 600 {
			for k++; named(networks, addressOf(k)); k++ {
			}
			if got, ok := o.number(n); !ok || got != k {
				t.Fatalf("client %d has number %d (%v), want %d beside %v", n, got, ok, k, networks)
			}
		}
	})
}

func named(networks []netip.Prefix, a netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
