package edge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func reading(t testing.TB, text string) *cloudflare.Reading {
	t.Helper()
	v, err := document.JSON(&source.File{Path: "rules.json", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	r, err := cloudflare.JSON(v, &lang.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(findings []rule.Finding) []string {
	var list []string
	for _, f := range findings {
		if f.Severity != rule.Note || f.Rule.Name == "edge-host-rewritten" {
			list = append(list, f.Rule.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestValidation finds each of the faults that the documentation names.
func TestValidation(t *testing.T) {
	want := map[string]string{
		"colo-missing": "edge-colo-missing", "ip-and-nat": "edge-refused", "upper-case-header": "edge-refused", "colo-in-expression": "edge-refused", "period-not-allowed": "edge-period",
		"period-86400": "edge-period", "challenge-with-duration": "edge-timeout", "throttling-block": "edge-timeout", "list-and-origin-only": "edge-refused", "list-and-response": "edge-refused",
		"status-out-of-range": "edge-refused", "two-counting-models": "edge-unread", "score-without-header": "edge-unread", "regex-on-pro": "edge-plan-lacks",
		"response-in-rule-expression": "edge-refused", "host-in-counting-with-origin-rules": "edge-host-rewritten",
	}
	paths := []string{filepath.Join(nginxtest.Root(t), "model", "edge", "testdata", "cloudflare-vectors.json")}
	if beside := filepath.Join(nginxtest.Root(t), "..", "shared", "facts", "cloudflare-vectors.json"); fileThere(beside) {
		paths = append(paths, beside)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var facts struct {
			Validation []struct {
				Name, Finding, Plan string
				Rule                json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &facts); err != nil {
			t.Fatal(err)
		}
		if len(facts.Validation) < 16 {
			t.Fatalf("%d faults", len(facts.Validation))
		}
		for _, c := range facts.Validation {
			found := Check(reading(t, string(c.Rule)), Options{Plan: c.Plan})
			if got := names(found); !slices.Contains(got, want[c.Name]) {
				t.Errorf("%s (%s): %v", c.Name, c.Finding, got)
			}
			for _, f := range found {
				if f.Primary.File == nil || f.Primary.Start >= f.Primary.End || f.Message == "" || f.Fingerprint == "" {
					t.Errorf("%s: %+v", c.Name, f)
				}
			}
		}
	}
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

const sound = `{"ref": "r", "expression": "starts_with(http.request.uri.path, \"/api/\") and http.request.method eq \"POST\"", "action": "block", "ratelimit": {"characteristics": ["cf.colo.id", "ip.src"], "period": 60, "requests_per_period": 100, "mitigation_timeout": 600}}`

// TestRules changes one thing of a rule that is sound, and finds that.
func TestRules(t *testing.T) {
	fan, err := traffic.Builtin("portal")
	if err != nil {
		t.Fatal(err)
	}
	skip := `{"kind": "zone", "phase": "http_request_firewall_custom", "rules": [{"ref": "s", "expression": %, "action": "skip", "action_parameters": {"phases": ["http_ratelimit"]}}]}`
	withSkip := func(expression string) string {
		return `[` + strings.Replace(skip, "%", expression, 1) + `, {"kind": "zone", "phase": "http_ratelimit", "rules": [` + sound + `]}]`
	}
	change := func(old, with string) string {
		if !strings.Contains(sound, old) {
			t.Fatalf("%s is not in the rule", old)
		}
		return strings.Replace(sound, old, with, 1)
	}
	for _, c := range []struct {
		name, text, plan, want, at string
	}{
		{"sound", sound, "", "", ""},
		{"sound on Business", sound, "business", "", ""},
		{"a key of the client's", change(`"ip.src"`, `"http.request.headers[\"x-api-key\"]"`), "", "edge-key-chosen", ""},
		{"a key beside the address", change(`"ip.src"`, `"ip.src", "http.request.cookies[\"id\"]"`), "", "edge-key-chosen", `"http.request.cookies[\"id\"]"`},
		{"the same, and one by the address alone", `[` + change(`"ip.src"`, `"ip.src", "http.request.cookies[\"id\"]"`) + `, ` + strings.Replace(strings.Replace(sound, `"r"`, `"all"`, 1), ` and http.request.method eq \"POST\"`, ``, 1) + `]`, "", "", ""},
		{"counting by the answer", change(`"period"`, `"counting_expression": "http.response.code eq 401", "period"`), "", "", ""}, // posts are not cached
		{"counting by the answer of everything", strings.Replace(change(`"period"`, `"counting_expression": "http.response.code eq 401", "period"`), ` and http.request.method eq \"POST\"`, ``, 1), "", "edge-cache-passed", "http.response.code"},
		{"a skip of everything", withSkip(`"true"`), "", "edge-never-runs", ""},
		{"a skip of the same", withSkip(`"starts_with(http.request.uri.path, \"/api/\")"`), "", "edge-never-runs", ""},
		{"a skip of something else", withSkip(`"ip.src eq 10.0.0.1"`), "", "", ""},
		{"a limit below a page", `{"ref": "r", "expression": "true", "action": "block", "ratelimit": {"characteristics": ["cf.colo.id", "ip.src"], "period": 10, "requests_per_period": 20, "mitigation_timeout": 60}}`, "", "edge-below-page", "20"},
		{"a period that Pro lacks", change(`"period": 60`, `"period": 120`), "pro", "edge-period", "120"},
		{"a timeout that Pro lacks", change(`600`, `86400`), "pro", "edge-timeout", "86400"},
		{"fields that Free lacks", strings.Replace(sound, `"period": 60`, `"period": 10`, 1), "free", "edge-plan-lacks", ""},
		{"a field that does not exist", change(`http.request.method`, `http.request.metod`), "", "edge-unread", "http.request.metod"},
	} {
		found := Check(reading(t, c.text), Options{Plan: c.plan, Fan: fan, Clients: 29})
		got := names(found)
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
		for _, f := range found {
			if f.Rule.Name == c.want && c.at != "" && f.Primary.Text() != c.at {
				t.Errorf("%s: at %q", c.name, f.Primary.Text())
			}
		}
	}
}

// TestCatalogue has every rule with its words.
func TestCatalogue(t *testing.T) {
	all := All()
	if len(all) != 18 {
		t.Errorf("%d rules", len(all))
	}
	for i, r := range all {
		if !strings.HasPrefix(r.Name, "edge-") || r.Summary == "" || r.Why == "" || r.Severity == "" || r.Confidence == "" || i > 0 && all[i-1].Name >= r.Name {
			t.Errorf("%+v", r)
		}
	}
}
