package traffic

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

func collect(r io.Reader, host string) (events []Event, err error) {
	for e, err := range ReadRequests(r, host) {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

func TestReadRequests(t *testing.T) {
	const text = "\ufeff" + `{"t_ms": 12, "client_ip": "203.0.113.7", "peer_ip": "10.0.0.5", "method": "POST", "url": "https://portal.example.com:8443/api//x?q=%20#top",` +
		`"headers": {"X-B": "1", "X-A": ["2", "3"], "Host": "other.example"}, "response": {"status": 200, "headers": {"x-score": "100"}}}` +
		"\r\n\n  \n" + `{"t_ms": 5.0, "url": "http://[2001:db8::1]?a", "client_ip": "::ffff:192.0.2.1", "method": null}` + "\n" +
		`{"url": "/path", "t_ms": 0, "peer_ip": "192.0.2.9"}`
	got, err := collect(strings.NewReader(text), "given.example")
	if err != nil {
		t.Fatal(err)
	}
	a := netip.MustParseAddr
	want := []Event{
		{
			At: 12, Client: a("203.0.113.7"), URL: "https://portal.example.com:8443/api//x?q=%20#top",
			Request: request.Request{
				Method: "POST", Scheme: "https", Host: "other.example", Target: "/api//x?q=%20", Peer: a("10.0.0.5"),
				Headers: []request.Header{{Name: "X-B", Value: "1"}, {Name: "X-A", Value: "2"}, {Name: "X-A", Value: "3"}},
				Server:  netip.AddrPortFrom(netip.Addr{}, 8443),
			},
			Response: &Response{Status: 200, Headers: []request.Header{{Name: "x-score", Value: "100"}}},
		},
		{
			At: 5, Client: a("::ffff:192.0.2.1"), URL: "http://[2001:db8::1]?a",
			Request: request.Request{
				Scheme: "http", Host: "[2001:db8::1]", Target: "/?a", Peer: a("::ffff:192.0.2.1"),
				Server: netip.AddrPortFrom(a("2001:db8::1"), 80),
			},
		},
		{
			At: 0, Client: a("192.0.2.9"), URL: "/path",
			Request: request.Request{Host: "given.example", Target: "/path", Peer: a("192.0.2.9")},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{}, netip.AddrPort{})); diff != "" {
		t.Error(diff)
	}
}

func TestReadRequestsDefaults(t *testing.T) {
	got, err := collect(strings.NewReader(`{"t_ms":0,"url":"http://a/"}`), "")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if e := got[0]; e.Client != loopback || e.Request.Peer != loopback || e.Request.Server.Port() != 80 || e.Response != nil {
		t.Errorf("%+v", e)
	}
}

// Two slashes in front are a path as nginx gets it, and no host.
func TestReadRequestsSlashes(t *testing.T) {
	got, err := collect(strings.NewReader(`{"t_ms":0,"url":"//api//x?y#z","headers":{"Host":"a.example"}}`), "")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if r := got[0].Request; r.Host != "a.example" || r.Target != "//api//x?y" {
		t.Errorf("%+v", r)
	}
}

func TestReadRequestsRefuses(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{"t_ms":0}`, "url is missing"},
		{`{"url":"http://a/"}`, "t_ms is missing"},
		{`{"t_ms":null,"url":"http://a/"}`, "t_ms is missing"},
		{`{"t_ms":0,"url":"http://a/","ip":"x"}`, `unknown field "ip"; allowed are t_ms, client_ip, peer_ip, method, url, headers, response`},
		{`{"t_ms":0,"URL":"http://a/"}`, `unknown field "URL"`},
		{`{"t_ms":-1,"url":"http://a/"}`, "t_ms: -1 is not between 0 and "},
		{`{"t_ms":"0","url":"http://a/"}`, "t_ms: a string where a whole number is expected"},
		{`{"t_ms":1.5,"url":"http://a/"}`, "t_ms: 1.5 where a whole number is expected"},
		{`{"t_ms":1e400,"url":"http://a/"}`, "t_ms: 1e400 where a whole number is expected"},
		{`{"t_ms":0,"url":"http://a/","client_ip":"1.2.3"}`, `client_ip: "1.2.3" is no IP address`},
		{`{"t_ms":0,"url":"http://a/","peer_ip":"fe80::1%eth0"}`, `peer_ip: "fe80::1%eth0" is no IP address`},
		{`{"t_ms":0,"url":"http://a/","peer_ip":7}`, `peer_ip: 7 where a string is expected`},
		{`{"t_ms":0,"url":"ftp://a/"}`, `url: URL "ftp://a/" begins neither with http:// nor https:// nor with a path`},
		{`{"t_ms":0,"url":"a.example/"}`, "begins neither with"},
		{`{"t_ms":0,"url":"//a.example/"}`, "url: it has no host"},
		{`{"t_ms":0,"url":"http:///x"}`, "it has no host"},
		{`{"t_ms":0,"url":"/x"}`, "url: it has no host, and there is no Host header"},
		{`{"t_ms":0,"url":"http://u@a/"}`, "a user name in front of the host"},
		{`{"t_ms":0,"url":"http://a:0/"}`, `"0" is no port`},
		{`{"t_ms":0,"url":"http://a:99999/"}`, `"99999" is no port`},
		{`{"t_ms":0,"url":"http://a:/"}`, `"" is no port`},
		{`{"t_ms":0,"url":"http://[::1/"}`, "is no port"},
		{`{"t_ms":0,"url":"http://[1.2.3.4]/"}`, `"1.2.3.4" is no IPv6 address`},
		{`{"t_ms":0,"url":"http://[::1]8/"}`, `"8" follows the address in brackets`},
		{`{"t_ms":0,"url":"http://a b/"}`, `host "a b" holds a character`},
		{`{"t_ms":0,"url":"http://a/b c"}`, `holds a space`},
		{`{"t_ms":0,"url":"http://a/` + strings.Repeat("x", longestTarget) + `"}`, "request target of 65537 bytes is longer"},
		{`{"t_ms":0,"url":"http://a/","headers":[]}`, "headers: a list where an object is expected"},
		{`{"t_ms":0,"url":"http://a/","headers":{"X":1}}`, `headers: header "X": 1 where a string is expected`},
		{`{"t_ms":0,"url":"http://a/","headers":{"X":"1","X":"2"}}`, `headers.X: the field stands twice`},
		{`{"t_ms":0,"url":"http://a/","method":""}`, `method: "" is no method`},
		{`{"t_ms":0,"url":"http://a/","response":{"code":200}}`, `response.code: unknown field "code"; allowed are status, headers`},
		{`{"t_ms":0,"url":"http://a/","response":{"status":99}}`, "response.status: 99 is not between 100 and 599"},
		{`{"t_ms":0,"url":"http://a/"} {}`, "not valid JSON: invalid character '{' after top-level value"},
		{`{"t_ms":0,`, "not valid JSON: it ends too early"},
		{`[0]`, "a list where an object is expected"},
		{`0`, "0 where an object is expected"},
		{`{"t_ms":0,"url":"` + strings.Repeat("x", longestLine), "longer than 1048576 bytes"},
		{`{"t_ms":0,"headers":` + strings.Repeat(`{"a":`, 100_000), "not valid JSON: "},
	} {
		got, err := collect(strings.NewReader("{\"t_ms\":0,\"url\":\"http://a/\"}\n\n"+tt.line), "")
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80s: error %.200v, want %q", tt.line, err, tt.want)
		}
		if len(got) != 1 {
			t.Errorf("%.80s: %d requests before it", tt.line, len(got))
		}
	}
}

