package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func newRules(a *app) *cobra.Command {
	format := oneOf("text", "text", "json")
	cmd := &cobra.Command{
		Use:   "rules [RULE]",
		Short: "List the rules, or tell all about one",
		Args:  needArgs(0, 1, "[RULE]"),
		RunE: func(_ *cobra.Command, args []string) error {
			list := rules.All()
			if len(args) == 1 {
				r := rules.Find(args[0])
				if r == nil {
					return unknownName("rule", args[0], settings.Names(list))
				}
				list = []*rule.Rule{r}
			}
			switch {
			case format.value == "json":
				return report.EncodeJSON(a.stdout, ruleEntries(list))
			case len(args) == 1:
				_, err := io.WriteString(a.stdout, report.RulePage(list[0]))
				return err
			}
			return listRules(a.stdout, list)
		},
	}
	cmd.Flags().Var(format, "format", "how to print")
	return cmd
}

type ruleEntry struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	HelpURI  string `json:"help_uri"`
	Fixable  bool   `json:"fixable"`
}

func ruleEntries(list []*rule.Rule) []ruleEntry {
	out := make([]ruleEntry, len(list))
	for i, r := range list {
		out[i] = ruleEntry{r.Name, string(r.Severity), r.Summary, report.HelpURI(r.Name), r.Fixable}
	}
	return out
}

// listRules prints one line a rule, by group.
func listRules(w io.Writer, list []*rule.Rule) error {
	width := 0
	for _, r := range list {
		width = max(width, len(r.Name))
	}
	var b strings.Builder
	for group, members := range report.ByGroup(list) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("# " + string(group) + "\n")
		for _, r := range members {
			fmt.Fprintf(&b, "%-*s  %-7s  %s\n", width, r.Name, r.Severity, r.Summary)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
