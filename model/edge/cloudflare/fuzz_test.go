package cloudflare

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// FuzzRules reads any JSON as rules and lets a request pass them: places stay inside the file, and nothing breaks.
func FuzzRules(f *testing.F) {
	f.Add(ruleset(limited))
	f.Add(`[` + ruleset(limited) + `, {"kind": "root", "phase": "http_ratelimit", "rules": [{"action": "execute", "expression": "true", "action_parameters": {"id": "1"}}]}]`)
	for _, v := range readVectors(f) {
		f.Add(string(v.Rules))
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := document.JSON(&source.File{Path: "f", Text: text})
		if err != nil {
			return
		}
		r, err := JSON(v, &lang.Env{})
		if err != nil {
			return
		}
		for _, s := range r.Rulesets {
			for _, u := range s.Rules {
				for _, p := range u.Problems {
					if int(p.Span.End) > len(text) || p.Span.Start > p.Span.End || p.Text == "" {
						t.Errorf("%+v", p)
					}
				}
			}
		}
		l, err := New(r.Rulesets, Options{})
		if err != nil {
			return
		}
		req := edge.Request{Host: "a.example", Target: "/form?a=1"}
		d := l.Decide(0, &req)
		l.Observe(0, &req, &answer, d)
		l.Report()
	})
}
