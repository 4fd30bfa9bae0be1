package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// What a release is built with: the linker sets these (.goreleaser.yaml). Elsewhere version is the release that is being
// worked towards, and what the build itself recorded says the rest.
var (
	version = "0.1.0-dev"
	commit  = "" // the revision
	date    = "" // when it was made: 2026-11-30T12:00:00Z
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and its date",
		Args:  needArgs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "ngxlimit %s\ncommit %s\n%s %s/%s\n",
				toolVersion(), revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// toolVersion is what the release was built as, or the module's version where go install fetched it, else the constant.
func toolVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		if v := info.Main.Version; len(v) > 1 && v[0] == 'v' && recorded(info, "vcs.revision") == "" {
			return v[1:]
		}
	}
	return version
}

// revision is the commit that was built, with its date, as far as that was recorded.
func revision() string {
	hash, when, changed := commit, date, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if hash == "" && recorded(info, "vcs.modified") == "true" {
			changed = ", with changes"
		}
		hash = cmp.Or(hash, recorded(info, "vcs.revision"))
		when = cmp.Or(when, recorded(info, "vcs.time"))
	}
	if when != "" {
		when = " of " + when
	}
	return cmp.Or(hash, "unknown") + when + changed
}

// recorded is what the build wrote down under a key; "" where it did not.
func recorded(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
