package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release that is being worked towards; a module version from the build wins.
const version = "0.1.0-dev"

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  needArgs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "ngxlimit %s\ncommit %s\n%s %s/%s\n", toolVersion(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// toolVersion is the module's version where a release was installed, else the constant.
func toolVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; len(v) > 1 && v[0] == 'v' && commit() == "unknown" {
			return v[1:]
		}
	}
	return version
}

// commit is the revision that was built, where the build recorded it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changed := "unknown", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = ", with changes"
			}
		}
	}
	return revision + changed
}
