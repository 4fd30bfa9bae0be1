package config

import (
	"slices"
	"testing"
)

// TestDeprecatedHTTP2: from 1.25.1 on nginx warns of the parameter at each listen that has it, in the order of the words,
// and takes it all the same.
func TestDeprecatedHTTP2(t *testing.T) {
	const old = `the "listen ... http2" directive is deprecated, use the "http2" directive instead`
	for _, c := range []struct {
		servers, version string
		want             []string
	}{
		{`server { listen 80 http2; listen 81; }`, "1.25.0", nil},
		{`server { listen 80 http2; listen 81; }`, "1.25.1", []string{old}},
		{`server { listen 80 http2; listen 81 http2; } server { listen 80 http2; server_name b; }`, "", []string{old, old, old}},
		{`server { listen 80; http2 on; }`, "", nil},
		{`server { listen 80 http2 x; }`, "", []string{old, `invalid parameter "x"`}},
		{`server { listen 80 x http2; }`, "", []string{`invalid parameter "x"`}},
	} {
		tree := resolveText(t, "events {}\nhttp {"+c.servers+"}", c.version)
		var got []string
		for _, r := range tree.Refusals {
			got = append(got, r.Text)
			if (r.Text == old) != r.Warning {
				t.Errorf("%s: %q is taken for a warning: %t", c.servers, r.Text, r.Warning)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s for %q: %q, want %q", c.servers, c.version, got, c.want)
		}
		if l := tree.HTTP.Servers[0].Listens; len(got) == 1 && got[0] == old && !l[0].HTTP2 {
			t.Errorf("%s: HTTP/2 is not on", c.servers)
		}
	}
}
