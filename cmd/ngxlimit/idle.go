package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// idle refuses flags that were given and that nothing would use, as whoever gave one expects something of it: only says what
// they are for, and that it is not there.
func idle(flags *pflag.FlagSet, only string, names ...string) (err error) {
	flags.Visit(func(given *pflag.Flag) {
		if err == nil && slices.Contains(names, given.Name) {
			err = fmt.Errorf("--%s is for %s", given.Name, only)
		}
	})
	return err
}
