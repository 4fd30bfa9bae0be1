package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// clientLog sends twenty requests of each client, all in one second.
func clientLog(t *testing.T, clients ...string) Source {
	var b strings.Builder
	for n := range 20 {
		for _, c := range clients {
			fmt.Fprintf(&b, `{"msec":%d.%03d,"ip":"%s","request":"GET /api/x HTTP/1.1","status":200}`+"\n", start/1000, n, c)
		}
	}
	return sourceOf(t, "log", b.String(), accesslog.JSON)
}

// An address may stand with its port: all ports are one client.
func TestClientsWithPorts(t *testing.T) {
	r := run(t, limited, Options{}, clientLog(t, "203.0.113.1", "203.0.113.1:40001", "203.0.113.1:2", "[2001:db8::1]:80", "[2001:db8::1]", "2001:db8::1"))
	if len(r.Keys) != 2 || r.Keys[0].Requests != 60 || r.Keys[1].Requests != 60 || strings.Contains(asJSON(t, r), "no addresses") {
		t.Errorf("%+v %q", r.Keys, r.Assumptions)
	}
}

// What is no address is one client, which is said, and is shown as it was logged.
func TestClientsWithoutAddress(t *testing.T) {
	texts := []string{"999.1.1.1", "abc", "203.0.113.0/24", "203.0.113.1:99999", "203.0.113.1:", "[203.0.113.1]:80", "a:b", "[::1"}
	for _, key := range []string{"$binary_remote_addr", "$remote_addr", "$binary_remote_addr$uri", "$remote_addr$uri", "${remote_addr}abc", "x$binary_remote_addr"} {
		conf := strings.Replace(limited, "$binary_remote_addr", key, 1)
		r := run(t, conf, Options{}, clientLog(t, texts...))
		shown := map[string]bool{}
		for _, k := range r.Keys {
			shown[k.Key] = true
		}
		for _, text := range texts {
			want := strings.NewReplacer("$binary_remote_addr", text, "${remote_addr}", text, "$remote_addr", text, "$uri", "/api/x").Replace(key)
			if !shown[want] {
				t.Errorf("%s: %q is not among %v", key, want, shown)
			}
		}
		all := asJSON(t, r)
		if !strings.Contains(all, "160 requests of clients that are no addresses (first: log:1): each text is taken as one client") || strings.Contains(all, "fd6e") || strings.Contains(all, "fdngx") {
			t.Errorf("%s: %q", key, r.Assumptions)
		}
		hidden := asJSON(t, run(t, conf, Options{Redact: func(string) string { return "#" }}, clientLog(t, "abc", "999.1.1.1")))
		if strings.Contains(hidden, `"abc`) || strings.Contains(hidden, "999.1") || strings.Contains(hidden, "fd6e") {
			t.Errorf("%s: not redacted: %s", key, hidden)
		}
	}
}

// An address that is in no table any more is not shown either.
func TestStrangersForgotten(t *testing.T) {
	s := strangers{}
	a := s.address("abc")
	clear(s)
	s.address("other")
	b := a.As16()
	for _, key := range []string{a.String() + "/x", "y" + strings.Trim(fmt.Sprintf("%+q", string(b[:])), `"`) + "/x"} {
		if got := s.shown(key); !strings.Contains(got, noAddress) || !strings.HasSuffix(got, "/x") {
			t.Errorf("%q of %q", got, key)
		}
	}
}
