package run_test

import (
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestMistaken holds that of what is refused of a file that is no configuration the first is told, whichever rule has it, with
// how many there are besides; that other findings of it stay; and that nothing is held back where all are asked for.
func TestMistaken(t *testing.T) {
	tree := ruletest.Resolve(t, "events {}\nhttp {\n    limit_req_status 500;\n    limit_conn_status 501;\n    limit_req_log_level warn;\n}\n", "")
	of := func(name, directive, mistaken string) *rule.Rule {
		return &rule.Rule{Name: name, Severity: rule.Error, Confidence: rule.High, Check: func(p *rule.Pass) {
			in := p.Tree.Input.Main.Directives[1].Block.Directives
			for i := range in {
				if in[i].Name().Value == directive {
					p.Report(rule.Finding{Message: name, Primary: in[i].Span(), Mistaken: mistaken})
				}
			}
		}}
	}
	rules := []*rule.Rule{
		of("third", "limit_req_log_level", "a list"), of("second", "limit_conn_status", "a list"), of("first", "limit_req_status", "a list"),
		of("plain", "limit_req_log_level", ""),
	}
	names := func(r run.Result) (all []string) {
		for i := range r.Findings {
			all = append(all, r.Findings[i].Rule.Name)
		}
		return all
	}
	result := ruletest.All(t, rules, tree, run.Options{Known: rules})
	if got := names(result); !slices.Equal(got, []string{"first", "plain"}) || result.LeftOut != 2 {
		t.Fatalf("%v are told, and %d are not", got, result.LeftOut)
	}
	if e := result.Findings[0].Evidence; e["looks_like"] != "a list" || e["others_held_back"] != int64(2) {
		t.Errorf("the first says %v", e)
	}
	alone := ruletest.All(t, rules[1:2], tree, run.Options{Known: rules})
	if e := alone.Findings[0].Evidence; alone.LeftOut != 0 || e["looks_like"] != "a list" || len(e) != 1 {
		t.Errorf("alone it says %v, and %d are left out", e, alone.LeftOut)
	}
	all := ruletest.All(t, rules, tree, run.Options{Known: rules, Everything: true})
	if got := names(all); len(got) != 4 || all.LeftOut != 0 {
		t.Errorf("of all, %v are told, and %d are not", got, all.LeftOut)
	}
}
