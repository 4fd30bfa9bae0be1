package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/fronts"
)

func newProxies(a *app) *cobra.Command {
	format := oneOf("text", "text", "json")
	kinds := false
	cmd := &cobra.Command{
		Use:   "proxies [NAME|FILE...]",
		Short: "List the proxies whose networks are known, or write some as set_real_ip_from",
		Long: `proxies lists the fronts whose networks are published, with the day and the source of each list.
With the names of some, or with files that check --proxies takes, it writes their networks as lines
of set_real_ip_from, ready to be included.

The program never asks the network. Lists are renewed from a file: ngxlimit proxies update FILE.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if kinds {
				return report.WriteKinds(a.stdout)
			}
			_, known, err := knownHere()
			if err != nil {
				return err
			}
			lists, err := a.listsOf(known, args)
			switch {
			case err != nil:
				return err
			case format.value == "json":
				return report.EncodeJSON(a.stdout, report.Lists(lists))
			case len(args) == 0:
				return report.WriteFronts(a.stdout, known, today())
			}
			return report.WriteTrust(a.stdout, lists)
		},
	}
	cmd.Flags().Var(format, "format", "how to print")
	cmd.Flags().BoolVar(&kinds, "kinds", false, "list the kinds of proxies that --chain knows, and what each does to headers")
	cmd.AddCommand(newProxiesUpdate(a))
	return cmd
}

// knownHere is the table in force in the working folder, and where newer lists are kept.
func knownHere() (path string, known *fronts.Table, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", nil, fmt.Errorf("find lists of proxies: %w", err)
	}
	settled, err := settings.Find(dir)
	if err != nil {
		return "", nil, err
	}
	if path, err = newerPath(settled); err != nil {
		return "", nil, err
	}
	known, err = knownFronts(path)
	return path, known, err
}

// listsOf are the lists of the names; without names those of all fronts.
func (a *app) listsOf(known *fronts.Table, args []string) ([]*fronts.List, error) {
	if len(args) == 0 {
		args = known.IDs()
	}
	names := make([]settings.Named, len(args))
	for i, arg := range args {
		names[i] = settings.Named{Text: arg, Place: "proxies"}
	}
	return a.proxies(known, names)
}

func newProxiesUpdate(a *app) *cobra.Command {
	var front, asOf string
	cmd := &cobra.Command{
		Use:   "update FILE",
		Short: "Take a newer list of a front's networks from a file",
		Long: `update takes a newer list of a front's networks from a file that you have fetched, such as
https://api.cloudflare.com/client/v4/ips or https://api.fastly.com/public-ip-list, and keeps it in
` + newerFile + ` beside the settings file, or in the working folder where there is none. Of a plain list of
networks --front says whose it is.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("proxies update: %d arguments: usage: ngxlimit proxies update FILE", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.updateProxies(args[0], front, asOf) },
	}
	cmd.Flags().StringVar(&front, "front", "", "`name` of the front whose list it is (default: what the file says)")
	cmd.Flags().StringVar(&asOf, "as-of", "", "`day` of the list (default: that of the file)")
	return cmd
}

// updateProxies keeps a newer list.
func (a *app) updateProxies(path, front, asOf string) error {
	kept, known, err := knownHere()
	if err != nil {
		return err
	}
	file, err := readFront(path)
	if err != nil {
		return err
	}
	if front == "" {
		front = file.FrontID()
	}
	old := known.Find(front)
	switch {
	case front == "":
		return fmt.Errorf("proxies update: whose list %s is does not stand in it: give --front with one of the names that ngxlimit proxies lists", path)
	case old == nil:
		return fmt.Errorf("proxies update: %w", unknownName("front", front, known.IDs()))
	}
	day, err := dayOfList(path, asOf, file.List.AsOf)
	if err != nil {
		return err
	}
	renewed, err := old.Renewed(file.List, day)
	if err != nil {
		return fmt.Errorf("proxies update: %w", err)
	}
	newer, err := readNewer(kept)
	if err != nil {
		return err
	}
	newer = append(slices.DeleteFunc(newer, func(f *fronts.Front) bool { return f.ID == front }), renewed)
	data, err := fronts.WriteTable(newer)
	if err != nil {
		return err
	}
	err = a.writeOutput(kept, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return report.WriteRenewed(a.stdout, old, renewed, kept)
}

// dayOfList is the day of a list: the one given, the one that the file holds, or the one on which the file was written.
func dayOfList(path, given, held string) (string, error) {
	if given != "" {
		if _, err := time.Parse(time.DateOnly, given); err != nil {
			return "", fmt.Errorf("--as-of: %q is no day: want one such as 2026-02-11", given)
		}
		return given, nil
	}
	if held != "" {
		return held, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", named(path, err)
	}
	return info.ModTime().Format(time.DateOnly), nil
}
