package traffic

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// What the built-in fans are known for: the rules' figures and the documents speak of these counts.
func TestBuiltin(t *testing.T) {
	for _, tt := range []struct {
		name     string
		requests int
		together int
		kinds    map[string]int
	}{
		{"single", 1, 1, map[string]int{"html": 1}},
		{"six-in-10ms", 6, 6, map[string]int{"html": 6}},
		{"portal", 23, 14, map[string]int{"html": 1, "api": 14, "static": 5, "image": 2, "font": 1}},
		{"block-editor", 73, 51, map[string]int{"html": 1, "api": 37, "ajax": 14, "php-asset": 2, "static": 18, "font": 1}},
		{"shop", 54, 44, map[string]int{"html": 1, "static": 17, "font": 3, "image": 27, "ajax": 2, "api": 4}},
		{"dashboard", 43, 25, map[string]int{"html": 1, "static": 7, "font": 1, "api": 7, "query": 27}},
		{"spa-http1", 28, 14, map[string]int{"html": 1, "static": 6, "font": 1, "image": 2, "api": 18}},
		{"mobile-start", 24, 12, map[string]int{"api": 14, "image": 10}},
		{"graphql", 25, 18, map[string]int{"html": 1, "static": 5, "graphql": 13, "image": 6}},
		{"webhook-burst", 120, 15, map[string]int{}},
		{"login-attack", 150, 1, map[string]int{}},
		{"scraper", 3000, 8, map[string]int{}},
		{"flood", 5000, 50, map[string]int{}},
	} {
		f, err := Builtin(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		for _, q := range f.Requests {
			kinds[q.Kind]++
		}
		n := len(f.Requests)
		for i := range f.Streams {
			n += int(f.Streams[i].Count())
		}
		if n != tt.requests || !cmp.Equal(kinds, tt.kinds) || f.Together() != tt.together {
			t.Errorf("%s: %d requests, %d together, %v", tt.name, n, f.Together(), kinds)
		}
		if f.Name != tt.name || f.Description == "" || f.Basis == "" || len(f.Sources) == 0 && tt.name != "single" {
			t.Errorf("%s: name %q, description %q, basis %q, %d sources", tt.name, f.Name, f.Description, f.Basis, len(f.Sources))
		}
		if want := map[bool]Role{true: Attack}[len(kinds) == 0 && tt.name != "webhook-burst"]; f.Role != want {
			t.Errorf("%s: role %q", tt.name, f.Role)
		}
	}
	if got := Names(); len(got) != 13 || !slices.IsSorted(got) {
		t.Errorf("names %v", got)
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
	if err == nil || !strings.Contains(err.Error(), "mobile-start, portal, scraper") {
		t.Errorf("error %v", err)
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
