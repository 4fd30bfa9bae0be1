package rules

import (
	"regexp"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// substituted is what envsubst fills in; it leaves nginx's own variables, which are lower case, alone.
var substituted = regexp.MustCompile(`\$\{[A-Z][A-Z0-9_]*\}`)

// edgeRule is what stands in rules of Cloudflare and AWS, as JSON or for Terraform, and in no configuration of nginx.
var edgeRule = regexp.MustCompile(`"(?:ratelimit|RateBasedStatement)"\s*:` +
	`|(?m:^\s*resource\s+"(?:cloudflare_ruleset|aws_wafv2_[a-z_]+)")` +
	`|(?m:^\s*(?:ratelimit|rate_based_statement)\s*(?:=\s*)?\{)`)

// templateOf says of which kind of template a text seems to be, or what else that is no configuration; "" for a configuration as
// nginx reads it. It is asked of files
// that nginx refuses, so that what is read on one line as nginx reads it (location / {{ in a text of one line) does no harm.
func templateOf(f *source.File) string {
	switch {
	case edgeRule.MatchString(f.Text):
		return "rules of an edge: ngxlimit edge check reads them"
	case enclosed(f.Text, "{%", "%}"):
		return "a template of Jinja2: check what it makes"
	case enclosed(f.Text, "<%", "%>"):
		return "a template of ERB: check what it makes"
	case enclosed(f.Text, "{{", "}}"):
		return "a template of Jinja2, Go or Mustache: check what it makes"
	case substituted.MatchString(f.Text):
		return "a template of envsubst: check what it makes"
	}
	return ""
}

// enclosed says whether something stands between two marks, on one line.
func enclosed(text, open, shut string) bool {
	for {
		_, rest, ok := strings.Cut(text, open)
		if !ok {
			return false
		}
		line, _, _ := strings.Cut(rest, "\n")
		if strings.Contains(line, shut) {
			return true
		}
		text = rest[len(line):]
	}
}
