package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestReadFlagsAreNoted sees to it that a new flag for a file is one of those that are kept, or one that is written.
func TestReadFlagsAreNoted(t *testing.T) {
	known := append(slices.Clone(readFlags), "baseline", "also", "output", "partial", "write-baseline")
	seen := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != "file" && name != "rules" && name != "configuration" {
				return
			}
			seen++
			if !slices.Contains(known, f.Name) {
				t.Errorf("%s --%s names a file, and neither keeps it nor writes it", c.CommandPath(), f.Name)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&app{}))
	if seen < 15 {
		t.Errorf("%d flags name files", seen)
	}
}
