package value

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text  string
		parts []Part
		err   string
	}{
		{text: ""},
		{text: "abc", parts: []Part{{Literal: "abc"}}},
		{text: "$uri", parts: []Part{{Variable: "uri"}}},
		{text: "a$Uri-b", parts: []Part{{Literal: "a"}, {Variable: "uri"}, {Literal: "-b"}}},
		{text: "${uri}b$1", parts: []Part{{Variable: "uri"}, {Literal: "b"}, {Variable: "1"}}},
		{text: "$10", parts: []Part{{Variable: "1"}, {Literal: "0"}}},
		{text: "$0", parts: []Part{{Variable: "0"}}},
		{text: "$a$b", parts: []Part{{Variable: "a"}, {Variable: "b"}}},
		{text: "$", err: "invalid variable name"},
		{text: "a$", err: "invalid variable name"},
		{text: "$-", err: "invalid variable name"},
		{text: "${", err: "invalid variable name"},
		{text: "${}", err: "invalid variable name"},
		{text: "${a", err: `the closing bracket in "a" variable is missing`},
		{text: "${a-b}", err: `the closing bracket in "a" variable is missing`},
		{text: "${1}", err: `unknown "1" variable`},
	} {
		got, err := Parse(c.text)
		if message(err) != c.err || err == nil && !slices.Equal(pieces(got.Parts), pieces(c.parts)) {
			t.Errorf("%q: %q, %v", c.text, pieces(got.Parts), err)
		}
		if got.Text != c.text {
			t.Errorf("%q became %q", c.text, got.Text)
		}
	}
}

func pieces(parts []Part) (out [][2]string) {
	for _, p := range parts {
		out = append(out, [2]string{p.Literal, p.Variable})
	}
	return out
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a$b", "${a}b", "$1$2", "${", "$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Parse(s)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, p := range got.Parts {
			if p.Variable != "" {
				b.WriteString("$" + p.Variable)
			} else {
				b.WriteString(p.Literal)
			}
		}
		if plain := strings.NewReplacer("{", "", "}", "").Replace; !strings.EqualFold(plain(b.String()), plain(s)) {
			t.Errorf("%q was read as %q", s, pieces(got.Parts))
		}
	})
}

// requestFor is a request from 203.0.113.7 with header lines "Name: value".
func requestFor(target string, headers ...string) *Request {
	q := &request.Request{Target: target, Host: "a.example", Peer: netip.MustParseAddr("203.0.113.7"), PeerPort: 5000}
	for _, h := range headers {
		name, v, _ := strings.Cut(h, ": ")
		q.Headers = append(q.Headers, request.Header{Name: name, Value: v})
	}
	uri, args, _ := strings.Cut(target, "?")
	return &Request{HTTP: q, URI: uri, Args: args, Host: q.Host, ServerName: Of("s.example"), Client: netip.AddrPortFrom(q.Peer, q.PeerPort)}
}

// eval returns a template's value, or the reason why it is unknown behind a "?".
func eval(t *testing.T, r *Request, text string) string {
	t.Helper()
	template, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v := template.Eval(r)
	if got, known := v.Known(); known {
		return got
	}
	return "?" + v.Reason()
}

