package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/cmd/internal/alerts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func newAlerts(a *app) *cobra.Command {
	f := &inputFlags{}
	names := make([]string, len(alerts.Forms))
	var list strings.Builder
	for i, form := range alerts.Forms {
		names[i] = form.Name
		fmt.Fprintf(&list, "  %-15s %s\n", form.Name, form.What)
	}
	form, output := oneOf(names[0], names...), ""
	o := alerts.Options{Window: 5 * time.Minute, RefusedShare: 0.01, DelayedShare: 0.05}
	cmd := &cobra.Command{
		Use:   "alerts INPUT",
		Short: "Write alerting rules for the limits of a configuration",
		Long: `alerts writes what tells of refused requests, of requests that wait in a limit, and of growing
request times, each apart, for the zones that the configuration names:

` + list.String() + `
What the configuration does not log is not watched; what that is stands in the output and on standard error.`,
		Args: needArgs(1, 1, "INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := idleOf(cmd.Flags(), form.value); err != nil {
				return err
			}
			if o.Window < time.Second || o.RefusedShare <= 0 || o.RefusedShare >= 1 || o.DelayedShare <= 0 || o.DelayedShare >= 1 {
				return fmt.Errorf("alerts: --window is at least 1s, --refused and --delayed are shares between 0 and 1")
			}
			return a.alerts(f, args[0], form.value, output, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(form, "form", "what to write")
	flags.StringVar(&output, "output", "", "`file` to write (default: standard output)")
	flags.Var(window{&o.Window}, "window", "`time` over which is counted")
	flags.Var(share{&o.RefusedShare}, "refused", "`share` of refused requests above which is told; 5% is 0.05")
	flags.Var(share{&o.DelayedShare}, "delayed", "`share` of delayed requests above which is told")
	flags.StringVar(&o.LogFormat, "log-format", "", "`name` of the log format that is read (default: in which most limited locations log)")
	f.add(flags)
	return cmd
}

// idleOf refuses numbers that a form does not hold: those that judge stand in the rules.
func idleOf(flags *pflag.FlagSet, name string) error {
	for _, form := range alerts.Forms {
		if form.Name != name {
			continue
		}
		only := "other forms than --form " + name + ", which holds no such number"
		if !form.Windowed {
			if err := idle(flags, only, "window"); err != nil {
				return err
			}
		}
		if !form.Shares {
			return idle(flags, only, "refused", "delayed")
		}
	}
	return nil
}

func (a *app) alerts(f *inputFlags, path, form, output string, o alerts.Options) error {
	tree, err := f.one(a, path)
	switch {
	case err != nil:
		return err
	case tree.HTTP == nil:
		return fmt.Errorf("%s: no http block: there are no limits to watch", path)
	}
	plan, err := alerts.New(rule.NewFacts(tree, rule.Settings{}), o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var text strings.Builder
	if err := plan.Write(&text, form); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, note := range plan.Notes {
		complain(a.stderr, errors.New("warning: "+note))
	}
	return a.writeFile(output, alerts.IsScript(form), func(w io.Writer) error { _, err := io.WriteString(w, text.String()); return err })
}
