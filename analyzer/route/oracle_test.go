package route

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// resolveFile reads a configuration from disk.
func resolveFile(t testing.TB, path string) *config.Tree {
	t.Helper()
	inputs, err := load.Load([]string{path}, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) != 1 {
		t.Fatalf("%d inputs in %s", len(inputs), path)
	}
	return config.Resolve(inputs[0], config.Options{Version: "1.22.1"})
}

// resolve reads a configuration from its text.
func resolve(t testing.TB, text string) *config.Tree {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return resolveFile(t, path)
}

// answer is what a test configuration says of itself: the status, and the text of the "return 200 TEXT" that the request
// came to.
type answer struct {
	status int
	text   string
}

// ask routes a request to its server and location and evaluates the return that stands there.
func ask(t testing.TB, r *Router, v *value.Request, req *request.Request) answer {
	t.Helper()
	c := r.Begin(v, req)
	if c.Server == nil {
		t.Fatalf("no server: %s", c.Why)
	}
	if c.Status != 0 {
		return answer{status: c.Status}
	}
	if c.Unknown != "" {
		t.Fatalf("server is not known: %s", c.Unknown)
	}
	if it, ok := c.Server.Find("return"); ok {
		return said(t, v, it)
	}
	m := c.Site.Location(v, false)
	switch {
	case m.Undecided != nil:
		t.Fatalf("location is not known: %v", m.Undecided)
	case m.Status != 0:
		return answer{m.Status, m.Redirect}
	case m.Number == 0:
		return answer{status: 404} // no file is there
	}
	it, ok := r.Numbered(m.Number).Find("return")
	if !ok {
		return answer{status: 404}
	}
	return said(t, v, it)
}

func said(t testing.TB, v *value.Request, it config.Item) answer {
	t.Helper()
	template, err := value.Parse(it.Arg(1))
	if err != nil {
		t.Fatal(err)
	}
	text, known := template.Eval(v).Known()
	if !known {
		t.Fatalf("%q: %s", it.Arg(1), template.Eval(v).Reason())
	}
	return answer{200, text}
}

// TestSharedRoutes compares with the choices of nginx 1.22.1 for some 2,000 requests.
func TestSharedRoutes(t *testing.T) {
	files := measured.Files(t, "routes/*/routes.json")
	total := 0
	for _, file := range files {
		set := measured.ReadRoutes(t, filepath.Dir(file))
		r := New(resolveFile(t, set.Config))
		v := &value.Request{}
		for i := range set.Requests {
			q := &set.Requests[i]
			total++
			want := answer{status: q.Status}
			if q.Server != nil {
				want.text = "[" + *q.Server + "]["
				if q.Location != nil {
					want.text += *q.Location
				}
				want.text += "]"
			}
			req := q.Request()
			got := ask(t, r, v, req)
			if got != want {
				t.Errorf("%s: host %q uri %q: got %v, nginx %v", set.ID, req.Host, q.URI, got, want)
			}
		}
	}
	t.Logf("%d requests in %d configurations", total, len(files))
}
