package report

import (
	"iter"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// home is where the product lives; rule pages lie below it.
const home = "https://github.com/ngxlimit/ngxlimit"

// reported is the title above a rule's bad example.
const reported = "Reported"

// HelpURI is the address of a rule's page.
//
// Rules about an edge network, which have no nginx configuration to show, share one.
func HelpURI(name string) string {
	if strings.HasPrefix(name, "edge-") {
		return FileURI("docs/edge.md#" + name)
	}
	return FileURI("docs/rules/" + name + ".md")
}

// FileURI is the address of a file of the repository.
func FileURI(path string) string { return home + "/blob/main/" + path }

// RulePage is the Markdown page of a rule, made of the rule's own words and of what the program prints of the bad example.
func RulePage(r *rule.Rule, printed string) string {
	return "# " + r.Name + "\n\n" + sentence(r.Summary) + "\n\n" + ruleBody(r, printed)
}

// ruleBody is the page below its title.
func ruleBody(r *rule.Rule, printed string) string {
	var b strings.Builder
	b.WriteString("Severity " + string(r.Severity) + ", confidence " + string(r.Confidence))
	if r.Since != "" {
		b.WriteString(", since " + r.Since)
	}
	b.WriteString(".\n\n" + fixability(r) + "\n")
	if why := strings.TrimSpace(r.Why); why != "" {
		b.WriteString("\n" + why + "\n")
	}
	for _, part := range []struct{ title, text string }{{reported, r.Bad}, {"Not reported", r.Good}} {
		if text := strings.Trim(part.text, "\n"); text != "" {
			b.WriteString("\n## " + part.title + "\n\n```nginx\n" + text + "\n```\n")
		}
		if part.title == reported && printed != "" {
			b.WriteString("\n```console\n" + strings.Trim(printed, "\n") + "\n```\n")
		}
	}
	if len(r.Settings) > 0 {
		b.WriteString("\n## Settings\n\nIt goes by `" + strings.Join(r.Settings, "`, `") + "` of the [settings](" + FileURI("docs/settings.md") + ").\n")
	}
	if len(r.Links) > 0 {
		b.WriteString("\n## See also\n\n")
		for _, l := range r.Links {
			b.WriteString("- <" + l + ">\n")
		}
	}
	return b.String()
}

// fixability says what check can mend of a rule's findings.
func fixability(r *rule.Rule) string {
	switch {
	case r.SafeFix:
		return "`check --fix` mends what it can of it so that requests that come at given times are answered as before; `--unsafe-fixes` may mend more."
	case r.Fixable:
		return "`check --fix --unsafe-fixes` mends it: the fix changes how some requests are answered."
	}
	return "There is no fix that could be made without knowing more."
}

// fixWord is fixability in a word.
func fixWord(r *rule.Rule) string {
	switch {
	case r.SafeFix:
		return "safe"
	case r.Fixable:
		return "unsafe"
	}
	return ""
}

// RuleIndex is the Markdown list of all rules by group, each with a link to its page beside it.
func RuleIndex(rules []*rule.Rule) string {
	var b strings.Builder
	b.WriteString("# Rules\n\n`ngxlimit rules` prints this list, `ngxlimit rules RULE` a page. A safe fix is made by `check --fix`, an unsafe one\n" +
		"with `--unsafe-fixes` beside it.\n")
	for group, members := range ByGroup(rules) {
		b.WriteString("\n## " + string(group) + "\n\n| rule | severity | confidence | fix | what is found |\n| --- | --- | --- | --- | --- |\n")
		for _, r := range members {
			b.WriteString("| [" + r.Name + "](" + r.Name + ".md) | " + string(r.Severity) + " | " + string(r.Confidence) + " | " + fixWord(r) + " | " +
				strings.ReplaceAll(r.Summary, "|", "\\|") + " |\n")
		}
	}
	return b.String()
}

// ByGroup yields each group that has rules with these, in the order given.
func ByGroup(rules []*rule.Rule) iter.Seq2[rule.Group, []*rule.Rule] {
	return func(yield func(rule.Group, []*rule.Rule) bool) {
		for _, g := range rule.Groups {
			var members []*rule.Rule
			for _, r := range rules {
				if r.Group == g {
					members = append(members, r)
				}
			}
			if len(members) > 0 && !yield(g, members) {
				return
			}
		}
	}
}

// sentence makes a summary, which starts in lower case and has no full stop, stand alone.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
