package value

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestLength: nested maps that come to any length are bounded, and say which variable would be too long.
func TestLength(t *testing.T) {
	for _, kind := range []string{"plain", "volatile", "source", "mixed"} {
		d := &Definitions{}
		for i := range 60 {
			entries := [][]string{{"default", strings.Repeat(fmt.Sprintf("$v%d", i), 9)}}
			source := "$uri"
			switch kind {
			case "volatile":
				entries = append(entries, []string{"volatile"})
			case "source":
				source = strings.Repeat(fmt.Sprintf("$v%d", i), 9)
			case "mixed": // each needs the two before, again for every use
				entries = [][]string{{"default", fmt.Sprintf("$v%d$v%d", i, max(i-1, 0))}, {"volatile"}}
			}
			if p := d.Map([]string{source, fmt.Sprintf("$v%d", i+1)}, entries); len(p) > 0 {
				t.Fatal(p)
			}
		}
		if p := d.Map([]string{"$uri", "$v0"}, [][]string{{"default", "0123456789abcdef"}}); len(p) > 0 {
			t.Fatal(p)
		}
		r := requestFor("/")
		r.Definitions = d
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := r.Variable("v60")
		runtime.ReadMemStats(&after)
		if _, known := v.Known(); known {
			t.Errorf("%s: known", kind)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4*maxWork {
			t.Errorf("%s: %d bytes", kind, used)
		}
		if want := "$v6 would be longer than 1 MiB"; kind == "plain" && (v.Reason() != want || !v.TooLong()) {
			t.Errorf("%s: %q", kind, v.Reason())
		}
	}
}

// TestSetLength: the same by set, each time from the last value.
func TestSetLength(t *testing.T) {
	r := requestFor("/")
	r.Set("x", Of("0123456789abcdef"))
	text, err := Parse("$x$x$x$x$x$x$x$x$x$x$x")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		r.Set("x", text.Eval(r))
	}
	if v := r.Variable("x"); v.Reason() != "$x would be longer than 1 MiB" {
		t.Errorf("%q", v.Reason())
	}
}

// TestCycle: nginx ends a cycle of variables after a hundred turns with an empty value (and an error in its log).
func TestCycleLength(t *testing.T) {
	d := &Definitions{}
	for _, m := range [][2]string{{"$a", "x$b"}, {"$b", "$a"}} {
		if p := d.Map([]string{"$uri", m[0]}, [][]string{{"default", m[1]}}); len(p) > 0 {
			t.Fatal(p)
		}
	}
	r := requestFor("/")
	r.Definitions = d
	if s, known := r.Variable("a").Known(); !known || s != strings.Repeat("x", 50) {
		t.Errorf("%q", s)
	}
}

// TestLateBuiltins: what newer versions give is known to be nginx's own, unknown in value, and free for a configuration that
// runs on an older one.
func TestLateBuiltins(t *testing.T) {
	for _, name := range []string{"proxy_protocol_tlv_alpn", "request_port", "is_request_port"} {
		if !Builtin(name) || Reserved(name) != "" {
			t.Errorf("$%s: builtin %v, reserved %q", name, Builtin(name), Reserved(name))
		}
		r := requestFor("/")
		r.Version = "1.22.1"
		if v := r.Variable(name); !strings.HasPrefix(v.Reason(), "$"+name+" is ") {
			t.Errorf("$%s: %q", name, v.Reason())
		}
	}
}

// TestRequestPort: the port that the client names, from the request line before the Host header.
func TestRequestPort(t *testing.T) {
	for _, c := range []struct{ host, target, want string }{
		{"a.example", "/", ""},
		{"a.example:8080", "/x?http://b:1/", "8080"},
		{"[2001:db8::1]:81", "/", "81"},
		{"[2001:db8::1]", "/", ""},
		{"a.example:8080", "http://b.example:81/x:9", "81"},
		{"a.example:8080", "http://b.example/x:9", ""},
	} {
		r := requestFor(c.target)
		r.HTTP.Host, r.HTTP.Target = c.host, c.target
		port, _ := r.Variable("request_port").Known()
		colon, known := r.Variable("is_request_port").Known()
		if port != c.want || !known || (colon == ":") != (port != "") {
			t.Errorf("%s %s: %q%q, want %q", c.host, c.target, colon, port, c.want)
		}
	}
}
