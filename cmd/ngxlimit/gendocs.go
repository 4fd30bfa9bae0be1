//go:build gendocs

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { tools = append(tools, newGendocs) }

// newGendocs is for packagers: go run -tags gendocs ./cmd/ngxlimit gendocs DIR. It is not part of what is shipped, as it
// brings a reader of Markdown along.
func newGendocs(*app) *cobra.Command {
	return &cobra.Command{
		Use:    "gendocs DIR",
		Short:  "Write man pages and shell completions to a folder",
		Hidden: true,
		Args:   needArgs(1, 1, "DIR"),
		RunE:   func(cmd *cobra.Command, args []string) error { return gendocs(cmd.Root(), args[0]) },
	}
}

// gendocs writes man/ and completions/. The pages carry the day of SOURCE_DATE_EPOCH, so that a build can be repeated.
func gendocs(root *cobra.Command, dir string) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, folder := range []string{man, completions} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "ngxlimit " + toolVersion(), Manual: "ngxlimit"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return fmt.Errorf("write man pages: %w", err)
	}
	for name, write := range map[string]func(io.Writer) error{
		"ngxlimit.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_ngxlimit":     root.GenZshCompletion,
		"ngxlimit.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"ngxlimit.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		if err := writeFile(filepath.Join(completions, name), write); err != nil {
			return fmt.Errorf("write completions: %w", err)
		}
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close() //nolint:errcheck // the write has failed
		return err
	}
	return f.Close()
}
