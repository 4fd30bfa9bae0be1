package cloudflare

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// vector is a story of the documentation: rules, requests, and what becomes of each.
type vector struct {
	Name, Source string
	Rules        json.RawMessage
	Lists        map[string][]string
	Requests     []struct {
		TMs             int64  `json:"t_ms"`
		ClientIP        string `json:"client_ip"`
		Method, URL     string
		Headers         map[string]string
		Colo            string
		Cached          bool
		ChallengePassed bool `json:"challenge_passed"`
		Response        struct {
			Status  int
			Headers map[string]string
		}
	}
	Expected []expectation
	Windows  map[string]struct {
		Action string
		Value  float64
	}
}

type expectation struct {
	Action   string
	By       *string
	Counters map[string]*int64
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	paths := []string{filepath.Join("..", "testdata", "cloudflare-vectors.json")}
	if beside := filepath.Join(nginxtest.Root(t), "..", "shared", "facts", "cloudflare-vectors.json"); exists(beside) {
		paths = append(paths, beside)
	}
	var all []vector
	for _, path := range paths {
		var f struct{ Vectors []vector }
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f.Vectors...)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(t testing.TB, text string, env *lang.Env) *Reading {
	t.Helper()
	v, err := document.JSON(&source.File{Path: "rules.json", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if env == nil {
		env = &lang.Env{}
	}
	r, err := JSON(v, env)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func headersOf(m map[string]string) (list []request.Header) {
	for name, v := range m {
		list = append(list, request.Header{Name: name, Value: v})
	}
	return list
}

// word is the action as the vectors call it.
func word(d edge.Decision) string {
	switch {
	case d.Rule == "":
		return "allow"
	case d.Kind != "":
		return d.Kind
	}
	return string(d.Action)
}

// TestVectors tells each story request by request, with each of the windows.
func TestVectors(t *testing.T) {
	names := map[Window]string{Buckets: "sliding_estimate", Sliding: "sliding_log", Fixed: "fixed"}
	all := readVectors(t)
	if len(all) < 20 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, v := range all {
		for _, w := range Windows {
			t.Run(v.Name+"/"+string(w), func(t *testing.T) {
				env := &lang.Env{Lists: map[string]*lang.List{}}
				for name, entries := range v.Lists {
					l, err := lang.ParseList([]byte(strings.Join(entries, "\n")))
					if err != nil {
						t.Fatal(err)
					}
					env.Lists[name] = l
				}
				l, err := New(read(t, string(v.Rules), env).Rulesets, Options{Window: w})
				if err != nil {
					t.Fatal(err)
				}
				for i, q := range v.Requests {
					req := edge.Request{
						Client: netip.MustParseAddr(q.ClientIP), Method: q.Method, Headers: headersOf(q.Headers), Colo: q.Colo, Cached: q.Cached, ChallengePassed: q.ChallengePassed,
					}
					scheme, rest, _ := strings.Cut(q.URL, "://")
					host, path, _ := strings.Cut(rest, "/")
					req.Scheme, req.Host, req.Target = scheme, host, "/"+path
					now := clock.Msec(q.TMs)
					d := l.Decide(now, &req)
					if !d.Action.Stops() {
						d = l.Observe(now, &req, &edge.Response{Status: q.Response.Status, Headers: headersOf(q.Response.Headers), Known: true}, d)
					}
					want := v.Expected[i]
					if special, ok := v.Windows[names[w]]; ok && i == len(v.Requests)-1 {
						want.Action, want.By = special.Action, nil
						if got := l.Counters(now, &req)[v.ref(t)]; float64(got) < special.Value || float64(got) >= special.Value+1 {
							t.Errorf("request %d: counter %d, want %v rounded up", i+1, got, special.Value)
						}
					}
					check(t, i, d, want, l.Counters(now, &req))
				}
			})
		}
	}
}

func (v *vector) ref(t *testing.T) string {
	var rules []struct{ Ref string }
	if err := json.Unmarshal(v.Rules, &rules); err != nil {
		t.Fatal(err)
	}
	return rules[0].Ref
}

func check(t *testing.T, i int, d edge.Decision, want expectation, counters map[string]int64) {
	t.Helper()
	if word(d) != want.Action || want.By != nil && *want.By != d.Rule {
		t.Errorf("request %d: %+v, want %s", i+1, d, want.Action)
	}
	for name, n := range counters {
		w, ok := want.Counters[name]
		if !ok || w != nil && *w != n {
			t.Errorf("request %d: rule %s counts %d, want %v", i+1, name, n, want.Counters)
		}
		if d.Rule == name && !d.Action.Stops() && d.Counter != n {
			t.Errorf("request %d: the decision says %d, and rule %s counts %d", i+1, d.Counter, name, n)
		}
	}
	for name, w := range want.Counters {
		if _, ok := counters[name]; !ok && w != nil {
			t.Errorf("request %d: rule %s has no counter, want %d", i+1, name, *w)
		}
	}
}
