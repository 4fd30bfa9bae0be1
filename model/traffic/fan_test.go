package traffic

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// What the built-in fans are known for: the rules' figures and the documents speak of these counts.
func TestBuiltin(t *testing.T) {
	for _, tt := range []struct {
		name     string
		requests int
		kinds    map[string]int
	}{
		{"single", 1, map[string]int{"html": 1}},
		{"six-in-10ms", 6, map[string]int{"html": 6}},
		{"portal", 23, map[string]int{"html": 1, "api": 14, "static": 5, "image": 2, "font": 1}},
		{"block-editor", 73, map[string]int{"html": 1, "api": 37, "ajax": 14, "php-asset": 2, "static": 18, "font": 1}},
	} {
		f, err := Builtin(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		for _, q := range f.Requests {
			kinds[q.Kind]++
		}
		if len(f.Requests) != tt.requests || !cmp.Equal(kinds, tt.kinds) {
			t.Errorf("%s: %d requests, %v", tt.name, len(f.Requests), kinds)
		}
		if f.Name != tt.name || f.Description == "" || f.Basis == "" {
			t.Errorf("%s: name %q, description %q, basis %q", tt.name, f.Name, f.Description, f.Basis)
		}
	}
	if got := Names(); !slices.Contains(got, "portal") || !slices.IsSorted(got) {
		t.Errorf("names %v", got)
	}
}

func TestBuiltinsAllReadable(t *testing.T) {
	for _, name := range Names() {
		if f, err := Builtin(name); err != nil || f.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSixIn10msTimes(t *testing.T) {
	f, err := Builtin("six-in-10ms")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range f.Requests {
		if q.StartOffsetMs != int64(i) || q.DependsOn != nil || q.Path != "/" {
			t.Errorf("request %d: %+v", i, q)
		}
	}
}

func TestEditorRunsMoreThan50InParallel(t *testing.T) {
	f, err := Builtin("block-editor")
	if err != nil {
		t.Fatal(err)
	}
	waiting := map[int]int{}
	for _, q := range f.Requests {
		if q.DependsOn != nil && (q.Kind == "api" || q.Kind == "ajax") {
			waiting[*q.DependsOn]++
		}
	}
	if waiting[10] <= 50 {
		t.Errorf("%v requests start together", waiting)
	}
	if p := f.Requests[10].Path; !strings.Contains(p, "edit-post") {
		t.Errorf("they wait for %s", p)
	}
}

func TestBuiltinUnknown(t *testing.T) {
	_, err := Builtin("../secret")
	if err == nil || !strings.Contains(err.Error(), "portal, single, six-in-10ms") {
		t.Errorf("error %v", err)
	}
}

func TestReadFan(t *testing.T) {
	const text = `{"description": "d", "basis": "b", "sources": ["s"], "note": "n", "reference": {"rtt_ms": 40},
		"client_queues": [{"group": "g", "at_once": 5, "protocols": ["h1"]}],
		"requests": [
			{"path": "/a?x=1", "kind": "html", "depends_on": null, "start_offset_ms": 0},
			{"path": "/b", "kind": "api", "depends_on": 0, "start_offset_ms": 80, "method": "POST", "group": "g",
			 "body": "x", "long_lived": true, "headers": {"X-B": "1", "X-A": ["2", "3"]}}]}`
	got, err := ReadFan(strings.NewReader(text), "mine")
	if err != nil {
		t.Fatal(err)
	}
	want := &Fan{
		Name: "mine", Description: "d", Basis: "b", Sources: []string{"s"}, Note: "n",
		ClientQueues: []ClientQueue{{Group: "g", AtOnce: 5, Protocols: []string{"h1"}}},
		Requests: []FanRequest{
			{Method: "GET", Path: "/a?x=1", Kind: "html"},
			{
				Method: "POST", Path: "/b", Kind: "api", DependsOn: new(0), StartOffsetMs: 80, Group: "g", Body: "x", LongLived: true,
				Headers: []request.Header{{Name: "X-B", Value: "1"}, {Name: "X-A", Value: "2"}, {Name: "X-A", Value: "3"}},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadFanRefuses(t *testing.T) {
	one := func(members string) string {
		return `{"requests": [{"path": "/", "kind": "html"}, {"path": "/x", "kind": "api", ` + members + `}]}`
	}
	for _, tt := range []struct{ text, want string }{
		{``, "fan is empty"},
		{`[]`, "a list where an object is expected"},
		{`{"requests": [`, "not valid JSON: it ends too early"},
		{`{"requests": [}`, "not valid JSON: "},
		{`{"requests": []} x`, "not valid JSON: invalid character 'x' after top-level value"},
		{`{"requests": []}`, "fan has no requests"},
		{`{}`, "fan has no requests"},
		{`{"fans": []}`, "a collection of fans; a file has to hold one fan"},
		{`{"reqests": []}`, `unknown field "reqests"; allowed are name, description`},
		{`{"requests": [], "requests": []}`, `field "requests" stands twice`},
		{`{"requests": {}}`, "requests: an object where a list is expected"},
		{`{"requests": [1]}`, "request 0: 1 where an object is expected"},
		{`{"name": 1, "requests": []}`, "name: 1 where a string is expected"},
		{`{"requests": [{"kind": "html"}]}`, "request 0: path is missing"},
		{`{"requests": [{"path": "/"}]}`, "request 0: kind is missing; known are html, static"},
		{one(`"dependson": 0`), `request 1: unknown field "dependson"; allowed are path, kind, depends_on`},
		{one(`"depends_on": 2`), "request 1: depends_on 2, but the last request is 1"},
		{one(`"depends_on": 1`), "request 1: depends_on itself"},
		{one(`"depends_on": -1`), "request 1: depends_on: -1 is not between 0 and 10000"},
		{one(`"depends_on": "0"`), "request 1: depends_on: a string where a whole number is expected"},
		{one(`"start_offset_ms": -5`), "request 1: start_offset_ms: -5 is not between 0 and 3600000"},
		{one(`"start_offset_ms": 1e9`), "request 1: start_offset_ms: 1000000000 is not between 0 and 3600000"},
		{one(`"start_offset_ms": 0.5`), "request 1: start_offset_ms: 0.5 where a whole number is expected"},
		{one(`"method": "GE T"`), `request 1: method: "GE T" is no method`},
		{one(`"group": "g"`), `request 1: group "g" has no client queue`},
		{one(`"headers": {"a b": "x"}`), `request 1: headers: "a b" is no name of a header`},
		{one(`"headers": {"a": "x\r\ny"}`), `request 1: headers: header "a": its value holds a line break`},
		{`{"requests": [{"path": "x", "kind": "html"}]}`, `request 0: path "x" is no path`},
		{`{"requests": [{"path": "/a b", "kind": "html"}]}`, `request 0: request target "/a b" holds a space`},
		{`{"requests": [{"path": "/", "kind": "page"}]}`, `request 0: unknown kind "page"; known are html`},
		{
			`{"requests": [{"path": "/", "kind": "api"}, {"path": "/", "kind": "api", "depends_on": 2},` +
				`{"path": "/", "kind": "api", "depends_on": 1}]}`,
			"request 1: depends_on leads back to it",
		},
		{`{"client_queues": [{"group": "g"}], "requests": [{}]}`, "client queue 0: at_once is missing"},
		{`{"client_queues": [{"group": "g", "at_once": 0}], "requests": [{}]}`, "client queue 0: at_once: 0 is not between 1"},
		{`{"client_queues": [{"group": "g", "at_once": 1, "protocols": ["h9"]}], "requests": [{}]}`, `unknown protocol "h9"; known are h1, h2`},
		{`{"requests": [` + strings.Repeat(`{},`, maxFanRequests) + `{}]}`, "requests: 10001 are more than 10000"},
		{strings.Repeat(" ", maxFanBytes+1), "fan is longer than 16777216 bytes"},
		{strings.Repeat("[", 1<<20), "exceeded max depth"},
		{`{"requests": ` + strings.Repeat("[", 1<<20), "not valid JSON: "},
	} {
		if _, err := ReadFan(strings.NewReader(tt.text), "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80s: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A long chain is no cycle, whichever end it is entered from.
func TestLongChain(t *testing.T) {
	for _, step := range []int{-1, 1} {
		f := Fan{Name: "chain", Requests: make([]FanRequest, maxFanRequests)}
		for i := range f.Requests {
			f.Requests[i] = FanRequest{Method: "GET", Path: "/", Kind: "api"}
			if d := i + step; d >= 0 && d < len(f.Requests) {
				f.Requests[i].DependsOn = &d
			}
		}
		if err := f.check(); err != nil {
			t.Error(err)
		}
	}
}

// Every measured fan is one that this reader takes.
func TestSharedFans(t *testing.T) {
	data, err := os.ReadFile(nginxtest.Shared(t, "facts", "fans.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Fans []json.RawMessage }
	if err := json.Unmarshal(data, &all); err != nil || len(all.Fans) == 0 {
		t.Fatalf("%d fans: %v", len(all.Fans), err)
	}
	for _, raw := range all.Fans {
		f, err := ReadFan(strings.NewReader(string(raw)), "")
		if err != nil {
			t.Errorf("%.40s: %v", raw, err)
		} else if f.Name == "" || len(f.Requests) < 18 {
			t.Errorf("%q: %d requests", f.Name, len(f.Requests))
		}
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
	f.Add(`{"requests":[{"path":"/","kind":"api","depends_on":1},{"path":"/","kind":"api","depends_on":0}]}`)
	f.Add(`{"client_queues":[{"group":"g","at_once":1}],"requests":[{"path":"/","kind":"api","group":"g","headers":{"a":["b","c"]}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		fan, err := ReadFan(strings.NewReader(text), "fuzz")
		if err != nil {
			if fan != nil && fan.Requests == nil && err.Error() == "" {
				t.Error("an error without words")
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
	})
}
