package main

import (
	"fmt"
	"net/netip"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// chainHelp tells of --chain.
const chainHelp = "`proxies` that requests pass, the one that connects to nginx last: cloudflare,alb=subnets.json,nginx=10.20.0.5 (ngxlimit proxies --kinds lists the names)"

// readChain reads the chain of proxies: that of --chain, or else of the settings file. Networks that were given for all of
// them go to those that have none of their own.
func (a *app) readChain(flag string, set *settings.Settings) error {
	members := set.Chain
	if flag != "" {
		members = nil
		for _, text := range chain.Split(flag) {
			p, err := chain.ParseProxy(text)
			if err != nil {
				return fmt.Errorf("--chain: %w", err)
			}
			members = append(members, settings.Member{Proxy: p, Place: "--chain"})
		}
	}
	if len(members) == 0 {
		return nil
	}
	if len(members) > chain.MaxProxies {
		return fmt.Errorf("%s: more than %d proxies in a chain", members[0].Place, chain.MaxProxies)
	}
	c := make(chain.Chain, len(members))
	for i, m := range members {
		c[i] = m.Proxy
		var names []settings.Named
		for _, f := range m.Proxy.Files {
			names = append(names, settings.Named{Text: f, Place: m.Place})
		}
		lists, err := a.proxies(set.Facts.Table, names)
		if err != nil {
			return err
		}
		c[i].Lists = lists
	}
	set.Facts.Chain = c.Bind(set.Facts.Table, set.Facts.Fronts)
	for i := range set.Facts.Chain {
		for _, l := range set.Facts.Chain[i].Lists {
			if !slices.Contains(set.Facts.Fronts, l) && !slices.ContainsFunc(set.Facts.Fronts, func(o *fronts.List) bool { return o.Front != nil && o.Front == l.Front }) {
				set.Facts.Fronts = append(set.Facts.Fronts, l)
			}
		}
	}
	set.Facts.Front = rule.FrontProxy
	return nil
}

// wayFlags say through which proxies requests come, where a command sends some.
type wayFlags struct {
	chain, file string
	proxies     []string
}

func (f *wayFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.chain, "chain", "", chainHelp)
	flags.StringArrayVar(&f.proxies, "proxies", nil, "`file` that lists networks of the proxies of --chain, or the name of a front; may be repeated")
	flags.StringVar(&f.file, "config", "", "settings `file` that may hold a chain (default: "+settings.FileName+" in the working folder or above)")
}

// readChain reads the chain that the flags or the settings file describe; nil where neither does.
func (f *wayFlags) readChain(a *app) (chain.Chain, error) {
	path := f.file
	if path == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find settings: %w", err)
		}
		if path, err = settings.Find(dir); err != nil {
			return nil, err
		}
	}
	a.noteFiles(path)
	set, err := settings.Load(path, settings.Known{Rules: rules.All(), Fan: a.fansBeside(path)})
	if err != nil {
		return nil, err
	}
	if f.chain == "" && len(set.Chain) == 0 {
		if len(f.proxies) > 0 {
			return nil, fmt.Errorf("--proxies says where the proxies of --chain are: give that as well")
		}
		return nil, nil
	}
	given := settingsFlags{proxies: f.proxies}
	if err := given.readProxies(a, &set); err != nil {
		return nil, err
	}
	err = a.readChain(f.chain, &set)
	return set.Facts.Chain, err
}

// likely are the networks that a server trusts, in which proxies may be whose networks are not known: private ones first.
func likely(s *config.Server) []netip.Prefix {
	var inner, outer []netip.Prefix
	for _, t := range s.Settings.RealIPFrom.Value {
		switch {
		case !t.Prefix.IsValid() || t.Prefix.Addr().IsLoopback() || t.Prefix.Bits() < 8:
		case rule.IsInner(t.Prefix.Addr()):
			inner = append(inner, t.Prefix)
		default:
			outer = append(outer, t.Prefix)
		}
	}
	return append(inner, outer...)
}
