package awswaf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

func fromTerraform(t *testing.T, text string, lists map[string]*lang.List) *ACL {
	t.Helper()
	all, err := document.Terraform([]*source.File{{Path: "acl.tf", Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	acl, err := Terraform(all, lists)
	if err != nil {
		t.Fatal(err)
	}
	return acl
}

// TestTerraform reads the same web ACL from Terraform and from JSON.
func TestTerraform(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(nginxtest.Root(t), "fixtures", "edge", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	v, err := document.JSON(&source.File{Path: "web-acl.json", Text: read("web-acl.json")})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Read(v, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := fromTerraform(t, read("web-acl.tf"), nil)
	if len(got.Problems) > 0 || len(got.Rules) != 1 || got.Name != want.Name || got.Default.Kind != want.Default.Kind {
		t.Fatalf("%+v", got)
	}
	g, w := got.Rules[0], want.Rules[0]
	if g.Name != w.Name || g.Priority != w.Priority || g.Action.Kind != w.Action.Kind || g.Rate.Limit != w.Rate.Limit || g.Rate.WindowS != w.Rate.WindowS || g.Rate.Kind != w.Rate.Kind ||
		!g.When.Implies(w.When) || !w.When.Implies(g.When) {
		t.Errorf("%+v, want %+v", g, w)
	}
	if at := g.Rate.LimitAt.Text(); at != "var.limit" {
		t.Errorf("the limit stands at %q", at)
	}
}

// TestTerraformNames spells fields as the API does.
func TestTerraformNames(t *testing.T) {
	for name, want := range map[string]string{
		"rate_based_statement": "RateBasedStatement", "ip_set_reference_statement": "IPSetReferenceStatement", "http_method": "HTTPMethod", "forwarded_ip_config": "ForwardedIPConfig",
		"evaluation_window_sec": "EvaluationWindowSec", "arn": "ARN", "uri_path": "UriPath", "ip": "IP", "ja3_fingerprint": "JA3Fingerprint", "response_code": "ResponseCode", "": "",
	} {
		if got := apiName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestTerraformUnknown runs what is known of a web ACL, and names what is not.
func TestTerraformUnknown(t *testing.T) {
	office, err := lang.ParseList([]byte("10.0.0.0/8"))
	if err != nil {
		t.Fatal(err)
	}
	const rule = `
  rule {
    name     = "NAME"
    priority = NUMBER
    action {
      block {}
    }
    statement {
      rate_based_statement {
        limit              = LIMIT
        aggregate_key_type = "IP"
        scope_down_statement {
          not_statement {
            statement {
              ip_set_reference_statement {
                arn = SET
              }
            }
          }
        }
      }
    }
  }
`
	text := "variable \"secret\" {}\nresource \"aws_wafv2_web_acl\" \"site\" {\n" +
		strings.NewReplacer("NAME", "known", "NUMBER", "1", "LIMIT", "10", "SET", "aws_wafv2_ip_set.office.arn").Replace(rule) +
		strings.NewReplacer("NAME", "dark", "NUMBER", "2", "LIMIT", "var.secret", "SET", "aws_wafv2_ip_set.office.arn").Replace(rule) + "}\n"
	acl := fromTerraform(t, text, map[string]*lang.List{"office": office})
	l := New(acl)
	l.Decide(0, get(0x0a000001, "/"))
	l.Decide(0, get(0x01000001, "/"))
	rules := l.Report().Rules
	if rules[0].Rule != "known" || rules[0].Counted != 1 || rules[0].Unknown != 0 || rules[1].Unknown != 2 || len(acl.Problems) != 1 ||
		acl.Problems[0].Span.Text() != "var.secret" || !strings.Contains(acl.Problems[0].Text, "Limit is not known: var.secret has no default") {
		t.Errorf("%+v, %+v", rules, acl.Problems)
	}
}
