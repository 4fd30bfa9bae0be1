package traffic

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

const everyField = `{"$schema": "x", "schema": 1, "description": "d", "basis": "b", "sources": ["s"], "note": "n", "reference": {"rtt_ms": 40},
	"role": "attack", "protocol": "h1", "rtt_ms": {"dist": "uniform", "min_ms": 10, "max_ms": 90},
	"headers": {"X-Api-Key": "key-{client}", "x-a": "unused"},
	"client_queues": [{"group": "g", "at_once": 5, "protocols": ["h1"]}],
	"retries": [{"name": "ky", "statuses": [429, 503], "at_most": 2, "base_ms": 300, "factor": 2, "cap_ms": 9000, "jitter": "full", "honour_retry_after": true},
		{"name": "plain", "statuses": [500], "at_most": 1, "jitter": "none"}],
	"requests": [
		{"path": "/a?x=1&y", "kind": "html", "depends_on": null, "start_offset_ms": 0, "id": "start", "page": "first"},
		{"path": "/b", "kind": "api", "depends_on": "start", "start_offset_ms": 80, "method": "POST", "group": "g", "retry": "ky",
		 "body": "x", "long_lived": true, "headers": {"X-B": "1", "X-A": ["2", "3"]},
		 "think_ms": {"dist": "exponential", "mean_ms": 2000}, "service_ms": {"dist": "lognormal", "median_ms": 40, "p95_ms": 310},
		 "size_bytes": {"dist": "quantiles", "points_bytes": [[0, 100], [0.5, 2000], [1, 90000]]}}],
	"streams": [{"rate_per_s": 0.2, "duration_s": 60, "spacing": "poisson", "at_once": 1, "depends_on": "start", "start_offset_ms": 15,
		"requests": [{"path": "/poll/{n}", "kind": "ajax", "service_ms": 7}]}]}`

