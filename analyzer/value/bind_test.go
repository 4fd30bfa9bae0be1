package value

import (
	"net/netip"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// TestBind: a bound template yields what the template yields, also where set has changed its variables, where a later
// definition has taken the place of an earlier one, and for requests with other definitions.
func TestBind(t *testing.T) {
	define := func(office string) *Definitions {
		d := &Definitions{}
		d.Map([]string{"$office", "$key"}, [][]string{{"1", "never"}})
		d.Geo([]string{"$office"}, [][]string{{"default", "0"}, {"192.0.2.0/24", "1"}})
		d.Map([]string{"$office", "$key"}, [][]string{{office, ""}, {"default", "$binary_remote_addr"}})
		d.Map([]string{"$key", "$again"}, [][]string{{"volatile"}, {"default", "-$key-$x"}})
		d.SplitClients([]string{"$key$x", "$part"}, [][]string{{"50%", "a"}, {"*", "b"}})
		if err := d.Declare("x", ""); err != nil {
			t.Fatal(err)
		}
		return d
	}
	settled, plain, other := define("1"), define("1"), define("0")
	settled.Settle()
	for _, text := range []string{"$key", "$again", "$part$office", "$x$again$x", "$uri", "", "$uri$key"} {
		template, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		bound := settled.Bind(template)
		for _, addr := range []string{"192.0.2.1", "203.0.113.7"} {
			for _, defs := range [][2]*Definitions{{settled, plain}, {other, other}} {
				requests := [2]*Request{}
				for i := range requests {
					requests[i] = &Request{HTTP: &request.Request{}, Definitions: defs[i], Client: netip.AddrPortFrom(netip.MustParseAddr(addr), 1), URI: "/u"}
				}
				for range 2 {
					if got, want := bound.Eval(requests[0]), template.Eval(requests[1]); got != want {
						t.Errorf("%s for %s: %+v, unbound %+v", text, addr, got, want)
					}
					for _, r := range requests {
						r.Set("x", Of("y"))
						r.Set("key", Of("z"))
					}
				}
			}
		}
	}
}