func TestReadRequestsReadError(t *testing.T) {
	broken := errors.New("cable cut")
	r := io.MultiReader(strings.NewReader("{\"t_ms\":0,\"url\":\"http://a/\"}\n"), iotest.ErrReader(broken))
	if got, err := collect(r, ""); len(got) != 1 || !errors.Is(err, broken) {
		t.Errorf("%d requests, error %v", len(got), err)
	}
}

// What is read does not depend on the pieces in which it comes, and one may stop at any time.
func TestReadRequestsInPieces(t *testing.T) {
	text := strings.Repeat("{\"t_ms\":0,\"url\":\"http://a/\"}\n", 5)
	if got, err := collect(iotest.OneByteReader(strings.NewReader(text)), ""); err != nil || len(got) != 5 {
		t.Errorf("%d requests, error %v", len(got), err)
	}
	for _, err := range ReadRequests(strings.NewReader(text), "") {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

// repeated reads a line n times without holding them.
type repeated struct {
	line string
	n    int
	rest string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestReadRequestsMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for _, err := range ReadRequests(&repeated{line: requestLine, n: 50_000}, "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); n != 50_000 || grown > 1<<20 {
		t.Errorf("%d requests, heap grown by %d bytes", n, grown)
	}
}

const requestLine = `{"t_ms":172,"client_ip":"203.0.113.7","url":"http://a.example/api/x?k=1","headers":{"X-Api-Key":"k1"}}` + "\n"

func TestSharedRuns(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "oracle", "runs"), "*", "requests.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	n := 0
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		events, err := collect(f, "")
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(filepath.Dir(file)), err)
		}
		n += len(events)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d requests of %d runs", n, len(files))
}

func FuzzReadRequests(f *testing.F) {
	f.Add(requestLine)
	f.Add(`{"t_ms":1e3,"url":"https://[::1]:8/?#x","peer_ip":"::1","response":{"status":null}}`)
	f.Add("\n\n{\"t_ms\":0,\"url\":\"/\",\"headers\":{\"host\":[\"a\",\"b\"]}}")
	f.Fuzz(func(t *testing.T, text string) {
		for e, err := range ReadRequests(strings.NewReader(text), "h") {
			if err != nil {
				if !strings.Contains(err.Error(), "line ") {
					t.Errorf("error without a line: %v", err)
				}
				continue
			}
			r := e.Request
			if !r.Peer.IsValid() || !e.Client.IsValid() || e.At < 0 || !strings.HasPrefix(r.Target, "/") {
				t.Errorf("%+v", e)
			}
			if strings.ContainsAny(r.Target, " \r\n\x00") {
				t.Errorf("target %q", r.Target)
			}
		}
	})
}

func BenchmarkReadRequests(b *testing.B) {
	b.SetBytes(int64(len(requestLine)))
	n := 0
	for _, err := range ReadRequests(&repeated{line: requestLine, n: b.N}, "") {
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	if n != b.N {
		b.Fatal(n)
	}
}
