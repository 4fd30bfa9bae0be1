package peers

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// TestGroups has each peer counted below the network that covers it, and nobody else.
func TestGroups(t *testing.T) {
	given := fronts.ListOf("subnets.json", []netip.Prefix{netip.MustParsePrefix("10.0.4.0/22")})
	c := NewCollector(fronts.BuiltIn(), []*fronts.List{given})
	add := func(n int, client, forwarded string, refused bool) {
		answer := map[bool]Answer{true: Refused, false: Served}[refused]
		for range n {
			c.Add(Line{client, forwarded, answer})
		}
	}
	add(5, "10.0.4.17", "198.51.100.7", true)
	add(3, "10.0.5.9", "192.0.2.1, 198.51.100.8", false)
	add(4, "10.0.8.3", "198.51.100.7", false)
	add(2, "172.64.1.2", "203.0.113.9, 172.64.1.2", true) // recursion off: taken from the header
	add(2, "10.0.8.4", "10.9.9.9", false)                 // an inside client
	add(2, "203.0.113.5", "198.51.100.7", false)          // no proxy that is known
	add(2, "10.0.4.17", "-", false)
	add(1, "10.0.4.17", "unknown", false)
	add(1, "unix:", "198.51.100.7", false)
	add(1, "127.0.0.1", "2001:db8::1", false)
	var got []string
	for _, g := range c.Groups([]int{22}) {
		got = append(got, fmt.Sprintf("%s %q sure %v: %d peers, %s, %d requests, %d refused, %d clients, %d last", g.Network, g.Label, g.Sure, len(g.Peers), g.Addr, g.Requests, g.Refused, g.Clients, g.Last))
	}
	want := []string{
		`10.0.4.0/22 "subnets.json" sure true: 2 peers, 10.0.4.17, 8 requests, 5 refused, 2 clients, 0 last`,
		`10.0.8.0/22 "" sure false: 1 peers, 10.0.8.3, 4 requests, 0 refused, 1 clients, 0 last`,
		`172.64.0.0/13 "Cloudflare" sure true: 1 peers, 172.64.1.2, 2 requests, 2 refused, 1 clients, 2 last`,
		`127.0.0.1/32 "" sure false: 1 peers, 127.0.0.1, 1 requests, 0 refused, 1 clients, 0 last`,
	}
	if !slices.Equal(got, want) || c.Lines != 23 || c.Told != 20 {
		t.Errorf("%d lines, %d told:\n%s", c.Lines, c.Told, strings.Join(got, "\n"))
	}
}

// TestGroupsCover has every peer lie in its group's network, in one group only, and the sums agree, whatever lines come.
func TestGroupsCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewCollector(fronts.BuiltIn(), nil)
		address := rapid.Custom(func(t *rapid.T) string {
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				return rapid.StringMatching(`[0-9a-f:.]{0,12}`).Draw(t, "text")
			}
			a := [4]byte{rapid.SampledFrom([]byte{10, 172, 203}).Draw(t, "a"), rapid.Byte().Draw(t, "b"), rapid.Byte().Draw(t, "c"), rapid.Byte().Draw(t, "d")}
			return netip.AddrFrom4(a).String()
		})
		for range rapid.IntRange(0, 60).Draw(t, "lines") {
			c.Add(Line{address.Draw(t, "client"), address.Draw(t, "forwarded") + ", " + address.Draw(t, "next"), Answer(rapid.IntRange(0, 3).Draw(t, "answer"))})
		}
		seen := map[netip.Addr]bool{}
		for _, g := range c.Groups(nil) {
			var sum Peer
			for _, p := range g.Peers {
				if !g.Network.Contains(p.Addr) || seen[p.Addr] {
					t.Fatalf("%s in %s", p.Addr, g.Network)
				}
				seen[p.Addr] = true
				sum.Requests += p.Requests
				sum.Refused += p.Refused
			}
			if sum.Requests != g.Requests || sum.Refused != g.Refused || g.Refused > g.Requests || g.Clients > g.Requests {
				t.Fatalf("%+v", g)
			}
		}
	})
}
