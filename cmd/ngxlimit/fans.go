package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

func newFans(a *app) *cobra.Command {
	format := oneOf("text", "text", "json")
	var recording traffic.HAROptions
	cmd := &cobra.Command{
		Use:   "fans [NAME|FILE]",
		Short: "List the page loads and attacks that can be simulated, or show one",
		Long: `fans lists the built-in page loads and attacks. With the name of one, or with a file, it shows
its requests, each below the one that it waits for. With --format json that is a file that
simulate --fan takes; docs/fans.md describes it.`,
		Args: needArgs(0, 1, "[NAME|FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				fan, rec, err := readFan(args[0], recording)
				switch {
				case err != nil:
					return err
				case rec == nil && recording.Host+recording.Page != "":
					return fmt.Errorf("--host and --page are for recordings, and %s is none", args[0])
				case format.value == "json":
					return report.EncodeJSON(a.stdout, fan)
				}
				return report.WriteFan(a.stdout, fan, a.screen(""))
			}
			if err := idle(cmd.Flags(), "recordings, and none is named", "host", "page"); err != nil {
				return err
			}
			fans, err := builtinFans()
			switch {
			case err != nil:
				return err
			case format.value == "json":
				return report.EncodeJSON(a.stdout, fans)
			}
			return report.WriteFans(a.stdout, fans, a.screen(""))
		},
	}
	cmd.Flags().Var(format, "format", "how to print")
	cmd.Flags().StringVar(&recording.Host, "host", "", "`host` whose requests of a recording are shown (default: that of its first page)")
	cmd.Flags().StringVar(&recording.Page, "page", "", "`ID` of the only page of a recording that is shown (default: all)")
	return cmd
}

func builtinFans() ([]*traffic.Fan, error) {
	names := traffic.Names()
	fans := make([]*traffic.Fan, len(names))
	for i, name := range names {
		var err error
		if fans[i], err = traffic.Builtin(name); err != nil {
			return nil, err
		}
	}
	return fans, nil
}
