package rule

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// Counts says whether a request can be counted in the zone: a limit that judges requests names it, or may do so in what was
// not read.
func (f *Facts) Counts(z *Zone) bool { return len(z.Uses) > 0 || !f.Tree.Complete() }

// Solid says whether a key holds a client, or all of them, whatever they send: it counts visitors, and no text of theirs
// stands in it.
func (f *Facts) Solid(key value.Template) bool {
	k := f.Key(key)
	if k.Exempt || !k.PerAddress && !k.ForAll {
		return false
	}
	return !slices.ContainsFunc(f.Flow(key).Texts, func(l Leaf) bool {
		return AddressHeader(l.Name) || Chosen(l.Name) || OfURI(l.Name) || Fresh(l.Name)
	}) && !slices.ContainsFunc(f.Flow(key).Chooses, func(l Leaf) bool { return l.Exempts && (AddressHeader(l.Name) || Chosen(l.Name)) })
}

// Held says whether beside each limit on the zone stands another one that holds the same requests, whatever they send.
func (f *Facts) Held(z *Zone) bool { return z.held(f.Solid) }

// Guarded says whether no request comes to the zone's limits before an if has looked at the variable and sent away what it
// does not like: the rewrite phase ends before the limiters are asked.
func (f *Facts) Guarded(z *Zone, name string) bool {
	for i := range z.Uses {
		for _, place := range z.Uses[i].Places {
			if place.Judges() && !f.guardedAt(place, name) {
				return false
			}
		}
	}
	return len(z.Uses) > 0
}

func (f *Facts) guardedAt(p Place, name string) bool {
	for l := p.Level; l != nil && l.Kind != config.KindHTTP; l = l.Parent {
		for _, item := range l.FindAll("if") {
			if f.asks(item, name) && item.Block != nil && slices.ContainsFunc(item.Block.Directives, isReturn) {
				return true
			}
		}
	}
	return false
}

// asks says whether a condition looks at a variable, be it through a map.
func (f *Facts) asks(condition config.Item, name string) bool {
	for _, w := range condition.Args() {
		t, err := value.Parse(strings.Trim(w.Value, "()"))
		if err == nil && slices.Contains(reached(t, f.definitions()), name) {
			return true
		}
	}
	return false
}

// Fronted says whether clients cannot connect to the zone's servers themselves: the settings or the addresses that it
// listens on say so, or only some addresses are allowed.
func (f *Facts) Fronted(z *Zone) bool {
	if f.Settings.Front == FrontProxy {
		return true
	}
	for i := range z.Uses {
		for _, place := range z.Uses[i].Places {
			if place.Judges() && !fronted(place) {
				return false
			}
		}
	}
	return len(z.Uses) > 0
}

func fronted(p Place) bool {
	if s := listenSign(p.Server); s != nil && s.Confidence != Low {
		return true
	}
	for l := p.Level; l != nil; l = l.Parent {
		allowed, denied := l.FindAll("allow"), l.FindAll("deny")
		if len(allowed)+len(denied) == 0 {
			continue
		}
		return len(denied) > 0 && denied[len(denied)-1].Arg(0) == "all" && !slices.ContainsFunc(allowed, func(it config.Item) bool {
			n, err := netip.ParsePrefix(it.Arg(0))
			return it.Arg(0) == "all" || err == nil && n.Bits() == 0
		})
	}
	return false
}

func isReturn(d syntax.Directive) bool { return d.Name().Value == "return" }
