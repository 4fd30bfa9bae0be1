// Package settings knows what people may settle outside the configuration: the settings file and, above it, the flags.
// It refuses what it does not know, by place and with the nearest word that it does know, because a misspelt key that is
// ignored in silence is a check that does not happen. It never changes a value after it was given out.
package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// FileName is the settings file that is looked for, from the working folder upwards.
const FileName = ".ngxlimit.yaml"

// maxFile bounds a settings file, in bytes.
const maxFile = 64 << 10

// Settings are what was settled. The zero value is what holds without a file and without flags.
type Settings struct {
	Path       string                   // of the file; "" where there is none
	Facts      rule.Settings            // what rules may know
	Proxies    []netip.Prefix           // networks of what stands in front; empty where only its presence is known
	ProxyNames []Named                  // names of fronts that are known, and paths of files that list networks
	Chain      []Member                 // the proxies that requests pass, in their order; files are still to be read
	Overrides  []run.Override           // in the order of the file
	Off        []string                 // rules that do not run, sorted
	Severities map[string]rule.Severity // by rule name, in place of the rule's own
	ZonePlaces map[string]string        // where the file says something of a zone: .ngxlimit.yaml:4:3
}

// Named is a name and the place that it stands at, for messages: ".ngxlimit.yaml:4:3".
type Named struct{ Text, Place string }

// A Member is one proxy of a chain and the place that it stands at.
type Member struct {
	Proxy chain.Proxy
	Place string
}

// Find looks for a settings file in dir and in the folders above it; "" where there is none. What has the name and is no file that
// can be read to its end, such as a pipe, is an error: what it was to settle would not hold.
func Find(dir string) (string, error) {
	for {
		path := filepath.Join(dir, FileName)
		if _, err := os.Lstat(path); err == nil {
			return path, readable(path)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", nil
		}
		dir = up
	}
}

// readable says why what lies at path is no settings file. A device is left to reading: a link to /dev/null settles nothing.
func readable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("read settings: %s: %w", path, oserror.Bare(err))
	case info.IsDir():
		return fmt.Errorf("read settings: %s is a folder", path)
	case info.Mode()&fs.ModeNamedPipe != 0:
		return fmt.Errorf("read settings: %s is a pipe, and is waited for only where --config names it", path)
	case info.Mode()&fs.ModeSocket != 0:
		return fmt.Errorf("read settings: %s is a socket", path)
	}
	return nil
}

// Known is what a settings file may name.
type Known struct {
	Rules []*rule.Rule
	Fan   FanReader
}

// A FanReader finds a fan: a built-in one by its name, or a file, by a path relative to the settings file's folder.
type FanReader func(name string) (*traffic.Fan, error)

// Load reads the settings file at path; "" gives the zero value. The error names the place: .ngxlimit.yaml:3:5: unknown key
// "zone": did you mean "zones"?
func Load(path string, known Known) (Settings, error) {
	if path == "" {
		return Settings{}, nil
	}
	data, err := read(path)
	if err != nil {
		return Settings{}, err
	}
	return parse(path, data, known)
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %s: %w", path, oserror.Bare(err))
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read settings: %s: %w", path, oserror.Bare(err))
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("read settings: %s is larger than %d KiB", path, maxFile>>10)
	}
	return data, nil
}

// Flags are what the command line settles. They win over the file.
type Flags struct {
	Enable            []string // only these rules, and syntax
	Disable           []string
	ClientsPerAddress int              // 0: not given
	ExpectedKeys      map[string]int64 // by zone
}

// With returns the settings with the flags above them.
func (s Settings) With(f Flags) Settings {
	if f.ClientsPerAddress > 0 {
		s.Facts.ClientsPerAddress = f.ClientsPerAddress
	}
	if len(f.ExpectedKeys) > 0 {
		keys := maps.Clone(s.Facts.ExpectedKeys)
		if keys == nil {
			keys = map[string]int64{}
		}
		maps.Copy(keys, f.ExpectedKeys)
		s.Facts.ExpectedKeys = keys
	}
	return s
}

// AlwaysOn are the rules that run even where only others are asked for: a configuration that cannot be read must not
// pass because nobody looked. They can be switched off by name.
var AlwaysOn = []string{"missing-include", "syntax"}

// Select returns the rules that are to run, in the order of all. The error is for a name that no rule has.
func (s Settings) Select(all []*rule.Rule, f Flags) ([]*rule.Rule, error) {
	known := Names(all)
	for _, list := range []struct {
		flag  string
		names []string
	}{{"--enable", f.Enable}, {"--disable", f.Disable}} {
		for _, name := range list.names {
			if !slices.Contains(known, name) {
				return nil, fmt.Errorf("%s: unknown rule %q%s", list.flag, name, didYouMean(name, known))
			}
		}
	}
	var run []*rule.Rule
	for _, r := range all {
		if s.runs(r.Name, f) {
			run = append(run, r)
		}
	}
	if len(run) == 0 {
		return nil, errors.New("no rule is left to run")
	}
	return run, nil
}

// Graded returns what is said of the rules' severities: of one that is off and runs all the same, because an override
// switches it on somewhere, it is run.Off.
func (s Settings) Graded(f Flags) map[string]rule.Severity {
	graded := maps.Clone(s.Severities)
	for _, name := range s.Off {
		if slices.Contains(f.Enable, name) {
			continue
		}
		if graded == nil {
			graded = map[string]rule.Severity{}
		}
		graded[name] = run.Off
	}
	return graded
}

// OverridesWith returns the overrides, of which those that switch off a rule which the flags enable say nothing of it.
func (s Settings) OverridesWith(f Flags) []run.Override {
	if len(f.Enable) == 0 {
		return s.Overrides
	}
	var all []run.Override
	for _, o := range s.Overrides {
		o.Rules = maps.Clone(o.Rules)
		maps.DeleteFunc(o.Rules, func(name string, s rule.Severity) bool { return s == run.Off && slices.Contains(f.Enable, name) })
		all = append(all, o)
	}
	return all
}

// somewhere says whether an override switches a rule on.
func (s Settings) somewhere(name string) bool {
	return slices.ContainsFunc(s.Overrides, func(o run.Override) bool {
		severity, ok := o.Rules[name]
		return ok && severity != run.Off
	})
}

func (s Settings) runs(name string, f Flags) bool {
	switch {
	case slices.Contains(f.Disable, name):
		return false
	case slices.Contains(f.Enable, name):
		return true
	case len(f.Enable) > 0 && !slices.Contains(AlwaysOn, name):
		return false
	}
	return !slices.Contains(s.Off, name) || s.somewhere(name)
}

// Names returns the names of rules.
func Names(all []*rule.Rule) []string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Name
	}
	return names
}

// didYouMean ends an error about a word that is not known.
func didYouMean(word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ": want " + strings.Join(known, ", ")
}
