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