func TestReadFan(t *testing.T) {
	got, err := ReadFan(strings.NewReader("\ufeff"+everyField), "mine")
	if err != nil {
		t.Fatal(err)
	}
	key := request.Header{Name: "X-Api-Key", Value: "key-{client}"}
	small := request.Header{Name: "x-a", Value: "unused"}
	want := &Fan{
		Name: "mine", Description: "d", Basis: "b", Sources: []string{"s"}, Note: "n",
		Role: Attack, Protocol: "h1", RTTMs: &Dist{Shape: Uniform, First: 10, Second: 90},
		ClientQueues: []ClientQueue{{Group: "g", AtOnce: 5, Protocols: []string{"h1"}}},
		Retries: []Retry{
			{Name: "ky", Statuses: []int{429, 503}, AtMost: 2, BaseMs: 300, Factor: 2, CapMs: 9000, Jitter: FullJitter, RetryAfter: true},
			{Name: "plain", Statuses: []int{500}, AtMost: 1, Factor: 1},
		},
		Requests: []FanRequest{
			{ID: "start", Page: "first", Method: "GET", Path: "/a?x=1&y", Kind: "html", Headers: []request.Header{key, small}},
			{
				Method: "POST", Path: "/b", Kind: "api", DependsOn: new(0), StartOffsetMs: 80, Group: "g", Retry: "ky", Body: "x", LongLived: true,
				Headers:   []request.Header{{Name: "X-B", Value: "1"}, {Name: "X-A", Value: "2"}, {Name: "X-A", Value: "3"}, key},
				ThinkMs:   &Dist{Shape: Exponential, First: 2000},
				ServiceMs: &Dist{Shape: LogNormal, First: 40, Second: 310},
				SizeBytes: &Dist{Shape: Quantiles, Points: []Point{{0, 100}, {0.5, 2000}, {1, 90000}}},
			},
		},
		Streams: []Stream{{
			RatePerS: 0.2, DurationS: 60, Spacing: AtRandom, AtOnce: 1, DependsOn: new(0), StartOffsetMs: 15,
			Requests: []FanRequest{{Method: "GET", Path: "/poll/{n}", Kind: "ajax", ServiceMs: &Dist{First: 7}, Headers: []request.Header{key, small}}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Retry("ky") != &got.Retries[0] || got.Retry("") != nil || got.Retry("axios") != nil {
		t.Error("policies are not found by their names")
	}
}

// A refused fan, and the whole message: place, path and reason.
type refusedFan struct{ text, want string }

// inRequest is a fan whose second request, at the start of line 2, has these members besides.
func inRequest(members string) string {
	return "{\"requests\": [{\"path\": \"/\", \"kind\": \"html\"}, {\"path\": \"/x\", \"kind\": \"api\",\n" + members + "}]}"
}

func inStream(members string) string {
	return "{\"streams\": [{\"requests\": [{\"path\": \"/\", \"kind\": \"html\"}],\n" + members + "}]}"
}

func inRetry(members string) string {
	return "{\"requests\": [{\"path\": \"/\", \"kind\": \"html\"}], \"retries\": [{\n" + members + "}]}"
}

// What a JSON Schema can refuse as well.
var refusedBySchema = []refusedFan{
	{`[]`, `1:1: a list where an object is expected`},
	{`{}`, `1:1: fan has no requests`},
	{`{"requests": []}`, `1:1: fan has no requests`},
	{`{"fans": []}`, `1:2: fans: a collection of fans; a file has to hold one fan`},
	{`{"log": {}}`, `1:2: log: a recording; the name of its file has to end in .har`},
	{`{"reqests": []}`, `1:2: reqests: unknown field "reqests": did you mean "requests"?`},
	{`{"a.b": []}`, `1:2: ["a.b"]: unknown field "a.b"; allowed are name, description, basis, sources, note, role, protocol, rtt_ms, headers, requests, streams, client_queues, retries`},
	{`{"requests": {}}`, `1:2: requests: an object where a list is expected`},
	{`{"requests": [1]}`, `1:15: requests[0]: 1 where an object is expected`},
	{`{"name": 1, "requests": []}`, `1:2: name: 1 where a string is expected`},
	{`{"role": "victim"}`, `1:2: role: unknown word "victim"; allowed are people, attack`},
	{`{"requests": [{"kind": "html"}]}`, `1:15: requests[0]: path is missing`},
	{`{"requests": [{"path": "/"}]}`, `1:15: requests[0]: kind is missing; known are html, static, image, font, api, ajax, query, graphql, preview, rsc, php-asset`},
	{inRequest(`"dependson": 0`), `2:1: requests[1].dependson: unknown field "dependson": did you mean "depends_on"?`},
	{inRequest(`"depends_on": -1`), `2:1: requests[1].depends_on: -1 is not between 0 and 10000`},
	{inRequest(`"depends_on": ""`), `2:1: requests[1].depends_on: an empty id`},
	{inRequest(`"start_offset_ms": -5`), `2:1: requests[1].start_offset_ms: -5 is not between 0 and 86400000`},
	{inRequest(`"start_offset_ms": 1e9`), `2:1: requests[1].start_offset_ms: 1000000000 is not between 0 and 86400000`},
	{inRequest(`"start_offset_ms": 0.5`), `2:1: requests[1].start_offset_ms: 0.5 where a whole number is expected`},
	{inRequest(`"method": "GE T"`), `2:1: requests[1].method: "GE T" is no method`},
	{inRequest(`"headers": {"a b": "x"}`), `2:1: requests[1].headers: "a b" is no name of a header`},
	{inRequest(`"headers": {"a": "x\r\ny"}`), `2:1: requests[1].headers: header "a": its value holds a line break or a zero byte`},
	{inRequest(`"headers": {"host": "x"}`), `2:1: requests[1].headers: a fan names no host`},
	{inRequest(`"think_ms": -1`), `2:1: requests[1].think_ms: -1 is not between 0 and 1000000000`},
	{inRequest(`"think_ms": "5"`), `2:1: requests[1].think_ms: a string where a number is expected`},
	{inRequest(`"think_ms": {}`), `2:1: requests[1].think_ms: dist is missing; known are constant, uniform, exponential, lognormal, quantiles`},
	{inRequest(`"think_ms": {"dist": "normal"}`), `2:14: requests[1].think_ms.dist: unknown distribution "normal": did you mean "lognormal"?`},
	{inRequest(`"think_ms": {"dist": "exponential", "mean": 4}`), `2:37: requests[1].think_ms.mean: unknown field "mean": did you mean "mean_ms"?`},
	{inRequest(`"think_ms": {"dist": "lognormal", "median_ms": 4}`), `2:1: requests[1].think_ms: p95_ms is missing`},
	{inRequest(`"size_bytes": {"dist": "exponential", "mean_ms": 4}`), `2:39: requests[1].size_bytes.mean_ms: unknown field "mean_ms"; allowed are mean_bytes`},
	{inRequest(`"size_bytes": {"dist": "quantiles", "points_bytes": [[0, 4], [1]]}`), `2:62: requests[1].size_bytes.points_bytes[1]: 1 numbers where a share and a value are expected`},
	{`{"requests": [{"path": "x", "kind": "html"}]}`, `1:16: requests[0].path: "x" is no path that begins with / and has no fragment`},
	{`{"requests": [{"path": "/a b", "kind": "html"}]}`, `1:16: requests[0].path: request target "/a b" holds a space or a control character`},
	{`{"requests": [{"path": "/", "kind": "page"}]}`, `1:29: requests[0].kind: unknown kind "page"; known are html, static, image, font, api, ajax, query, graphql, preview, rsc, php-asset`},
	{`{"client_queues": [{"group": "g"}], "requests": [{"path": "/", "kind": "html"}]}`, `1:20: client_queues[0]: at_once is missing`},
	{`{"client_queues": [{"at_once": 1}], "requests": [{"path": "/", "kind": "html"}]}`, `1:20: client_queues[0]: group is missing`},
	{`{"client_queues": [{"group": "g", "at_once": 0}]}`, `1:35: client_queues[0].at_once: 0 is not between 1 and 10000`},
	{
		`{"client_queues": [{"group": "g", "at_once": 1, "protocols": ["h9"]}], "requests": [{"path": "/", "kind": "html"}]}`,
		`1:63: client_queues[0].protocols[0]: unknown protocol "h9": did you mean "h1"?`,
	},
	{inStream(`"rate_per_s": 0, "duration_s": 1`), `2:1: streams[0].rate_per_s: 0 is not above 0 and at most 100000`},
	{inStream(`"rate_per_s": 1`), `1:14: streams[0]: duration_s is missing`},
	{inStream(`"duration_s": 1`), `1:14: streams[0]: rate_per_s is missing`},
	{`{"streams": [{"rate_per_s": 1, "duration_s": 1}]}`, `1:14: streams[0]: requests is missing`},
	{inStream(`"rate_per_s": 1, "duration_s": 1, "spacing": "odd"`), `2:35: streams[0].spacing: unknown word "odd"; allowed are even, poisson`},
	{
		`{"streams": [{"rate_per_s": 1, "duration_s": 1, "requests": [{"path": "/", "kind": "api", "group": "g"}]}]}`,
		`1:91: streams[0].requests[0].group: unknown field "group"; allowed are path, kind, method, headers, body, retry, service_ms, size_bytes`,
	},
	{inRetry(`"name": "a", "statuses": [429]`), `1:59: retries[0]: at_most is missing`},
	{inRetry(`"name": "a", "at_most": 1`), `1:59: retries[0]: statuses is missing: no answer would be followed by another request`},
	{inRetry(`"at_most": 1, "statuses": [429]`), `1:59: retries[0]: name is missing`},
	{inRetry(`"name": "a", "at_most": 1, "statuses": [200]`), `2:41: retries[0].statuses[0]: 200 is not between 400 and 599`},
	{inRetry(`"name": "a", "at_most": 1, "statuses": [429], "factor": 0.5`), `2:47: retries[0].factor: 0.5 is not between 1 and 1000`},
	{inRetry(`"name": "a", "at_most": 1, "statuses": [429], "jitter": "ful"`), `2:47: retries[0].jitter: unknown word "ful": did you mean "full"?`},
}

// What only the reader can: it compares parts of the fan with each other.
var refusedByReader = []refusedFan{
	{``, `fan is empty`},
	{" \n", `fan is empty`},
	{`{"requests": [`, `1:15: not valid JSON: it ends too early`},
	{"{\"requests\":\n [}", `2:3: not valid JSON: invalid character '}' looking for beginning of value`},
	{`{"requests": []} x`, `1:18: not valid JSON: invalid character 'x' after top-level value`},
	{`{"requests": [], "requests": []}`, `1:18: requests: the field stands twice`},
	{inRequest(`"depends_on": 2`), `2:1: requests[1].depends_on: 2, but the last request is 1`},
	{inRequest(`"depends_on": 1`), `2:1: requests[1].depends_on: it depends on itself`},
	{inRequest(`"depends_on": "0"`), `2:1: requests[1].depends_on: unknown id "0"; there is none`},
	{inRequest(`"id": "list", "depends_on": "lst"`), `2:15: requests[1].depends_on: unknown id "lst": did you mean "list"?`},
	{inRequest(`"group": "g"`), `2:1: requests[1].group: "g" has no client queue`},
	{inRequest(`"retry": "ky"`), `2:1: requests[1].retry: unknown policy "ky"; there is none`},
	{inRequest(`"think_ms": {"dist": "uniform", "min_ms": 4, "max_ms": 3}`), `2:1: requests[1].think_ms: the greatest value, 3, is below the least, 4`},
	{inRequest(`"think_ms": {"dist": "quantiles", "points_ms": [[0, 4], [0.9, 5]]}`), `2:1: requests[1].think_ms: the points do not go from 0 to 1`},
	{
		"{\"requests\": [{\"path\": \"/\", \"kind\": \"api\", \"id\": \"a\"},\n {\"path\": \"/\", \"kind\": \"api\", \"id\": \"a\"}]}",
		`2:31: requests[1].id: "a" is the id of request 0 already`,
	},
	{
		"{\"requests\": [{\"path\": \"/\", \"kind\": \"api\"}, {\"path\": \"/\", \"kind\": \"api\",\n\"depends_on\": 2}, {\"path\": \"/\", \"kind\": \"api\", \"depends_on\": 1}]}",
		`2:1: requests[1].depends_on: it leads back to request 1: 1 → 2 → 1`,
	},
	{
		`{"client_queues": [{"group": "g", "at_once": 1}, {"group": "g", "at_once": 1}], "requests": [{"path": "/", "kind": "html"}]}`,
		`1:51: client_queues[1].group: "g" has a queue already`,
	},
	{inStream(`"rate_per_s": 1, "duration_s": 1, "depends_on": 0`), `2:35: streams[0].depends_on: 0, but there are no requests`},
	{
		inRetry(`"name": "a", "at_most": 1, "statuses": [429]}, {"name": "a", "at_most": 1, "statuses": [429]`),
		`2:49: retries[1].name: "a" is the name of another policy already`,
	},
	{`{"requests": [` + strings.Repeat(`{},`, maxFanRequests) + `{}]}`, `1:2: requests: 10001 are more than 10000`},
	{strings.Repeat(" ", maxFanBytes+1), `fan is longer than 16777216 bytes`},
}

func TestReadFanRefuses(t *testing.T) {
	for _, tt := range append(refusedBySchema, refusedByReader...) {
		if _, err := ReadFan(strings.NewReader(tt.text), "f"); err == nil || err.Error() != tt.want {
			t.Errorf("%.80s:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
	for _, deep := range []string{strings.Repeat("[", 1<<20), `{"requests": ` + strings.Repeat("[", 1<<20)} {
		if _, err := ReadFan(strings.NewReader(deep), "f"); err == nil || !strings.Contains(err.Error(), "exceeded max depth") {
			t.Errorf("deep nesting: %v", err)
		}
	}
}

// A long circle is named by its beginning.
func TestLongCycle(t *testing.T) {
	f := Fan{Name: "ring", Requests: make([]FanRequest, 1000)}
	for i := range f.Requests {
		f.Requests[i] = FanRequest{Method: "GET", Path: "/", Kind: "api", DependsOn: new((i + 1) % 1000)}
	}
	const want = "requests[0].depends_on: it leads back to request 0: 0 → 1 → 2 → 3 → 4 → 5 → 6 → 7 → …"
	if err := f.check(); err == nil || err.Error() != want {
		t.Error(err)
	}
}

func FuzzReadFan(f *testing.F) {
	for _, name := range Names() {
		data, err := fanFiles.ReadFile("fans/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(everyField)
	f.Add(`{"requests":[{"path":"/","kind":"api","depends_on":1},{"path":"/","kind":"api","depends_on":0}]}`)
	f.Add(inStream(`"rate_per_s": 1e-9, "duration_s": 604800`))
	schema, _ := fanSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		fan, err := ReadFan(strings.NewReader(text), "fuzz")
		if err != nil {
			if at, ok := errors.AsType[*FileError](err); ok && (at.Line < 1 || at.Column < 1) {
				t.Errorf("place of %v", err)
			}
			return
		}
		for i := range fan.Requests {
			at := &fan.Requests[i]
			for steps := 0; at.DependsOn != nil; steps++ {
				if steps > len(fan.Requests) {
					t.Fatalf("request %d never starts", i)
				}
				at = &fan.Requests[*at.DependsOn]
			}
		}
		if err := valid(t, schema, strings.TrimPrefix(text, "\ufeff")); err != nil {
			t.Errorf("no fan by the schema: %v", err)
		}
		again(t, fan)
	})
}

// again writes a fan and reads what was written.
func again(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, fan *Fan,
) {
	t.Helper()
	data, err := json.MarshalIndent(fan, "", " ")
	if err != nil {
		t.Fatalf("write fan: %v", err)
	}
	got, err := ReadFan(strings.NewReader(string(data)), "")
	if err != nil {
		t.Fatalf("read what was written: %v\n%s", err, data)
	}
	if diff := cmp.Diff(fan, got); diff != "" {
		t.Fatalf("another fan: %s\n%s", diff, data)
	}
}

func TestBuiltinsWrittenAndRead(t *testing.T) {
	for _, name := range Names() {
		fan, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		again(t, fan)
	}
}

func TestFanWrittenAndRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFan(t)
		if err := f.check(); err != nil {
			t.Skip(err)
		}
		again(t, f)
	})
}

var word = rapid.StringMatching(`[a-z]{1,5}`)

func anyDist(t *rapid.T) *Dist {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	d := distribution(t)
	if d.check() != nil { // so that a fan of many does not fail by one
		d = Dist{Shape: Constant, First: d.First}
	}
	return &d
}

// anyFan draws a fan; most pass check.
func anyFan(t *rapid.T) *Fan {
	f := &Fan{
		Name: word.Draw(t, "name"), Description: rapid.String().Draw(t, "description"), Basis: word.Draw(t, "basis"),
		Sources: rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b"}}).Draw(t, "sources"), Note: rapid.SampledFrom([]string{"", "<&>\u2028\x01"}).Draw(t, "note"),
		Role: rapid.SampledFrom([]Role{People, Attack}).Draw(t, "role"), Protocol: rapid.SampledFrom([]Protocol{"", "h1", "h2"}).Draw(t, "protocol"),
		RTTMs: anyDist(t),
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "queues") {
		f.ClientQueues = append(f.ClientQueues, ClientQueue{
			Group: string(rune('a' + i)), AtOnce: rapid.IntRange(1, 9).Draw(t, "at once"),
			Protocols: rapid.SampledFrom([][]string{nil, {"h1"}, {"h2", "h1"}}).Draw(t, "protocols"),
		})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "retries") {
		f.Retries = append(f.Retries, Retry{
			Name: string(rune('a' + i)), Statuses: rapid.SampledFrom([][]int{{429}, {503, 429}}).Draw(t, "statuses"),
			AtMost: rapid.IntRange(1, 9).Draw(t, "at most"), BaseMs: rapid.Int64Range(0, longestWaitMs).Draw(t, "base"),
			Factor: rapid.Float64Range(1, 1000).Draw(t, "factor"), CapMs: rapid.Int64Range(0, longestWaitMs).Draw(t, "cap"),
			Jitter:     rapid.SampledFrom([]Jitter{NoJitter, FullJitter, EqualJitter}).Draw(t, "jitter"),
			RetryAfter: rapid.Bool().Draw(t, "header"),
		})
	}
	for i := range rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(0, 5)).Draw(t, "requests") {
		f.Requests = append(f.Requests, anyRequest(t, f, i))
	}
	for range rapid.IntRange(0, 2).Draw(t, "streams") {
		s := Stream{
			RatePerS: rapid.Float64Range(1e-6, maxRate).Draw(t, "rate"), DurationS: rapid.Float64Range(1e-6, maxDurationS).Draw(t, "duration"),
			Spacing: rapid.SampledFrom([]Spacing{Evenly, AtRandom}).Draw(t, "spacing"), AtOnce: rapid.IntRange(0, 9).Draw(t, "at once"),
			StartOffsetMs: rapid.Int64Range(0, maxOffsetMs).Draw(t, "offset"),
		}
		if n := len(f.Requests); n > 0 && rapid.Bool().Draw(t, "waits") {
			s.DependsOn = new(rapid.IntRange(0, n-1).Draw(t, "for"))
		}
		for range rapid.IntRange(1, 3).Draw(t, "in turn") {
			q := anyRequest(t, f, 0)
			s.Requests = append(s.Requests, FanRequest{
				Method: q.Method, Path: q.Path, Kind: q.Kind, Retry: q.Retry, Body: q.Body, Headers: q.Headers, ServiceMs: q.ServiceMs, SizeBytes: q.SizeBytes,
			})
		}
		f.Streams = append(f.Streams, s)
	}
	return f
}

func anyRequest(t *rapid.T, f *Fan, i int) FanRequest {
	q := FanRequest{
		Page: rapid.SampledFrom([]string{"", "p 1"}).Draw(t, "page"), Method: rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
		Path: rapid.StringMatching(`/[a-z&<>"'\\{}?%éü]{0,9}`).Draw(t, "path"), Kind: rapid.SampledFrom(Kinds).Draw(t, "kind"),
		StartOffsetMs: rapid.Int64Range(0, maxOffsetMs).Draw(t, "offset"), ThinkMs: anyDist(t), ServiceMs: anyDist(t), SizeBytes: anyDist(t),
		LongLived: rapid.Bool().Draw(t, "long"), Body: rapid.String().Draw(t, "body"),
	}
	if rapid.Bool().Draw(t, "named") {
		q.ID = "request " + string(rune('0'+i))
	}
	if i > 0 && rapid.Bool().Draw(t, "waits") {
		q.DependsOn = new(rapid.IntRange(0, i-1).Draw(t, "for"))
	}
	if n := len(f.ClientQueues); n > 0 && rapid.Bool().Draw(t, "queued") {
		q.Group = f.ClientQueues[rapid.IntRange(0, n-1).Draw(t, "queue")].Group
	}
	if n := len(f.Retries); n > 0 && rapid.Bool().Draw(t, "retried") {
		q.Retry = f.Retries[rapid.IntRange(0, n-1).Draw(t, "policy")].Name
	}
	for _, name := range rapid.SampledFrom([][]string{nil, {"X-A"}, {"X-A", "X-A", "x-a", "B"}}).Draw(t, "headers") {
		q.Headers = append(q.Headers, request.Header{Name: name, Value: rapid.StringMatching(`[a-z{}é"]{0,5}`).Draw(t, "value")})
	}
	return q
}
