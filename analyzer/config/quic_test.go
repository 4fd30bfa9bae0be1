package config

import (
	"slices"
	"testing"
)

func beside(parameter string) string {
	return `"listen" directive "` + parameter + `" parameter is incompatible with "quic"`
}

// TestQUIC: QUIC listens on UDP, so its addresses are others than those of TCP; it needs a certificate and TLS 1.3 as soon as
// nginx starts, and leaves no choice of the protocol. What is wrong of it is told in the words of nginx 1.25.
func TestQUIC(t *testing.T) {
	const tls = " ssl_certificate a; ssl_certificate_key b; "
	for _, c := range []struct {
		http string
		want []string
	}{
		{`server { listen 443 ssl; listen 443 quic reuseport; listen [::]:443 ssl; listen [::]:443 quic reuseport;` + tls + `}`, nil},
		{`server { listen 443 ssl default_server; listen 443 quic reuseport default_server;` + tls + `}
		  server { server_name b; listen 443 ssl; listen 443 quic; }`, nil},
		{`server { listen 443 quic; listen 443 quic;` + tls + `}`, []string{"a duplicate listen 0.0.0.0:443"}},
		{
			`server { listen 443 quic reuseport;` + tls + `} server { server_name b; listen 443 quic reuseport;` + tls + `}`,
			[]string{"duplicate listen options for 0.0.0.0:443"},
		},
		{
			`server { listen 443 quic default_server;` + tls + `} server { server_name b; listen 443 quic default_server;` + tls + `}`,
			[]string{"a duplicate default server for 0.0.0.0:443"},
		},
		{`server { listen 443 quic; }`, []string{`no "ssl_certificate" is defined for the "listen ... quic" directive`}},
		{`server { listen 443 ssl; }`, []string{`no "ssl_certificate" is defined for the "listen ... ssl" directive`}},
		{`server { listen 443 quic; ssl_reject_handshake on; }`, nil},
		{
			`server { listen 443 quic; ssl_reject_handshake on; } server { server_name b; listen 443 quic; }`,
			[]string{`no "ssl_certificate" is defined for the "listen ... quic" directive`},
		},
		{
			`ssl_protocols TLSv1.2; server { listen 443 quic;` + tls + `}`,
			[]string{`"ssl_protocols" must enable TLSv1.3 for the "listen ... quic" directive`},
		},
		{`ssl_protocols TLSv1.2; server { listen 443 quic; ssl_protocols TLSv1.2 TLSv1.3;` + tls + `}`, nil},
		{`ssl_protocols TLSv1.2; server { listen 443 ssl;` + tls + `}`, nil},
		{`server { listen 443 quic ssl;` + tls + `}`, []string{beside("ssl")}},
		{`server { listen 443 proxy_protocol http2 ssl quic;` + tls + `}`, []string{beside("ssl")}},
		{`server { listen 443 proxy_protocol http2 quic;` + tls + `}`, []string{beside("http2")}},
		{`server { listen 443 quic so_keepalive=off proxy_protocol;` + tls + `}`, []string{beside("so_keepalive")}},
		{`server { listen 443 quic proxy_protocol backlog=9;` + tls + `}`, []string{beside("proxy_protocol")}},
		{`server { listen 443 quic backlog=9 deferred fastopen=1;` + tls + `}`, nil},
	} {
		var got []string
		for _, r := range resolveText(t, "events {}\nhttp {"+c.http+"}", "1.25.0").Refusals {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.http, got, c.want)
		}
	}
}

// TestBesideQUIC: later versions look for more of what cannot stand beside quic, and for that first.
func TestBesideQUIC(t *testing.T) {
	for _, c := range []struct{ parameters, version, want string }{
		{"ssl quic backlog=9 deferred fastopen=1", "1.27.1", "fastopen"},
		{"ssl quic backlog=9 deferred", "1.27.1", "backlog"},
		{"ssl quic deferred", "1.27.1", "deferred"},
		{"ssl quic multipath", "1.29.7", "multipath"},
		{"ssl quic reuseport rcvbuf=1k bind default_server", "1.29.7", "ssl"},
		{"quic reuseport rcvbuf=1k bind default_server ipv6only=on", "1.29.7", ""},
	} {
		text := "events {}\nhttp { server { listen [::]:443 " + c.parameters + "; ssl_certificate a; ssl_certificate_key b; } }"
		got, want := "", ""
		if r := refused(resolveText(t, text, c.version)); r != nil {
			got = r.Text
		}
		if c.want != "" {
			want = beside(c.want)
		}
		if got != want {
			t.Errorf("%s with %s: %q, want %q", c.parameters, c.version, got, want)
		}
	}
}
