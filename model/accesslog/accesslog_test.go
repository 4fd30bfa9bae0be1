package accesslog

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// limits is the format of the trust company's portal.
var limits = Format{
	"limits",
	`{"time":"$time_iso8601","ip":"$remote_addr","request":"$request","status":$status,"rt":$request_time,"urt":"$upstream_response_time","limit":"$limit_req_status"}`,
	"json",
}

var combined, _ = Known("combined")

const at = 1772438400000 // 2026-03-02T08:00:00Z

func TestLines(t *testing.T) {
	base := Record{Time: at, Precision: 1000, RequestMs: Unknown, UpstreamMs: Unknown, Client: "203.0.113.7"}
	with := func(change func(*Record)) Record {
		r := base
		change(&r)
		return r
	}
	get := func(r *Record) { r.Method, r.Target = "GET", "/a?b=c" }
	for name, c := range map[string]struct {
		format  Format
		options Options
		line    string
		want    Record
		fault   Fault
	}{
		"combined": {format: combined, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 12 "-" "curl/8"`, want: with(func(r *Record) {
			get(r)
			r.Status, r.Agent = 200, "curl/8"
		})},
		"combined with a user of two words and another zone": {format: combined, line: `203.0.113.7 - a b [02/Mar/2026:09:00:00 +0100] "GET /a?b=c HTTP/1.1" 200 12 "https://x.example/" "x"`, want: with(func(r *Record) {
			get(r)
			r.Status, r.Agent, r.Referer, r.User = 200, "x", "https://x.example/", "a b"
		})},
		"quotes and bytes that nginx escapes": {format: combined, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 12 "-" "a \x22 \x5C \xC3\xA9 \q"`, want: with(func(r *Record) {
			get(r)
			r.Status, r.Agent = 200, `a " \ é \q`
		})},
		"no request line": {format: combined, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "\x16\x03\x01" 400 12 "-" "-"`, want: with(func(r *Record) {
			r.Target, r.Status = "\x16\x03\x01", 400
		})},
		"an empty request line": {format: combined, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "" 400 0 "-" "-"`, want: with(func(r *Record) { r.Status = 400 })},
		"a target with blanks":  {format: combined, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a b HTTP/1.1" 400 0 "-" "-"`, want: with(func(r *Record) { r.Method, r.Target, r.Status = "GET", "/a b", 400 })},
		"raw quotes, not escaped": {format: Format{"raw", combined.Text, "none"}, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 12 "-" "a" b"`, want: with(func(r *Record) {
			get(r)
			r.Status, r.Agent = 200, `a" b`
		})},
		"limits": {format: limits, line: `{"time":"2026-03-02T08:00:00+00:00","ip":"203.0.113.7","request":"GET /a?b=c HTTP/1.1","status":200,"rt":0.063,"urt":"0.060","limit":"DELAYED"}`, want: with(func(r *Record) {
			get(r)
			r.Status, r.RequestMs, r.UpstreamMs, r.LimitReq = 200, 63, 60, Delayed
		})},
		"limits as JSON": {format: JSON, line: `{"time":"2026-03-02T08:00:00+00:00","ip":"203.0.113.7","request":"GET /a?b=c HTTP/1.1","status":503,"rt":0.000,"urt":"","limit":"REJECTED"}`, want: with(func(r *Record) {
			get(r)
			r.Status, r.RequestMs, r.UpstreamMs, r.LimitReq = 503, 0, NoUpstream, Rejected
		})},
		"JSON with msec, several upstreams and no limiter": {format: JSON, line: `{ "msec": 1772438400.063 , "remote_addr":"203.0.113.7","request_uri":"\/a?b=c","request_method":"GET","urt":"0.010, 0.020 : -","limit":"","x":{"y":[1,"}"]}}`, want: with(func(r *Record) {
			get(r)
			r.Time, r.Precision, r.UpstreamMs, r.LimitReq = at+63, 1, 30, None
		})},
		"JSON with other names": {format: JSON, options: Options{Fields: Fields{"time": "when", "ip": "Who", "target": "what", "http_x_api_key": "key"}, Headers: []string{"http_x_api_key"}}, line: `{"when":1772438400000,"Who":"203.0.113.7","what":"/a?b=c","method":"GET","key":"k1","time":"x"}`, want: with(func(r *Record) {
			get(r)
			r.Precision, r.Headers = 1, []string{"k1"}
		})},
		"JSON with path and query": {format: JSON, line: `{"ts":"2026-03-02 08:00:00.250Z","client_ip":"203.0.113.7","path":"/a","query":"b=c","method":"GET","duration_ms":12.4,"status":"204"}`, want: with(func(r *Record) {
			get(r)
			r.Time, r.Precision, r.RequestMs, r.Status = at+250, 1, 12, 204
		})},
		"JSON with escapes":       {format: JSON, line: `{"time":"2026-03-02T08:00:00Z","ip":"203.0.113.7","ua":"\u00e9\ud83d\ude00\n\"","user":null}`, want: with(func(r *Record) { r.Agent = "é😀\n\"" })},
		"blanks between":          {format: Format{"b", `$remote_addr $http_x_forwarded_for $msec $request_time`, ""}, line: `203.0.113.7 1.2.3.4, 5.6.7.8 1772438400.001 0.250`, want: with(func(r *Record) { r.Time, r.Precision, r.Forwarded, r.RequestMs = at+1, 1, "1.2.3.4, 5.6.7.8", 250 })},
		"JSON without a time":     {format: JSON, line: `{"ip":"203.0.113.7"}`, fault: NoTime},
		"JSON without a client":   {format: JSON, line: `{"ts":1772438400}`, fault: NoClient},
		"a year of long ago":      {format: JSON, line: `{"ts":"1970-01-01T00:00:00Z","ip":"203.0.113.7"}`, fault: Year},
		"cut JSON":                {format: JSON, line: `{"ts":"2026-03-02T08:00:00Z","ip":"203.0.1`, fault: Cut},
		"cut combined":            {format: combined, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a`, fault: Cut},
		"binary":                  {format: combined, line: "\x00\x01\x02 abc", fault: Binary},
		"foreign":                 {format: combined, line: `Jan 1 kernel: hello`, fault: Foreign},
		"foreign JSON":            {format: JSON, line: `{]`, fault: Foreign},
		"deep JSON":               {format: JSON, line: `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, fault: Foreign},
		"a negative request time": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","rt":-0.08}`, fault: Took, want: with(func(r *Record) { r.Precision = 1 })},
		"a huge request time": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","rt":1e18,"limit":"PASSED"}`, fault: Took, want: with(func(r *Record) {
			r.Precision, r.LimitReq = 1, Passed
		})},
		"a request time of years":     {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","rt":99999999.08}`, fault: Took, want: with(func(r *Record) { r.Precision = 1 })},
		"an upstream time of no kind": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","urt":"0.010, x"}`, fault: Took, want: with(func(r *Record) { r.Precision = 1 })},
		"no limit status of nginx":    {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","limit":"FOO","rt":null}`, fault: Decision, want: with(func(r *Record) { r.Precision = 1 })},
		"a request line with the host": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","host":"a.example","request":"GET http://b.example:8080/a?b=c HTTP/1.1"}`, want: with(func(r *Record) {
			get(r)
			r.Precision, r.Host = 1, "b.example"
		})},
		"the host alone": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","request":"GET HTTP://[::1] HTTP/1.1"}`, want: with(func(r *Record) {
			r.Precision, r.Host, r.Method, r.Target = 1, "[::1]", "GET", "/"
		})},
		"the host and a query": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","request":"GET http://b.example?x=/ HTTP/1.1"}`, want: with(func(r *Record) {
			r.Precision, r.Host, r.Method, r.Target = 1, "b.example", "GET", "/?x=/"
		})},
		"a target that is no request": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","request":"CONNECT b.example:443 HTTP/1.1"}`, want: with(func(r *Record) {
			r.Precision, r.Method, r.Target = 1, "CONNECT", "b.example:443"
		})},
		"a host that is none": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","request":"GET http://b@c/a HTTP/1.1"}`, want: with(func(r *Record) {
			r.Precision, r.Method, r.Target = 1, "GET", "http://b@c/a"
		})},
		"a host without a name": {format: JSON, line: `{"ts":1772438400.000,"ip":"203.0.113.7","request":"GET http:///a HTTP/1.1"}`, want: with(func(r *Record) {
			r.Precision, r.Method, r.Target = 1, "GET", "http:///a"
		})},
		"combined within JSON": {format: JSON, line: `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 12`, fault: Mixed, want: with(func(r *Record) {
			get(r)
			r.Status = 200
		})},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := NewReader(c.format, c.options)
			if err != nil {
				t.Fatal(err)
			}
			var b Batch
			r.Parser().Parse(Block{Text: c.line + "\n"}, &b)
			if c.fault != Fine && b.Faults.N[c.fault] != 1 {
				t.Fatalf("faults %v, want one line %s", b.Faults.N, c.fault)
			}
			if c.fault.Skips() {
				if len(b.Records) != 0 {
					t.Fatalf("a record in spite of it: %+v", b.Records[0])
				}
				return
			}
			if len(b.Records) != 1 {
				t.Fatalf("%d records, faults %v", len(b.Records), b.Faults.N)
			}
			if diff := cmp.Diff(c.want, b.Records[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArrived(t *testing.T) {
	r := Record{Time: at, RequestMs: 250}
	if r.Arrived() != at-250 {
		t.Error(r.Arrived())
	}
	r.RequestMs = Unknown
	if r.Arrived() != at {
		t.Error(r.Arrived())
	}
}

func TestFormatsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		format Format
		o      Options
		want   string
	}{
		"no time":         {format: Format{"x", `$remote_addr $request`, ""}, want: "no time"},
		"no client":       {format: Format{"x", `$msec $request`, ""}, want: "no client address"},
		"no variable":     {format: Format{"x", `hello`, ""}, want: "no variable"},
		"a lone dollar":   {format: Format{"x", `$remote_addr $`, ""}, want: "without a variable's name"},
		"an open bracket": {format: Format{"x", `${remote_addr`, ""}, want: "closing bracket"},
		"escape":          {format: Format{"x", `$msec $remote_addr`, "html"}, want: "unknown escape"},
		"too many":        {format: Format{"x", strings.Repeat("$msec", 501), ""}, want: "more than 500"},
		"a misspelt name": {format: JSON, o: Options{Fields: Fields{"clent": "ip"}}, want: `did you mean "client"`},
		"empty":           {want: "an empty format"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := NewReader(c.format, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				if name == "a misspelt name" && err != nil && strings.Contains(err.Error(), "unknown field") {
					return
				}
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	json := `{"time":"2026-03-02T08:00:00+00:00","ip":"203.0.113.7","request":"GET / HTTP/1.1","status":200,"rt":0.063,"urt":"0.060","limit":""}` + "\n"
	for name, c := range map[string]struct {
		text  string
		given []Format
		want  string
		fit   int
	}{
		"json":              {text: json, want: "json", fit: 1},
		"the given one":     {text: json, given: []Format{limits}, want: "limits", fit: 1},
		"combined":          {text: `1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "x"`, given: []Format{limits}, want: "combined", fit: 1},
		"common":            {text: `1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 12`, want: "common", fit: 1},
		"main":              {text: `1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "x" "1.2.3.4"`, want: "main", fit: 1},
		"mostly json":       {text: "x\n" + json + json, want: "json", fit: 2},
		"nothing":           {text: "hello\nworld\n"},
		"a byte order mark": {text: "\ufeff" + json, want: "json", fit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			if g := Detect(Block{Text: c.text}, c.given, Options{}); g.Format.Name != c.want || g.Fit != c.fit {
				t.Errorf("%+v", g)
			}
		})
	}
}

// parseAll reads a whole log with blocks.
func parseAll(t testing.TB, r *Reader, text io.Reader) (records []Record, lines int, faults Faults, err error) {
	t.Helper()
	p := r.Parser()
	begins := int64(0)
	for block, e := range Blocks(text) {
		if e != nil {
			return records, lines, faults, e
		}
		var b Batch
		p.Parse(block, &b)
		faults.Add(&b.Faults, begins)
		lines += b.Lines
		for i := range b.Records {
			b.Records[i].Line += int32(begins)
		}
		begins += int64(b.Breaks)
		records = append(records, b.Records...)
	}
	return records, lines, faults, nil
}

func jsonAt(n int) string {
	return fmt.Sprintf(`{"msec":%d.%03d,"ip":"203.0.113.%d","request":"GET /p/%d HTTP/1.1"}`, at/1000, n%1000, n%256, n)
}

func TestLongLines(t *testing.T) {
	var b strings.Builder
	want := 0
	for n := range 5000 {
		b.WriteString(jsonAt(n) + "\n")
		want++
		switch n {
		case 1000:
			b.WriteString(`{"a":"` + strings.Repeat("x", 10<<20) + "\"}\n")
		case 2000:
			b.WriteString(strings.Repeat("y", 100<<10) + "\n")
		}
	}
	b.WriteString(strings.Repeat("z", 3<<20)) // not ended
	r, err := NewReader(JSON, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]io.Reader{"at once": strings.NewReader(b.String()), "in halves": iotest.HalfReader(strings.NewReader(b.String()))} {
		records, lines, faults, err := parseAll(t, r, in)
		if err != nil || len(records) != want || lines != want+3 || faults.N[Long] != 3 || faults.First[Long] != 1001 || faults.Skipped() != 3 {
			t.Errorf("%s: %d records, %d lines, %v, first at %v, %v", name, len(records), lines, faults.N, faults.First, err)
		}
		if last := records[len(records)-1]; last.Line != 5001 || last.Target != "/p/4999" {
			t.Errorf("%s: %+v", name, last)
		}
	}
}

func TestUnpack(t *testing.T) {
	plain := strings.Repeat(jsonAt(1)+"\n", 20000)
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z} {
		if _, err := io.WriteString(w, plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := NewReader(JSON, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		in  string
		cut bool
	}{"plain": {in: plain}, "gzip": {in: gz.String()}, "zstd": {in: zs.String()}, "cut gzip": {gz.String()[:gz.Len()/2], true}, "cut zstd": {zs.String()[:zs.Len()-9], true}, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			text, done, err := Unpack(strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			records, _, _, err := parseAll(t, r, text)
			switch {
			case c.cut != (err != nil):
				t.Errorf("%d records, %v", len(records), err)
			case !c.cut && c.in != "" && len(records) != 20000:
				t.Errorf("%d records", len(records))
			}
		})
	}
}

// What a format writes of any values is read back.
func TestRoundTrip(t *testing.T) {
	escape := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
				fmt.Fprintf(&b, `\x%02X`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	r, err := NewReader(combined, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		agent, referer := rapid.String().Draw(t, "agent"), rapid.String().Draw(t, "referer")
		line := fmt.Sprintf(`1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "%s" "%s"`, escape(referer), escape(agent))
		var b Batch
		r.Parser().Parse(Block{Text: line}, &b)
		empty := func(s string) string {
			if s == "-" {
				return ""
			}
			return s
		}
		if len(b.Records) != 1 || b.Records[0].Agent != empty(agent) || b.Records[0].Referer != empty(referer) {
			t.Fatalf("%q: %+v %v", line, b.Records, b.Faults.N)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{jsonAt(1), `{"time":"2026-03-02T08:00:00+00:00","ip":"1.2.3.4","request":"GET / HTTP/1.1","status":200}`, `1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "x"`, `{"a":{"b":[1,2]},"msec":1e9}`, "\x00", `{"\u0041":`} {
		f.Add(s, limits.Text, "json")
		f.Add(s, combined.Text, "default")
		f.Add(s, "", "")
	}
	f.Fuzz(func(t *testing.T, text, format, escape string) {
		kind := Format{"f", format, escape}
		if format == "" {
			kind = JSON
		}
		r, err := NewReader(kind, Options{Headers: []string{"http_x"}})
		if err != nil {
			return
		}
		records, lines, faults, err := parseAll(t, r, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if int64(lines) != int64(len(records))+faults.Skipped() {
			t.Fatalf("%d lines, %d records, %v", lines, len(records), faults.N)
		}
		for _, rec := range records {
			if rec.Client == "" || rec.Time < earliest || rec.Time >= latest || rec.RequestMs < Unknown || rec.UpstreamMs < NoUpstream {
				t.Fatalf("%+v", rec)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	jsonLine := `{"time":"2026-03-02T00:00:00+00:00","msec":1772409600.063,"ip":"59.166.189.112","request":"GET /desk/59 HTTP/1.1","status":200,"rt":0.063,"urt":"0.063","limit":""}` + "\n"
	asFormat := Format{"f", `{"time":"$time_iso8601","msec":$msec,"ip":"$remote_addr","request":"$request","status":$status,"rt":$request_time,"urt":"$upstream_response_time","limit":"$limit_req_status"}`, "json"}
	combinedLine := `59.166.189.112 - - [02/Mar/2026:00:00:00 +0000] "GET /desk/59 HTTP/1.1" 200 2407 "https://portal.example.com/desk/" "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15"` + "\n"
	for name, c := range map[string]struct {
		format Format
		line   string
	}{"json": {JSON, jsonLine}, "the same by its format": {asFormat, jsonLine}, "combined": {combined, combinedLine}} {
		b.Run(name, func(b *testing.B) {
			r, err := NewReader(c.format, Options{})
			if err != nil {
				b.Fatal(err)
			}
			block := Block{Text: strings.Repeat(c.line, 2000)}
			p := r.Parser()
			var batch Batch
			b.SetBytes(int64(len(block.Text)))
			for b.Loop() {
				p.Parse(block, &batch)
			}
		})
	}
}
