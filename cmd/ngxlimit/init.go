package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/cmd/internal/draft"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
)

func newInit(a *app) *cobra.Command {
	f := &inputFlags{}
	output, force := settings.FileName, false
	cmd := &cobra.Command{
		Use:   "init [INPUT...]",
		Short: "Write a commented settings file from a configuration",
		Long: `init reads configurations, those in the working folder where none is named, and writes
` + settings.FileName + ` with what they suggest: their zones and how many keys these hold, what is
trusted in front, paths on which nobody seems to wait. A file that is there is not touched
without --force.`,
		Args: needArgs(0, -1, "[INPUT...]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			if output == "-" {
				if err := idle(cmd.Flags(), "a file that is there, and --output - writes none", "force"); err != nil {
					return err
				}
			}
			return a.init(f, inOrder(args), output, force)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&output, "output", output, "`file` to write, - for standard output")
	flags.BoolVar(&force, "force", false, "replace the file where there is one")
	f.add(flags)
	return cmd
}

func (a *app) init(f *inputFlags, paths []string, output string, force bool) error {
	if _, err := os.Lstat(output); output != "-" && !force && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: --force replaces it", output)
	}
	inputs, err := f.read(a, paths)
	if err != nil {
		return err
	}
	trees := make([]*config.Tree, len(inputs))
	for i, in := range inputs {
		trees[i] = f.resolve(in)
	}
	text := draft.Of(factsOf(trees, settings.Settings{}), report.FileURI(settings.SchemaFile), report.FileURI("docs/settings.md"))
	if _, err := settings.Parse(output, []byte(text), settings.Known{Rules: rules.All(), Fan: fansBeside(output)}); err != nil {
		return fmt.Errorf("the settings that were made do not read: %w", err)
	}
	if err := a.writeOutput(output, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil || output == "-" {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "wrote %s\n", output)
	return err
}
