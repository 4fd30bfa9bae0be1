package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/cmd/internal/lsp"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules"
)

// typingPause is how long nothing has to be typed before a configuration is judged.
const typingPause = 150 * time.Millisecond

func newLSP(a *app) *cobra.Command {
	f := &inputFlags{}
	var config string
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: findings as one types, what a limit does, fixes",
		Long: `lsp speaks the Language Server Protocol on standard input and output. An editor starts it;
docs/editor.md says how to set up VS Code, Neovim and Helix.

It finds the main file that includes the open one, from its folder upwards within the folder that the
editor works in, and reads nothing outside of that. Folders that flags name are relative to it.`,
		Args: needArgs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return a.serve(f, config) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&config, "config", "", "settings `file` (default: "+settings.FileName+" in the main file's folder or above)")
	flags.Bool("stdio", true, "speak on standard input and output, as some editors ask for by name")
	f.add(flags)
	return cmd
}

// serve runs the server, and sets the exit status that its protocol demands.
func (a *app) serve(f *inputFlags, config string) error {
	if f.nginxVersion != "" {
		if _, err := directive.ParseVersion(f.nginxVersion); err != nil {
			return fmt.Errorf("--nginx-version: %w", err)
		}
	}
	if len(f.context) > 0 {
		if _, err := directive.ParsePath(f.context); err != nil {
			return fmt.Errorf("--context: %w", err)
		}
	}
	a.status = lsp.Serve(a.stdin, a.stdout, lsp.Options{
		Version:      toolVersion(),
		Load:         load.Options{Prefix: f.prefix, Root: f.root, MapPath: f.mapPath.values, Context: f.context, Version: f.nginxVersion},
		Settings:     a.settingsWithin,
		SettingsFile: config,
		Debounce:     typingPause,
		Log:          a.stderr,
	})
	return nil
}

// settingsWithin reads a settings file for an editor: what it names is read only where it lies in the folder that the
// editor works in.
func (a *app) settingsWithin(path, root string) (set settings.Settings, err error) {
	set.Facts.Table, set.Facts.Today = fronts.BuiltIn(), today()
	if path == "" {
		return set, nil
	}
	fans := fansBeside(path)
	fan := func(name string) (*traffic.Fan, error) {
		if !slices.Contains(traffic.Names(), name) && filepath.Ext(name) != "" {
			file := name
			if !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if err := inFolder(root, file); err != nil {
				return nil, err
			}
		}
		return fans(name)
	}
	if set, err = settings.Load(path, settings.Known{Rules: rules.All(), Fan: fan}); err != nil {
		return set, err
	}
	set.Facts.Table, set.Facts.Today = fronts.BuiltIn(), today()
	newer, err := newerPath(path)
	if err != nil {
		return set, err
	}
	if inFolder(root, newer) == nil {
		if set.Facts.Table, err = knownFronts(newer); err != nil {
			return set, err
		}
	}
	for _, name := range set.ProxyNames {
		if set.Facts.Table.Find(name.Text) == nil {
			if err := inFolder(root, name.Text); err != nil {
				return set, fmt.Errorf("%s: %w", name.Place, err)
			}
		}
	}
	return set, a.settleFronts(&set)
}

// inFolder refuses a file that lies outside of a folder, links followed.
func inFolder(folder, file string) error {
	real, err := load.RealPath(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, oserror.Bare(err))
	}
	if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s lies outside of the editor's folder and is not read", file)
	}
	return nil
}
