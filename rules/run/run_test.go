package run_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// finder returns a rule that finds every directive of a name, wherever a level holds it.
func finder(name, directive string) *rule.Rule {
	return &rule.Rule{
		Name: name, Severity: rule.Warning, Confidence: rule.Medium,
		Check: func(p *rule.Pass) {
			if p.Tree.HTTP == nil {
				return
			}
			visit := func(l *config.Level) {
				for _, item := range l.FindAll(directive) {
					f := rule.Of(item, l)
					f.Message = directive + " stands here"
					p.Report(f)
				}
			}
			visit(&p.Tree.HTTP.Level)
			for _, place := range p.Places() {
				visit(place.Level)
			}
		},
	}
}

// suppression is a rule whose findings the run makes.
var suppression = &rule.Rule{Name: rule.Suppression, Severity: rule.Warning, Confidence: rule.High}

func lines(r run.Result) []string {
	var all []string
	for i := range r.Findings {
		f := &r.Findings[i]
		all = append(all, fmt.Sprintf("%d %s: %s", f.Primary.From().Line, f.Rule.Name, f.Message))
	}
	return all
}

func http(body string) string { return "events {}\nhttp {\n" + body + "}\n" }

func TestOrderIsThatOfThePlaces(t *testing.T) {
	tree := ruletest.Resolve(t, http("server {\n  expires 1d;\n  location /a { add_header A b; expires 2d; }\n}\nserver { expires 3d; add_header B c; }\n"), "")
	rules := []*rule.Rule{finder("x-header", "add_header"), finder("b-expires", "expires"), finder("a-expires", "expires")}
	want := []string{
		"4 a-expires: expires stands here", "4 b-expires: expires stands here",
		"5 x-header: add_header stands here", "5 a-expires: expires stands here", "5 b-expires: expires stands here",
		"7 a-expires: expires stands here", "7 b-expires: expires stands here", "7 x-header: add_header stands here",
	}
	for range 20 {
		if diff := cmp.Diff(want, lines(ruletest.All(t, rules, tree, run.Options{}))); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
		rules = append(rules[1:], rules[0])
	}
}

func TestSameForAnyNumberOfProcessors(t *testing.T) {
	tree := ruletest.Resolve(t, http(strings.Repeat("server { expires 1d; location /a { expires 2d; } }\n", 50)), "")
	var rules []*rule.Rule
	for i := range 20 {
		rules = append(rules, finder(fmt.Sprintf("rule-%d", i), "expires"))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := run.All(rules, tree, run.Options{})
	runtime.GOMAXPROCS(16)
	slices.Reverse(rules)
	many := run.All(rules, tree, run.Options{})
	if a, b := fmt.Sprint(lines(one), prints(one)), fmt.Sprint(lines(many), prints(many)); a != b {
		t.Errorf("one processor and sixteen differ:\n%s\n%s", a, b)
	}
}

func prints(r run.Result) []string {
	var all []string
	for i := range r.Findings {
		all = append(all, r.Findings[i].Fingerprint)
	}
	return all
}

func TestSharedSnippetIsOneFinding(t *testing.T) {
	body := "server { server_name a; include snippets/x.conf; }\nserver { server_name b; include snippets/x.conf; }\n"
	dump := "# configuration file /etc/nginx/nginx.conf:\n" + http(body) +
		"\n# configuration file /etc/nginx/snippets/x.conf:\nexpires 1d;\n\n"
	r := ruletest.All(t, []*rule.Rule{finder("e", "expires")}, ruletest.Resolve(t, dump, ""), run.Options{})
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings: %v", len(r.Findings), lines(r))
	}
	f := r.Findings[0]
	if f.Places != 2 || f.Primary.File.Path != "/etc/nginx/snippets/x.conf" {
		t.Errorf("%d places in %s, want 2 in the snippet", f.Places, f.Primary.File.Path)
	}
	if want := []string{"http", "server a"}; !slices.Equal(f.Within(), want) {
		t.Errorf("context %v, want %v", f.Within(), want)
	}
	if f.Via == nil || f.Via.Include.Arg(0) != "snippets/x.conf" {
		t.Errorf("the include that led there is not named: %v", f.Via)
	}
}

func TestFingerprintsSurviveMovedLines(t *testing.T) {
	rules := []*rule.Rule{finder("e", "expires")}
	of := func(body string) []string {
		return prints(run.All(rules, ruletest.Resolve(t, http(body), ""), run.Options{}))
	}
	before := of("server { server_name a; expires 1d; }\nserver { server_name b; location / { expires 1d; } expires   2d; }\n")
	after := of("# moved\n\nserver { server_name a;\n expires\n 1d; }\nserver { server_name b;\n location / { expires '1d'; }\n expires 2d; }\n")
	if !slices.Equal(before, after) {
		t.Errorf("fingerprints changed:\n%v\n%v", before, after)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(before)))) != 3 {
		t.Errorf("three findings have the fingerprints %v", before)
	}
	twice := of("server { server_name a; expires 1d; }\nserver { server_name a; expires 1d; }\n")
	if twice[0] == twice[1] || twice[0] != before[0] {
		t.Errorf("two servers of one name have %v, the first alone %v", twice, before[0])
	}
}

func TestJoinTellsInputsApart(t *testing.T) {
	rules := []*rule.Rule{finder("e", "expires")}
	tree := ruletest.Resolve(t, http("server { expires 1d; }\n"), "")
	numbers := run.Numbers{}
	r := run.All(rules, tree, run.Options{Numbers: numbers})
	all := run.Join(r, run.All(rules, tree, run.Options{Numbers: numbers}))
	if len(all.Findings) != 2 || all.Findings[0].Fingerprint == all.Findings[1].Fingerprint {
		t.Errorf("joined: %v", prints(all))
	}
	if all.Findings[0].Fingerprint != r.Findings[0].Fingerprint {
		t.Error("the first input's fingerprint changed")
	}
}

func TestSeverityAndConfidence(t *testing.T) {
	tree := ruletest.Resolve(t, http("server { expires 1d; add_header A b; }\n"), "")
	rules := []*rule.Rule{finder("e", "expires"), finder("h", "add_header")}
	r := run.All(rules, tree, run.Options{Severities: map[string]rule.Severity{"e": rule.Error}})
	if r.Worst() != rule.Error || r.Count(rule.Error) != 1 || r.Count(rule.Warning) != 1 {
		t.Errorf("worst %s, %d errors, %d warnings", r.Worst(), r.Count(rule.Error), r.Count(rule.Warning))
	}
	if r := run.All(rules, tree, run.Options{MinConfidence: rule.High}); len(r.Findings) != 0 || r.Worst() != "" {
		t.Errorf("medium findings under a minimum of high: %v", lines(r))
	}
}

func TestDefectsAreTold(t *testing.T) {
	tree := ruletest.Resolve(t, http("server { expires 1d; }\n"), "")
	outside := finder("outside", "expires")
	outside.Check = func(p *rule.Pass) {
		f := rule.Of(p.Tree.HTTP.Servers[0].Items[0], p.Places()[0].Level)
		f.Message, f.Primary.End = "too far", 1<<30
		p.Report(f)
	}
	stops := &rule.Rule{Name: "stops", Severity: rule.Note, Confidence: rule.High, Check: func(*rule.Pass) { panic("no") }}
	r := run.All([]*rule.Rule{outside, stops, finder("e", "expires")}, tree, run.Options{})
	if len(r.Defects) != 2 {
		t.Errorf("defects: %q", r.Defects)
	}
	if len(r.Findings) != 2 {
		t.Errorf("findings: %v", lines(r))
	}
}
