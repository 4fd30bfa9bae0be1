package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// readFlags are the flags that name files to be read. Of --baseline, which may be written anew, loadKnown notes it.
var readFlags = []string{"config", "edge", "fan", "list", "log", "origin", "proxies", "requests"}

// noteRead notes what a command was told to read, so that no output takes its place: a forgotten name behind --output or --partial
// makes the next word the output, and that is most likely a log or a configuration.
func (a *app) noteRead(cmd *cobra.Command, args []string) {
	a.read, a.files = slices.Clone(args), nil
	for _, name := range readFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		a.read = append(a.read, given(f.Value)...)
	}
}

// given are the texts that a flag was given; of pairs, what stands on the right.
func given(v pflag.Value) []string {
	if wrapped, ok := v.(nonEmpty); ok {
		v = wrapped.Value
	}
	switch v := v.(type) {
	case pflag.SliceValue:
		return v.GetSlice()
	case *pairs:
		var texts []string
		for _, text := range v.values {
			texts = append(texts, text)
		}
		return texts
	}
	return []string{v.String()}
}

// noteFiles notes files that a command reads without that an argument names each: what a configuration includes, what a settings
// file names, what lies in a folder.
func (a *app) noteFiles(paths ...string) { a.files = append(a.files, paths...) }

// noteEdge notes the files of edge rules.
func (a *app) noteEdge(r *edgeRules) {
	for _, f := range r.files {
		a.noteFiles(f.Path)
	}
}

// keepRead refuses to write over what is read. A file is known by what it is, whichever name or link leads to it.
func (a *app) keepRead(path string) error {
	target, _ := os.Stat(path)
	if target == nil || !target.Mode().IsRegular() {
		return nil // nothing is lost; what else is wrong with it is told where it is opened
	}
	is := func(file string) bool { return sameAs(target, file) }
	kept := slices.ContainsFunc(a.files, is)
	for _, name := range a.read {
		found, _ := filepath.Glob(name)
		kept = kept || is(name) || slices.ContainsFunc(found, is)
	}
	if kept {
		return fmt.Errorf("write %s: it is read by this command, and is not written over", path)
	}
	return nil
}

func sameAs(target os.FileInfo, path string) bool {
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, target)
}
