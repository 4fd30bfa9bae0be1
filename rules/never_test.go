package rules_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestNeverMeansNever sends the requests that nginx itself was measured with: none may be judged by a limit that is said never
// to run.
func TestNeverMeansNever(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "oracle"), "runs", "*", "nginx.conf"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no run: %v", err)
	}
	limits, judged := 0, 0
	for _, path := range paths {
		tree := ruletest.ResolvePath(t, path, "")
		never := make(map[*syntax.Directive]bool)
		for _, f := range ruletest.All(t, []*rule.Rule{rules.LimitNeverRuns}, tree, run.Options{}).Findings {
			never[f.Subject] = true
		}
		if limits += len(never); len(never) == 0 {
			continue
		}
		data, err := os.Open(filepath.Join(filepath.Dir(path), "requests.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		pipe := pipeline.New(tree, route.New(tree))
		now := clock.Msec(0)
		for event, err := range traffic.ReadRequests(data, "") {
			if err != nil {
				t.Fatal(err)
			}
			now += 100
			trace := pipe.Do(now, &event.Request)
			if !trace.LimiterRan {
				continue
			}
			for _, l := range trace.Limits {
				if judged++; never[l.Directive] {
					t.Errorf("%s: a limit at line %d judges %s", path, l.Span.From().Line, event.Request.Target)
				}
			}
		}
		data.Close() //nolint:errcheck // nothing was written
	}
	t.Logf("%d limits that never run, %d judgements of others", limits, judged)
	if limits == 0 || judged == 0 {
		t.Error("nothing was tried")
	}
}
