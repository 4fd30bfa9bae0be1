package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "ngxlimit",
		Short: "Audit the limits of an nginx configuration",
		Long: `ngxlimit reads an nginx configuration and says what is wrong with its limits
(limit_req, limit_conn, real_ip) and what a page load suffers from them.

  nginx -T 2>&1 | ngxlimit check -
  ngxlimit check conf/nginx.conf`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRun:  a.noteRead,
		RunE:              unknownCommand,
		Args:              cobra.ArbitraryArgs,
	}
	root.Version = toolVersion()
	root.SetVersionTemplate("ngxlimit {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newCheck(a),
		newDiff(a),
		newExplain(a),
		newSimulate(a),
		newReplay(a),
		newTune(a),
		newEdge(a),
		newFans(a),
		newProxies(a),
		newAlerts(a),
		newInit(a),
		newLSP(a),
		newRules(a),
		newVersion(a),
	)
	for _, more := range tools {
		root.AddCommand(more(a))
	}
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			complete(c, f)
			if t := f.Value.Type(); t == "string" || t == "stringArray" {
				f.Value = nonEmpty{f.Value}
			}
		})
	}
	return root
}

// tools are commands that only a build for them has: gendocs.go.
var tools []func(*app) *cobra.Command

// complete tells shells which words a flag takes.
func complete(c *cobra.Command, f *pflag.Flag) {
	var words []string
	switch v := f.Value.(type) {
	case *choice:
		words = v.allowed
	default:
		if f.Name != "enable" && f.Name != "disable" {
			return // a file, or what only the person knows
		}
		words = settings.Names(rules.All())
	}
	if err := c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // a flag that was just visited
	}
}

// unknownCommand refuses a missing or misspelt command in one line.
func unknownCommand(root *cobra.Command, args []string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	want := "want " + strings.Join(names, ", ") + " (ngxlimit help says more)"
	if len(args) == 0 {
		return errors.New("no command: " + want)
	}
	if near := spelling.Nearest(args[0], names); near != "" {
		return fmt.Errorf("unknown command %q: did you mean %q?", args[0], near)
	}
	return fmt.Errorf("unknown command %q: %s", args[0], want)
}

// flagError adds to an unknown flag the nearest that the command has.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	return err
}

// needArgs refuses too few or too many arguments, naming what is missing.
func needArgs(least, most int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s: too few arguments: usage: ngxlimit %s %s", cmd.Name(), cmd.Name(), names)
		case most >= 0 && len(args) > most:
			return fmt.Errorf("%s: unexpected argument %q: usage: ngxlimit %s %s", cmd.Name(), args[most], cmd.Name(), names)
		case slices.Contains(args, ""):
			return fmt.Errorf("%s: an argument is empty: usage: ngxlimit %s %s", cmd.Name(), cmd.Name(), names)
		}
		return nil
	}
}
