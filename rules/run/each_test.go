package run_test

import (
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// Several configurations come out as they do one after the other: what they share, the numbers of findings that are alike
// and what is known, goes on in their order, however many processors there are.
func TestEach(t *testing.T) {
	rules := []*rule.Rule{finder("e", "expires"), finder("r", "root")}
	const n = 40
	facts := func() []*rule.Facts {
		all := make([]*rule.Facts, n)
		for i := range all {
			body := strings.Repeat("server { expires 1d; location /a { root /srv; } }\n", 1+i*7%13) + fmt.Sprintf("server { expires %dd; }\n", i)
			all[i] = rule.NewFacts(ruletest.Resolve(t, http(body), ""), rule.Settings{})
		}
		return all
	}
	known := run.Tally{}
	known.Add(run.On(facts()[3], rules, run.Options{}).Findings)
	told := func(results []run.Result, left run.Tally) (all []string) {
		for _, r := range results {
			all = append(all, fmt.Sprint(lines(r), prints(r), r.Before, r.LeftOut))
		}
		return append(all, fmt.Sprint(left))
	}
	left := maps.Clone(known)
	o := run.Options{Before: left, Numbers: run.Numbers{}}
	var one []run.Result
	for _, f := range facts() {
		one = append(one, run.On(f, rules, o))
	}
	want := told(one, left)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 3, 16} {
		runtime.GOMAXPROCS(processors)
		left := maps.Clone(known)
		got := told(run.Each(facts(), rules, run.Options{Before: left}), left)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with %d processors:\n%s", processors, diff)
		}
	}
	if r := run.Each(nil, rules, run.Options{}); len(r) != 0 {
		t.Errorf("of none: %v", r)
	}
}