func TestVariables(t *testing.T) {
	r := requestFor("/a?k=1&K=2&x=", "X-Forwarded-For: 1.1.1.1", "X-Two: a", "x-two: b", "Cookie: a=1", "Cookie: b=2", "X_Under: u", "Authorization: Basic dTpw")
	for text, want := range map[string]string{
		"$binary_remote_addr": "\xcb\x00\x71\x07", "$remote_addr:$remote_port": "203.0.113.7:5000", "$host$http_host": "a.examplea.example", "$uri$is_args$args": "/a?k=1&K=2&x=",
		"$arg_k-$arg_K-$arg_x-$arg_y": "1-1--", "$cookie_b": "2", "$http_cookie": "a=1; b=2", "$http_x_two": "a, b", "$http_x_under": "", "$request": "GET /a?k=1&K=2&x= HTTP/1.1",
		"$remote_user": "u", "$scheme$https": "http", "$proxy_add_x_forwarded_for": "1.1.1.1, 203.0.113.7", "$ssl_client_verify": "", "$1$9": "",
		"$upstream_status": "?$upstream_status is known only after the upstream answered",
		"$upstream_http_x": "?$upstream_http_x is known only after the upstream answered",
		"a$nothing":        "?$nothing is set by nothing that was read",
		"$server_addr":     "?$server_addr is known only where the address that was connected to is given",
		"$hostname":        "?$hostname is the name of the machine that nginx runs on",
		"$msec":            "?$msec is a time",
	} {
		if got := eval(t, r, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	r.HTTP.Scheme = "https"
	if got, want := eval(t, requestTLS(r), "$ssl_client_s_dn"), "?$ssl_client_s_dn is not known from the configuration"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func requestTLS(r *Request) *Request {
	r.Reset()
	r.HTTP = &request.Request{Scheme: "https"}
	return r
}

// TestHeaderJoining: nginx 1.23.0 began to join the lines of every header; before, only those of two.
func TestHeaderJoining(t *testing.T) {
	for version, want := range map[string]string{"1.22.1": "a|1, 2", "1.23.0": "a, b|1, 2", "1.31.5": "a, b|1, 2", "": "a, b|1, 2", "0.8.54": "a|1, 2", "2.0": "a, b|1, 2"} {
		r := requestFor("/", "X-Two: a", "X-Forwarded-For: 1", "X-Two: b", "X-Forwarded-For: 2")
		r.Version = version
		if got := eval(t, r, "$http_x_two|$http_x_forwarded_for"); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}

func TestIPv6AndUnixClients(t *testing.T) {
	r := requestFor("/")
	r.Client = netip.MustParseAddrPort("[2001:db8::1]:99")
	if got := eval(t, r, "$binary_remote_addr"); len(got) != 16 {
		t.Errorf("%d bytes of an IPv6 address", len(got))
	}
	if got := eval(t, r, "$remote_addr"); got != "2001:db8::1" {
		t.Errorf("%q", got)
	}
	r.Reset()
	r.HTTP = &request.Request{}
	if got := eval(t, r, "$remote_addr$remote_port $binary_remote_addr"); got != "unix: unix:" {
		t.Errorf("%q", got)
	}
}

// TestCachedOnce: a variable that was used keeps its value when the client's address changes later, so that realip in a
// location comes too late for it.
func TestCachedOnce(t *testing.T) {
	r := requestFor("/")
	d := &Definitions{}
	for _, kind := range []string{"", "volatile"} {
		entries := [][]string{{"default", "$remote_addr"}}
		if kind != "" {
			entries = append(entries, []string{kind})
		}
		if p := d.Map([]string{"$uri", "$client" + kind}, entries); len(p) > 0 {
			t.Fatal(p)
		}
	}
	r.Definitions = d
	before := eval(t, r, "$client $clientvolatile $uri")
	r.Client, r.URI = netip.MustParseAddrPort("192.0.2.1:1"), "/b"
	if got, want := eval(t, r, "$client $clientvolatile $uri $binary_remote_addr"), "203.0.113.7 203.0.113.7 /b \xc0\x00\x02\x01"; got != want {
		t.Errorf("%q after %q, want %q", got, before, want)
	}
}

func TestSetAndDeclare(t *testing.T) {
	d := &Definitions{}
	r := requestFor("/?a=b")
	r.Definitions = d
	for name, reason := range map[string]string{"x": "", "late": "$late is set by auth_request_set from a subrequest's answer"} {
		if err := d.Declare(name, reason); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Declare("host", ""); message(err) != `the duplicate "host" variable` {
		t.Errorf("host may be declared: %v", err)
	}
	if err := d.Declare("args", ""); err != nil {
		t.Error(err)
	}
	if got := eval(t, r, "$args"); got != "a=b" {
		t.Errorf("$args before it is set: %q", got)
	}
	if got := eval(t, r, "[$x]"); got != "[]" {
		t.Errorf("not set yet: %q", got)
	}
	r.Set("x", Of("1"))
	r.Set("args", Of("c=d"))
	if got := eval(t, r, "[$X]$arg_c$args"); got != "[1]dc=d" {
		t.Errorf("%q", got)
	}
	if got := eval(t, r, "$late"); got != "?$late is set by auth_request_set from a subrequest's answer" {
		t.Errorf("%q", got)
	}
	if !d.Defined("LATE") || d.Defined("other") {
		t.Error("what is defined is not told right")
	}
}
