package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// inputFlags are the flags of every command that reads a configuration.
type inputFlags struct {
	context      words
	prefix, root string
	mapPath      pairs
	nginxVersion string

	texts map[string]string // no flag: load.Options.Texts
	whole bool              // a flag of check: see load.Wholes
}

// ofInput are the names of these flags.
var ofInput = []string{"context", "prefix", "root", "map-path", "nginx-version"}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	f.mapPath = pairs{left: "FROM", right: "TO"}
	flags.Var(&f.context, "context", "blocks that a fragment stands in, outermost first: http,server,location")
	flags.StringVar(&f.prefix, "prefix", "", "`folder` for relative includes (default: that of the main file)")
	flags.StringVar(&f.root, "root", "", "`folder` below which absolute paths are looked up; nothing outside is read")
	flags.Var(&f.mapPath, "map-path", "read the path TO where the configuration says FROM; may be repeated")
	flags.StringVar(&f.nginxVersion, "nginx-version", "", "`version` of nginx to judge for (default "+config.Newest+")")
}

// read loads the inputs. Those that can be read come even where the error says that others cannot.
func (f *inputFlags) read(a *app, paths []string) ([]*load.Input, error) {
	if f.nginxVersion != "" {
		if _, err := directive.ParseVersion(f.nginxVersion); err != nil {
			return nil, fmt.Errorf("--nginx-version: %w", err)
		}
	}
	if len(f.context) > 0 {
		if _, err := directive.ParsePath(f.context); err != nil {
			return nil, fmt.Errorf("--context: %w", err)
		}
	}
	read := load.Load
	if f.whole {
		read = load.Wholes
	}
	inputs, err := read(paths, load.Options{
		Prefix: f.prefix, Root: f.root, MapPath: f.mapPath.values, Context: f.context, Stdin: a.stdin,
		Version: f.nginxVersion, Texts: f.texts,
	})
	for _, in := range inputs {
		a.noteFiles(in.Files()...)
	}
	if option, ok := errors.AsType[*load.OptionError](err); ok {
		return nil, fmt.Errorf("--%w", option)
	}
	if len(inputs) == 0 && err == nil && !f.whole {
		return nil, errors.New("nothing to read")
	}
	return inputs, err
}

// one loads a single input; a folder that holds several is refused by name.
func (f *inputFlags) one(a *app, path string) (*config.Tree, error) {
	inputs, err := f.read(a, []string{path})
	if err != nil {
		return nil, err
	}
	if len(inputs) > 1 {
		return nil, fmt.Errorf("%s holds %d configurations: name one of them, such as %s", path, len(inputs), inputs[0].Path)
	}
	return f.resolve(inputs[0]), nil
}

func (f *inputFlags) resolve(in *load.Input) *config.Tree {
	return config.Resolve(in, config.Options{Version: f.nginxVersion})
}

// firstHost is a host by which the first server of a configuration is asked: its first plain name, else that of no
// server in particular.
func firstHost(tree *config.Tree) string {
	for _, n := range tree.HTTP.Servers[0].Names {
		if n.Kind == config.NameExact && n.Text != "" {
			return n.Text
		}
	}
	return "localhost"
}

// settingsFlags are the flags that stand above the settings file.
type settingsFlags struct {
	file    string
	clients int
	keys    counts
	proxies []string
	chain   string
}

func (f *settingsFlags) add(flags *pflag.FlagSet) {
	f.keys = counts{name: "ZONE"}
	flags.StringVar(&f.file, "config", "", "settings `file` (default: "+settings.FileName+" in the working folder or above)")
	flags.Var(&number{&f.clients, 1_000_000}, "clients-per-address",
		fmt.Sprintf("people behind one public address (default %d, an office)", rule.DefaultClientsPerAddress))
	flags.Var(&f.keys, "expect-keys", "keys that are active in a zone at a time; may be repeated")
	flags.StringArrayVar(&f.proxies, "proxies", nil, "`file` that lists the proxies in front, or the name of one; may be repeated")
	flags.StringVar(&f.chain, "chain", "", chainHelp)
	flags.Lookup("clients-per-address").DefValue = ""
}

// load reads the settings file and puts the flags above it.
func (f *settingsFlags) load(a *app, extra settings.Flags) (settings.Settings, error) {
	path := f.file
	if path == "" {
		dir, err := os.Getwd()
		if err != nil {
			return settings.Settings{}, fmt.Errorf("find settings: %w", err)
		}
		if path, err = settings.Find(dir); err != nil {
			return settings.Settings{}, err
		}
	}
	a.noteFiles(path)
	s, err := settings.Load(path, settings.Known{Rules: rules.All(), Fan: a.fansBeside(path)})
	if err != nil {
		return settings.Settings{}, err
	}
	extra.ClientsPerAddress = f.clients
	extra.ExpectedKeys = f.keys.values
	s = s.With(extra)
	if err := f.readProxies(a, &s); err != nil {
		return s, err
	}
	err = a.readChain(f.chain, &s)
	return s, err
}

// fansBeside finds fans for a settings file: built-in ones, and files by paths that are relative to its folder.
func fansBeside(path string) settings.FanReader {
	return func(name string) (*traffic.Fan, error) {
		fan, _, err := readFan(fanBeside(path, name), traffic.HAROptions{})
		return fan, err
	}
}

// fanBeside is what a fan of a settings file is read from.
func fanBeside(path, name string) string {
	if !slices.Contains(traffic.Names(), name) && filepath.Ext(name) != "" && !filepath.IsAbs(name) {
		return filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
	}
	return name
}

// fansBeside is the function of that name, which notes the files.
func (a *app) fansBeside(path string) settings.FanReader {
	read := fansBeside(path)
	return func(name string) (*traffic.Fan, error) {
		a.noteFiles(fanBeside(path, name))
		return read(name)
	}
}

// unknownZones refuses --expect-keys for zones that no input has, as a misspelt name would settle nothing. Of the
// settings file, which may serve other configurations as well, it is only said.
func (f *settingsFlags) unknownZones(trees []*config.Tree, set settings.Settings, stderr io.Writer) error {
	known := map[string]bool{}
	for _, t := range trees {
		if t.HTTP == nil || !t.Complete() {
			return nil // the zone may be defined in what was not read
		}
		for name := range t.HTTP.Zones {
			known[name] = true
		}
		for name := range t.HTTP.ConnZones {
			known[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(f.keys.values)) {
		if !known[name] {
			return fmt.Errorf("--expect-keys: %w", unknownName("zone", name, names))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set.ZonePlaces)) {
		if !known[name] {
			complain(stderr, fmt.Errorf("warning: %s: %w", set.ZonePlaces[name], unknownName("zone", name, names)))
		}
	}
	return nil
}

// unmetOverrides tells of overrides whose patterns mean nothing that was read: most likely they are misspelt. The settings
// file may serve other configurations as well, so it is only said.
func unmetOverrides(trees []*config.Tree, set settings.Settings, stderr io.Writer) {
	if slices.ContainsFunc(trees, func(t *config.Tree) bool { return !t.Complete() }) {
		return // it may be meant in what was not read
	}
	for i := range set.Overrides {
		o := &set.Overrides[i]
		for _, u := range o.Unmet(trees) {
			complain(stderr, fmt.Errorf("warning: %s: an override is for the %s %q, and there is none", o.Place, u[0], u[1]))
		}
	}
}
