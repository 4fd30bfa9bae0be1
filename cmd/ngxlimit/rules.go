package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
	edgerules "github.com/ngxlimit/ngxlimit/rules/edge"
	"github.com/ngxlimit/ngxlimit/rules/fix"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

func newRules(a *app) *cobra.Command {
	format := oneOf("text", "text", "json")
	cmd := &cobra.Command{
		Use:               "rules [RULE]",
		Short:             "List the rules, or tell all about one",
		Args:              needArgs(0, 1, "[RULE]"),
		ValidArgsFunction: cobra.FixedCompletions(settings.Names(rules.All()), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			list := rules.All()
			if len(args) == 1 {
				r := rules.Find(args[0])
				if i := slices.IndexFunc(edgerules.All(), func(e *rule.Rule) bool { return e.Name == args[0] }); i >= 0 {
					r = edgerules.All()[i]
				}
				if r == nil {
					return unknownName("rule", args[0], settings.Names(list))
				}
				list = []*rule.Rule{r}
			}
			switch {
			case format.value == "json":
				return report.EncodeJSON(a.stdout, ruleEntries(list))
			case len(args) == 1:
				printed := ""
				if list[0].Bad != "" {
					var err error
					if printed, err = printedOf(list[0]); err != nil {
						return err
					}
				}
				_, err := io.WriteString(a.stdout, report.RulePage(list[0], printed))
				return err
			}
			return listRules(a.stdout, list)
		},
	}
	cmd.Flags().Var(format, "format", "how to print")
	return cmd
}

type ruleEntry struct {
	Rule       string `json:"rule"`
	Severity   string `json:"severity"`
	Confidence string `json:"confidence"`
	Group      string `json:"group"`
	Summary    string `json:"summary"`
	HelpURI    string `json:"help_uri"`
	Fixable    bool   `json:"fixable"`
	SafeFix    bool   `json:"safe_fix"`
}

func ruleEntries(list []*rule.Rule) []ruleEntry {
	out := make([]ruleEntry, len(list))
	for i, r := range list {
		out[i] = ruleEntry{r.Name, string(r.Severity), string(r.Confidence), string(r.Group), r.Summary, report.HelpURI(r.Name), r.Fixable, r.SafeFix}
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

// exampleFile is what a rule's bad example is called where it is checked.
const exampleFile = "example.conf"

// printedOf is what check prints of a rule's bad example, below the command that does it.
func printedOf(r *rule.Rule) (string, error) {
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(r.Bad), Version: r.For})
	if err != nil {
		return "", fmt.Errorf("read the example of %s: %w", r.Name, err)
	}
	selected, err := settings.Settings{}.Select(rules.All(), settings.Flags{Enable: []string{r.Name}})
	if err != nil {
		return "", err
	}
	trees := []*config.Tree{config.Resolve(inputs[0], config.Options{Version: r.For})}
	facts := factsOf(trees, settings.Settings{})
	result := run.On(facts[0], selected, run.Options{Known: rules.All()})
	rep, _ := gather(fix.Reading{Trees: trees, Results: []run.Result{result}}, facts, true)
	var b strings.Builder
	b.WriteString("$ ngxlimit check " + exampleFile + " --enable " + r.Name)
	if r.For != "" {
		b.WriteString(" --nginx-version " + r.For)
	}
	b.WriteByte('\n')
	if err := report.Write(&b, "text", rep, report.Options{MapPath: map[string]string{"-": exampleFile}}); err != nil {
		return "", err
	}
	return b.String(), nil
}
