package run_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestEffects holds that what a limit does is a note where a rule that was named as its cause warns of the limit, and only there.
func TestEffects(t *testing.T) {
	text := `events {}
http {
    limit_req_zone $binary_remote_addr zone=z:10m rate=1r/s;
    server {
        location /a/ { limit_req zone=z burst=1; }
        location /b/ { limit_req zone=z burst=2; } # ngxlimit:ignore cause it is meant
        location /c/ { limit_req zone=z burst=3; }
    }
}
`
	tree := ruletest.Resolve(t, text, "")
	at := func(name string, severity rule.Severity, which ...int64) *rule.Rule {
		return &rule.Rule{Name: name, Severity: severity, Confidence: rule.High, Check: func(p *rule.Pass) {
			for _, list := range p.LimitReqs() {
				l := list.Limits[0]
				for _, burst := range which {
					if l.Burst == burst*1000 {
						f := rule.Of(config.Item{Directive: l.Directive, Via: l.Via}, list.At)
						f.Message = name
						p.Report(f)
					}
				}
			}
		}}
	}
	effect := &rule.Rule{Name: "effect", Severity: rule.Warning, Confidence: rule.High, Causes: []string{"cause"}, Check: func(p *rule.Pass) {
		for _, list := range p.LimitReqs() {
			f := rule.Of(config.Item{Directive: list.At.Directive}, list.At)
			f.Message, f.Cause = "effect", list.Limits[0].Directive
			p.Report(f)
		}
	}}
	tests := []struct {
		name  string
		rules []*rule.Rule
		want  [3]rule.Severity
	}{
		{"alone", []*rule.Rule{effect}, [3]rule.Severity{rule.Warning, rule.Warning, rule.Warning}},
		{"with its cause, of which a comment holds back one", []*rule.Rule{effect, at("cause", rule.Warning, 1, 2)}, [3]rule.Severity{rule.Note, rule.Note, rule.Warning}},
		{"with a cause that is a note", []*rule.Rule{effect, at("cause", rule.Note, 1, 3)}, [3]rule.Severity{rule.Warning, rule.Warning, rule.Warning}},
		{"with another rule", []*rule.Rule{effect, at("other", rule.Error, 1, 2, 3)}, [3]rule.Severity{rule.Warning, rule.Warning, rule.Warning}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []rule.Severity
			for _, f := range ruletest.All(t, tt.rules, tree, run.Options{Known: tt.rules}).Findings {
				if f.Rule == effect {
					got = append(got, f.Severity)
				}
			}
			if len(got) != 3 || [3]rule.Severity(got) != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
