package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// readFlags are the flags that name files to be read.
var readFlags = []string{"config", "edge", "fan", "log", "proxies", "requests"}

// noteRead notes what a command was told to read, so that no output takes its place: a forgotten name behind --output or --partial
// makes the next word the output, and that is most likely a log or a configuration.
func (a *app) noteRead(cmd *cobra.Command, args []string) {
	a.read = slices.Clone(args)
	for _, name := range readFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			a.read = append(a.read, list.GetSlice()...)
			continue
		}
		a.read = append(a.read, f.Value.String())
	}
}

// keepRead refuses to write over what is read.
func (a *app) keepRead(path string) error {
	target, _ := os.Stat(path)
	if target == nil || !target.Mode().IsRegular() {
		return nil // nothing is lost; what else is wrong with it is told where it is opened
	}
	for _, name := range a.read {
		found, _ := filepath.Glob(name)
		for _, file := range append(found, name) {
			if info, err := os.Stat(file); err == nil && os.SameFile(info, target) {
				return fmt.Errorf("write %s: it is read by this command, and is not written over", path)
			}
		}
	}
	return nil
}
