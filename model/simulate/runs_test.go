package simulate

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	reader "github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// treeOf reads a configuration from disk.
func treeOf(t testing.TB, path string) *config.Tree {
	t.Helper()
	in, err := reader.Load([]string{path}, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return config.Resolve(in[0], config.Options{Version: "1.22.1"})
}

// treeOfText reads a configuration that stands in a test.
func treeOfText(t testing.TB, text string) *config.Tree {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return treeOf(t, path)
}

type expected struct {
	Outcome     string
	Status      *int
	ExcessMilli *int64 `json:"excess_milli"`
	Zone        *string
}

// TestRuns replays every run that was measured on nginx. The status of a delayed request was not seen there.
func TestRuns(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "oracle", "runs"), "*", "nginx.conf"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	same, all := 0, 0
	for _, conf := range folders {
		dir := filepath.Dir(conf)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tree := treeOf(t, conf)
			in, err := os.Open(filepath.Join(dir, "requests.ndjson"))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close() //nolint:errcheck // nothing was written
			res, err := Requests(tree, route.New(tree), traffic.ReadRequests(in, ""))
			if err != nil {
				t.Fatal(err)
			}
			want := readExpected(t, filepath.Join(dir, "expected.ndjson"))
			if len(want) != len(res.Requests) {
				t.Fatalf("%d rows for %d requests", len(res.Requests), len(want))
			}
			for i, w := range want {
				all++
				row := res.Requests[i]
				got := expected{row.Outcome, row.Status, row.ExcessMilli, row.Zone}
				if w.Outcome == "DELAYED" {
					got.Status = nil
				}
				if g, w := show(got), show(w); g != w {
					t.Errorf("request %d at %d ms, %s:\n got %s\nwant %s", i, row.TMs, row.URL, g, w)
					continue
				}
				same++
			}
		})
	}
	t.Logf("%d of %d requests of %d runs agree", same, all, len(folders))
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func readExpected(t *testing.T, path string) (list []expected) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		var e expected
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}
