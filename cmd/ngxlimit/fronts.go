package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// newerFile holds newer lists than those that are built in, beside the settings file.
const newerFile = ".ngxlimit.proxies.json"

// maxProxies bounds a file of proxies, in bytes: the largest that is published has a few megabytes.
const maxProxies = 64 << 20

// today is the day of the run.
func today() string { return time.Now().Format(time.DateOnly) }

// readProxies puts what stands in front into the settings: what --proxies names, or else the settings file.
func (f *settingsFlags) readProxies(a *app, set *settings.Settings) error {
	path, err := newerPath(set.Path)
	if err != nil {
		return err
	}
	a.noteFiles(path)
	if set.Facts.Table, err = knownFronts(path); err != nil {
		return err
	}
	set.Facts.Today = today()
	if len(f.proxies) == 0 {
		return a.settleFronts(set)
	}
	names := make([]settings.Named, len(f.proxies))
	for i, text := range f.proxies {
		names[i] = settings.Named{Text: text, Place: "--proxies"}
	}
	return a.addFronts(set, names)
}

// settleFronts puts what the settings file says of fronts into the facts.
func (a *app) settleFronts(set *settings.Settings) error {
	if len(set.Proxies) > 0 {
		set.Facts.Fronts = append(set.Facts.Fronts, fronts.ListOf(set.Path, set.Proxies))
	}
	return a.addFronts(set, set.ProxyNames)
}

// addFronts reads lists by their names into the facts.
func (a *app) addFronts(set *settings.Settings, names []settings.Named) error {
	if len(names) == 0 {
		return nil
	}
	given, err := a.proxies(set.Facts.Table, names)
	if err != nil {
		return err
	}
	set.Facts.Fronts = append(set.Facts.Fronts, given...)
	set.Facts.Front = rule.FrontProxy
	return nil
}

// proxies reads lists by their names: fronts that are known, and files. What is odd about a list is said.
func (a *app) proxies(known *fronts.Table, names []settings.Named) ([]*fronts.List, error) {
	var lists []*fronts.List
	var files []*fronts.File
	for _, name := range names {
		if front := known.Find(name.Text); front != nil {
			lists = append(lists, front.List())
			continue
		}
		a.noteFiles(name.Text)
		file, err := readFront(name.Text)
		if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name.Text, `./\`) {
			err = notFront(name.Text, known)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name.Place, err)
		}
		files = append(files, file)
	}
	joined, err := fronts.Join(files)
	if err != nil {
		return nil, err
	}
	for _, l := range joined {
		const shown = 10
		for i, note := range l.Notes {
			if i == shown {
				complain(a.stderr, fmt.Errorf("warning: %s: %d networks more have bits below their masks", l.Name, len(l.Notes)-shown))
				break
			}
			complain(a.stderr, fmt.Errorf("warning: %s: %s", l.Name, note))
		}
	}
	return append(lists, joined...), nil
}

func notFront(name string, known *fronts.Table) error {
	if near := spelling.Nearest(name, known.IDs()); near != "" {
		return fmt.Errorf("%q is no file and no front that is known: did you mean %q?", name, near)
	}
	return fmt.Errorf("%q is no file, and no front that is known: %s", name, strings.Join(known.IDs(), ", "))
}

// readFront reads one file of proxies.
func readFront(path string) (*fronts.File, error) {
	data, err := readBounded(path, maxProxies)
	if err != nil {
		return nil, fmt.Errorf("read proxies: %w", err)
	}
	return fronts.Read(path, data)
}

// readBounded reads a file that may not be larger than most bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, named(path, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, named(path, err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return data, nil
}

// named says "FILE: no such file or directory" without the name of the system call; the cause can still be asked for.
func named(path string, err error) error { return fmt.Errorf("%s: %w", path, oserror.Bare(err)) }

// newerPath is where newer lists are looked for: in the folder of the settings file, else in the working folder.
func newerPath(settingsPath string) (string, error) {
	if settingsPath != "" {
		return filepath.Join(filepath.Dir(settingsPath), newerFile), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find lists of proxies: %w", err)
	}
	return filepath.Join(dir, newerFile), nil
}

// frontsHere are the fronts that are known on this machine: those that were kept newer than the program, and its own.
func frontsHere() (*fronts.Table, error) {
	path, err := newerPath("")
	if err != nil {
		return nil, err
	}
	return knownFronts(path)
}

// knownFronts is the table that is built in, with the newer lists of a file above it.
func knownFronts(path string) (*fronts.Table, error) {
	newer, err := readNewer(path)
	if err != nil || newer == nil {
		return fronts.BuiltIn(), err
	}
	return fronts.BuiltIn().With(newer), nil
}

// readNewer reads the file of newer lists; nil where there is none.
func readNewer(path string) ([]*fronts.Front, error) {
	data, err := readBounded(path, maxProxies)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lists of proxies: %w", err)
	}
	all, err := fronts.ParseTable(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}
