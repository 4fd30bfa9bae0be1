// Package oracle holds the product to what the real nginx decided: every file of the measured decisions is run end to
// end, from the configuration's text to the answer, and must agree whole. It has tests only; what single packages are
// held to beyond that (look-ups within a zone, for one) stands beside them.
package oracle

import (
	"io/fs"
	"path"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
)

// A kind is a form of file among the measured decisions.
type kind struct {
	pattern string // of the path below the folder
	what    string // that is counted
	judge   func(t *tally, path string)
	parts   []string // names of files beside it that belong to it
}

// kinds are all that is known. Files that people read decide nothing.
var kinds = []kind{
	{"runs/*/expected.ndjson", "requests", judgeRun, []string{"nginx.conf", "requests.ndjson", "about.json"}},
	{"vectors/limit_req/*.json", "requests", judgeLimitReq, nil},
	{"vectors/limit_conn.json", "steps", judgeLimitConn, nil},
	{"routes/*/routes.json", "routes", judgeRoutes, []string{"nginx.conf"}},
	{"realip.json", "addresses", judgeRealIPs, nil},
	{"vectors/realip.json", "addresses", judgeRealIP, nil},
	{"vectors/capacity.json", "capacities", judgeCapacity, nil},
	{"vectors/config.json", "configurations", judgeConfigurations, nil},
	{"README.md", "", nil, nil},
	{"vectors/README.md", "", nil, nil},
}

// kindOf returns the kind of a file, and whether it is only a part of it that another file stands for.
func kindOf(t *testing.T, name string) (k *kind, part bool) {
	t.Helper()
	for i := range kinds {
		k := &kinds[i]
		for j, file := range append([]string{path.Base(k.pattern)}, k.parts...) {
			same, err := path.Match(path.Join(path.Dir(k.pattern), file), name)
			if err != nil {
				t.Fatal(err)
			}
			if same {
				return k, j > 0
			}
		}
	}
	return nil, false
}

// TestOracle runs every file and prints how many of its decisions agree. A file of a form that is not known is a
// failure, and so is one that belongs to a file which is not there.
func TestOracle(t *testing.T) {
	root := measured.Path(t)
	totals := map[string]*tally{}
	files, parts, claimed := 0, map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		name, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		k, part := kindOf(t, filepath.ToSlash(name))
		switch {
		case k == nil:
			t.Errorf("%s: a file of a form that is not known", name)
		case part:
			parts[full] = true
		case k.judge != nil:
			for _, p := range k.parts {
				claimed[filepath.Join(filepath.Dir(full), p)] = true
			}
			c := run(t, k, name, full)
			if totals[k.what] == nil {
				totals[k.what] = &tally{}
			}
			totals[k.what].same += c.same
			totals[k.what].all += c.all
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for p := range parts {
		if !claimed[p] {
			t.Errorf("%s: it belongs to a file that is not there", p)
		}
	}
	printTotals(t, totals, files)
}

func run(t *testing.T, k *kind, name, full string) *tally {
	t.Helper()
	c := &tally{}
	t.Run(filepath.ToSlash(name), func(t *testing.T) {
		c.T = t
		k.judge(c, full)
		if c.all == 0 {
			t.Errorf("nothing is decided in it")
		}
		t.Logf("%d of %d %s agree", c.same, c.all, k.what)
	})
	return c
}

func printTotals(t *testing.T, totals map[string]*tally, files int) {
	t.Helper()
	var sum tally
	seen := map[string]bool{}
	for _, k := range kinds {
		c := totals[k.what]
		if c == nil || seen[k.what] {
			continue
		}
		seen[k.what] = true
		t.Logf("%6d of %6d %-14s agree: %s", c.same, c.all, k.what, c.percent())
		sum.same += c.same
		sum.all += c.all
	}
	t.Logf("%6d of %6d %-14s agree: %s, in %d files", sum.same, sum.all, "decisions", sum.percent(), files)
}

// TestForms holds that nothing is taken for a form that it does not have.
func TestForms(t *testing.T) {
	for name, want := range map[string]string{
		"runs/a/expected.ndjson": "requests", "runs/a/nginx.conf": "requests", "routes/a/nginx.conf": "routes", "vectors/realip.json": "addresses",
		"runs/a/b/nginx.conf": "", "runs/a/x.conf": "", "routes/a/expected.ndjson": "", "vectors/other.json": "", "limit_req/a.json": "", "nginx.conf": "",
	} {
		k, _ := kindOf(t, name)
		if got := k != nil; got != (want != "") || got && k.what != want {
			t.Errorf("%s: %+v, want %q", name, k, want)
		}
	}
}
