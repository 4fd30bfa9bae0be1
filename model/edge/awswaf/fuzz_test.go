package awswaf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
)

// FuzzRead reads web ACLs, whatever is in them, and lets requests pass them.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile(filepath.Join(nginxtest.Root(f), "fixtures", "edge", "web-acl.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"DefaultAction": {"Block": {}}, "Rules": [` + perAddress + `, {"Statement": {"NotStatement": {"Statement": {"GeoMatchStatement": {}}}}, "Priority": "x", "Action": {"Allow": null}}]}`)
	f.Add(`[{"Statement": {"RateBasedStatement": {"Limit": 10, "AggregateKeyType": "CUSTOM_KEYS", "CustomKeys": [{"Header": {"Name": "a"}}, {"ForwardedIP": {}}], "ForwardedIPConfig": {"HeaderName": "x", "FallbackBehavior": "MATCH"}}}, "RuleLabels": [1]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := document.JSON(&source.File{Path: "acl.json", Text: text})
		if err != nil || !Looks(v) {
			return
		}
		acl, err := Read(v, nil)
		if err != nil {
			return
		}
		for i, u := range acl.Rules {
			if at, why := u.When.Never(); at != nil && (why == "" || at.Span.File == nil) || u.When.Always() && u.When.Forwarded() {
				t.Errorf("%+v: %s", at, why)
			}
			u.When.Labels()
			u.When.Exactly("UriPath")
			if i > 0 {
				u.When.Implies(acl.Rules[i-1].When)
			}
			if u.Span.File == nil || u.At.File == nil || u.Rate != nil && (u.Rate.LimitAt.File == nil || u.Rate.KindAt.File == nil || u.Rate.WindowAt.File == nil) {
				t.Errorf("a rule without a place: %+v", u)
			}
		}
		for _, p := range acl.Problems {
			if p.Span.File == nil || p.Span.End > uint32(len(text)) || strings.TrimSpace(p.Text) == "" {
				t.Errorf("%+v", p)
			}
		}
		l := New(acl)
		for n := range 30 {
			l.Decide(clock.Msec(n)*3000, get(uint32(n%3), "/api/?a=b"))
		}
		l.Report()
	})
}
