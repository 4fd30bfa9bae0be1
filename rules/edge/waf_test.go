package edge

import (
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func webACL(t *testing.T, text string) *awswaf.ACL {
	t.Helper()
	v, err := document.JSON(&source.File{Path: "acl.json", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	acl, err := awswaf.Read(v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return acl
}

// A rule that is sound, with a scope of its own; replacements change one thing of it.
const soundWAF = `{"Name": "api", "Priority": 5, "Action": {"Block": {}}, "Statement": {"RateBasedStatement": {
	"Limit": 2000, "EvaluationWindowSec": 300, "AggregateKeyType": "IP", "ScopeDownStatement": SCOPE}}}`

func byteMatch(field, how, text, change string) string {
	return `{"ByteMatchStatement": {"SearchString": "` + text + `", "FieldToMatch": ` + field + `, "TextTransformations": [{"Priority": 0, "Type": "` + change + `"}], "PositionalConstraint": "` + how + `"}}`
}

// TestWAFRules changes one thing of a rule that is sound, and finds that and nothing else.
func TestWAFRules(t *testing.T) {
	fan, err := traffic.Builtin("portal")
	if err != nil {
		t.Fatal(err)
	}
	const path, method = `{"UriPath": {}}`, `{"Method": {}}`
	api := byteMatch(path, "STARTS_WITH", "/api/", "NONE")
	scoped := func(scope string, changes ...string) string {
		return strings.NewReplacer(changes...).Replace(strings.Replace(soundWAF, "SCOPE", scope, 1))
	}
	and := func(statements ...string) string {
		return `{"AndStatement": {"Statements": [` + strings.Join(statements, ", ") + `]}}`
	}
	sound := scoped(api)
	other := func(priority, action, statement string) string {
		return `{"Name": "other", "Priority": ` + priority + `, "Action": {"` + action + `": {}}, "Statement": ` + statement + `}`
	}
	acl := func(action string, rules ...string) string {
		return `{"Name": "site", "DefaultAction": {"` + action + `": {}}, "Rules": [` + strings.Join(rules, ", ") + `]}`
	}
	byHeader := `"AggregateKeyType": "FORWARDED_IP", "ForwardedIPConfig": {"HeaderName": "X-Forwarded-For", "FallbackBehavior": "NO_MATCH"}`
	const byIP = `"AggregateKeyType": "IP"`
	for _, c := range []struct{ name, text, want, at string }{
		{"sound", sound, "", ""},
		{"sound in an ACL", acl("Allow", sound), "", ""},
		{"a page", scoped(api, "2000", "10"), "edge-below-page", "10"},
		{"a limit too low", scoped(api, "2000", "9", `"/api/"`, `"/login"`), "edge-refused", "9"},
		{"a limit too high", scoped(api, "2000", "2000000001"), "edge-refused", "2000000001"},
		{"a limit beyond all numbers", scoped(api, "2000", "1000000000000000000000000000000"), "edge-unread", "1000000000000000000000000000000"},
		{"a forwarded address without a header", scoped(api, byIP, `"AggregateKeyType": "FORWARDED_IP"`), "edge-unread", `"FORWARDED_IP"`},
		{"a part that is misspelt", scoped(strings.Replace(api, "UriPath", "UriPth", 1)), "edge-unread", `"UriPth"`},
		{"a window that is none", scoped(api, "300", "90"), "edge-unread", "90"},
		{"Allow", scoped(api, "Block", "Allow"), "edge-unread", `{"Allow": {}}`},
		{"a status that is none", scoped(api, `{"Block": {}}`, `{"Block": {"CustomResponse": {"ResponseCode": 418}}}`), "edge-refused", "418"},
		{"429", scoped(api, `{"Block": {}}`, `{"Block": {"CustomResponse": {"ResponseCode": 429}}}`), "", ""},
		{"equal priorities", acl("Allow", sound, other("5", "Count", byteMatch(method, "EXACTLY", "POST", "NONE"))), "edge-refused", "5"},
		{"a scope of everything", scoped(byteMatch(path, "STARTS_WITH", "/", "NONE")), "", ""}, // a note
		{"all in one counter", scoped(byteMatch(path, "STARTS_WITH", "/", "NONE"), `"IP"`, `"CONSTANT"`), "edge-scope-open", `"/"`},
		{"some in one counter", scoped(api, `"IP"`, `"CONSTANT"`), "", ""},
		{"one counter without a scope", strings.Replace(scoped(api, `"IP"`, `"CONSTANT"`), `, "ScopeDownStatement": `+api, "", 1), "edge-unread", `"CONSTANT"`},
		{"capitals behind LOWERCASE", scoped(byteMatch(path, "STARTS_WITH", "/API/", "LOWERCASE")), "edge-refused", `"/API/"`},
		{"capitals in base64", scoped(byteMatch(path, "STARTS_WITH", "L0FQSS8=", "LOWERCASE")), "edge-refused", `"L0FQSS8="`},
		{"a path without /", scoped(byteMatch(path, "STARTS_WITH", "api/", "NONE")), "edge-refused", `"api/"`},
		{"a method in small letters", scoped(and(api, byteMatch(method, "EXACTLY", "post", "NONE"))), "edge-refused", `"post"`},
		{"two methods at once", scoped(and(byteMatch(method, "EXACTLY", "GET", "NONE"), byteMatch(method, "EXACTLY", "POST", "NONE"))), "edge-refused", `"POST"`},
		{"a path and not that path", scoped(and(byteMatch(path, "EXACTLY", "/login", "NONE"), `{"NotStatement": {"Statement": `+byteMatch(path, "STARTS_WITH", "/lo", "NONE")+`}}`)), "edge-refused", ""},
		{"Count alone", acl("Allow", scoped(api, "Block", "Count")), "edge-count-only", `{"Count": {}}`},
		{"Count beside another", acl("Allow", scoped(api, "Block", "Count"), strings.Replace(scoped(api), `"Priority": 5`, `"Priority": 6`, 1)), "", ""}, // a note
		{"Count for a label", acl("Allow", scoped(api, `"Block": {}}`, `"Count": {}}, "RuleLabels": [{"Name": "fast"}]`), other("9", "Block", `{"LabelMatchStatement": {"Scope": "LABEL", "Key": "fast"}}`)), "", ""},
		{"a default of Block", acl("Block", sound), "edge-default-action", `{"Block": {}}`},
		{"a default of Block with Allow", acl("Block", sound, other("7", "Allow", api)), "", ""},
		{"Allow before", acl("Block", other("1", "Allow", byteMatch(path, "STARTS_WITH", "/", "NONE")), sound), "edge-never-runs", `"api"`},
		{"Allow of the same", acl("Allow", other("1", "Allow", api), sound), "edge-never-runs", `"api"`},
		{"Allow behind", acl("Allow", other("9", "Allow", api), sound), "", ""},
		{"Allow of something else", acl("Allow", other("1", "Allow", byteMatch(path, "STARTS_WITH", "/api/health", "NONE")), sound), "", ""},
		{"Count of the same", acl("Allow", other("1", "Count", api), sound), "", ""},
		{"a lower limit before", acl("Allow", strings.NewReplacer(`"api"`, `"all"`, `: 5,`, `: 1,`, "2000", "300", ": 300,", ": 60,", `, "ScopeDownStatement": `+api, "").Replace(sound), sound), "edge-covered", "2000"},
		{"a shorter window before", acl("Allow", strings.NewReplacer(`"api"`, `"all"`, `: 5,`, `: 1,`, "2000", "1000", ": 300,", ": 60,").Replace(sound), sound), "", ""},
		{"a header that the client writes", scoped(api, byIP, byHeader), "edge-key-chosen", `"FORWARDED_IP"`},
		{"the same, and the address", acl("Allow", scoped(api, byIP, byHeader), strings.NewReplacer(`"api"`, `"all"`, `: 5,`, `: 9,`, "2000", "9000").Replace(sound)), "", ""},
		{"an argument of the client's", scoped(api, byIP, `"AggregateKeyType": "CUSTOM_KEYS", "CustomKeys": [{"IP": {}}, {"QueryArgument": {"Name": "user", "TextTransformations": [{"Priority": 0, "Type": "NONE"}]}}]`), "edge-key-chosen", `"QueryArgument"`},
		{"the address as only custom key", scoped(api, byIP, `"AggregateKeyType": "CUSTOM_KEYS", "CustomKeys": [{"IP": {}}]`), "edge-unread", `"IP"`},
		{"another rule knows of a proxy", acl("Allow", sound, `{"Name": "geo", "Priority": 1, "Action": {"Block": {}}, "Statement": {"GeoMatchStatement": {"CountryCodes": ["XX"], "ForwardedIPConfig": {"HeaderName": "X-Forwarded-For", "FallbackBehavior": "MATCH"}}}}`), "edge-key-not-client", `"IP"`},
	} {
		found := CheckACL(webACL(t, c.text), Options{Fan: fan, Clients: 29})
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if got := names(found); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
			for _, f := range found {
				t.Logf("%s: %s", f.Rule.Name, f.Message)
			}
		}
		for _, f := range found {
			if f.Rule.Name == c.want && f.Severity != rule.Note && c.at != "" && f.Primary.Text() != c.at {
				t.Errorf("%s: at %q, want %q", c.name, f.Primary.Text(), c.at)
			}
			if f.Primary.File == nil || f.Primary.Start >= f.Primary.End || f.Message == "" || f.Fingerprint == "" {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
}

// TestWAFNotes finds what is only a note.
func TestWAFNotes(t *testing.T) {
	fan, err := traffic.Builtin("portal")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		strings.Replace(soundWAF, "SCOPE", byteMatch(`{"UriPath": {}}`, "CONTAINS", "/", "LOWERCASE"), 1):                                                                                                        "edge-scope-open",
		strings.Replace(soundWAF, "SCOPE", `{"RegexMatchStatement": {"RegexString": "^/.*$", "FieldToMatch": {"UriPath": {}}, "TextTransformations": []}}`, 1):                                                   "edge-scope-open",
		strings.NewReplacer("SCOPE", byteMatch(`{"UriPath": {}}`, "STARTS_WITH", "/", "NONE"), "2000", "100").Replace(soundWAF):                                                                                  "edge-below-page",
		`[` + strings.NewReplacer(`, "ScopeDownStatement": SCOPE`, "", "Block", "Count").Replace(soundWAF) + `, ` + strings.NewReplacer(`, "ScopeDownStatement": SCOPE`, "", "5,", "6,").Replace(soundWAF) + `]`: "edge-count-only",
	} {
		var got []string
		for _, f := range CheckACL(webACL(t, text), Options{Fan: fan, Clients: 29}) {
			if f.Severity == rule.Note {
				got = append(got, f.Rule.Name)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
