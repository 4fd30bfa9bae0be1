package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// fanFlags say which fans come, and where their paths are on the user's own site.
type fanFlags struct {
	fans []string
	maps pathMaps
	base baseURL
	page string
}

func (f *fanFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.fans, "fan", nil, "page load or attack: a `name` of ngxlimit fans, a file, or a browser's recording, FILE.har (default portal); given again, both come at once")
	flags.Var(&f.maps, "map", "the site has the path TO where the fan asks for FROM, as in /api/=/v2/api/: all that begins with it, or without the slash the path itself and all below it; may be repeated, the longest FROM counts")
	flags.Var(&f.base, "base-url", "`URL` of the site, as in https://portal.example.com/app/; its path is put in front of all paths that no --map changes")
	flags.StringVar(&f.page, "page", "", "`ID` of the only page of a recording that is loaded (default: all, one after the other)")
}

// pathMaps is a repeatable flag of the form FROM=TO.
type pathMaps []traffic.PathMap

func (p *pathMaps) Type() string   { return "FROM=TO" }
func (p *pathMaps) String() string { return "" }

func (p *pathMaps) Set(text string) error {
	m, err := traffic.ParsePathMap(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(*p, func(other traffic.PathMap) bool { return other.From == m.From }) {
		return fmt.Errorf("%s is mapped already", m.From)
	}
	*p = append(*p, m)
	return nil
}

// baseURL is a flag that takes the URL of a site.
type baseURL struct {
	text string
	traffic.Base
}

func (b *baseURL) Type() string   { return "URL" }
func (b *baseURL) String() string { return b.text }

func (b *baseURL) Set(text string) (err error) {
	b.text = text
	b.Base, err = traffic.ParseBase(text)
	return err
}

// addFans reads the fans, puts their paths where the site has them, and lets them come. It returns what had to be taken
// for granted; a map that changed nothing is told on standard error, as it is probably misspelt.
func (f *simulateFlags) addFans(a *app, tree *config.Tree, people simulate.Crowd, o *simulate.Options) (said []string, err error) {
	names := f.fans
	if len(names) == 0 {
		names = []string{defaultFan}
	}
	if f.base.text != "" {
		o.Host, o.Scheme, o.Port = f.base.Host, f.base.Scheme, f.base.Port
	}
	used := make([]bool, len(f.maps))
	keys, router := keyHeadersOf(tree), route.New(tree)
	recorded := false
	for _, name := range names {
		fan, rec, err := readFan(name, traffic.HAROptions{
			Host: o.Host, Serves: func(host string) bool { return simulate.Serves(tree, router, host) }, Page: f.page,
			Header: keys.keep, Cookie: keys.cookie,
		})
		if err != nil {
			return nil, fmt.Errorf("--fan: %w", err)
		}
		if rec != nil {
			recorded = true
			said = append(said, f.recording(filepath.Base(name), rec, &keys, o)...)
		}
		mapped, did, err := fan.Mapped(f.maps, f.base.Prefix)
		if err != nil {
			return nil, fmt.Errorf("--fan: %s: %w", name, err)
		}
		for i := range did {
			used[i] = used[i] || did[i]
		}
		o.Crowds = append(o.Crowds, f.crowd(mapped, people))
	}
	if f.page != "" && !recorded {
		return nil, errors.New("--page is for recordings, and no fan is one")
	}
	if !slices.ContainsFunc(o.Crowds, func(c simulate.Crowd) bool { return c.Fan.Role == traffic.Attack }) {
		if err := idle(f.given, "attacks, and no fan is one", "attackers"); err != nil {
			return nil, err
		}
	}
	for i, m := range f.maps {
		if !used[i] {
			complain(a.stderr, fmt.Errorf("warning: --map %s: no path of the fan begins with %s", m, m.From))
		}
	}
	return said, bounded(o)
}

// crowd is the clients of a fan: people as the flags say, or an attack's.
func (f *simulateFlags) crowd(fan *traffic.Fan, people simulate.Crowd) simulate.Crowd {
	if fan.Role == traffic.Attack {
		return simulate.Crowd{Fan: fan, Clients: f.attackers}
	}
	people.Fan = fan
	return people
}

// recording lets a recording go to the host that it was made of, unless another is named, and says what is made of it.
func (f *simulateFlags) recording(name string, rec *traffic.Recording, keys *keyHeaders, o *simulate.Options) []string {
	said := slices.Clone(rec.Said)
	for i := range said {
		said[i] = name + ": " + said[i]
	}
	if o.Host == "" {
		o.Host, o.Scheme = rec.Host, rec.Scheme
	} else if o.Host != rec.Host {
		said = append(said, fmt.Sprintf("%s: recorded of %s, and sent to %s", name, rec.Host, o.Host))
	}
	return append(said, keys.missing(name, rec)...)
}
