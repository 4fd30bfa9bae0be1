package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// public4 returns the first IPv4 network of the internet in a list; nil where there is none.
func public4(list []*config.Trusted) *config.Trusted {
	for _, x := range list {
		if x.Prefix.IsValid() && x.Prefix.Addr().Is4() && !x.Prefix.IsSingleIP() && !rule.IsInner(x.Prefix.Addr()) {
			return x
		}
	}
	return nil
}

// anyOuter6 says whether some IPv6 address of the internet is trusted.
func anyOuter6(list []*config.Trusted) bool {
	for _, x := range list {
		if x.Prefix.IsValid() && x.Prefix.Addr().Is6() && !rule.IsInner(x.Prefix.Addr()) && !x.Prefix.Addr().Is4In6() {
			return true
		}
	}
	return false
}

func listensOn6(servers []*config.Server) *config.Listen {
	for _, s := range servers {
		for _, l := range s.Listens {
			if rule.Takes6(l) {
				return l
			}
		}
	}
	return nil
}

// neverPeers says whether no peer can be one of those that are trusted: they come by IPv6 alone, and the list holds IPv4
// networks alone.
func neverPeers(t *rule.Trust, list []*config.Trusted) bool {
	for _, x := range list {
		if !x.Prefix.IsValid() || !x.Prefix.Addr().Is4() || x.Prefix.Bits() == 0 {
			return false
		}
	}
	for _, s := range t.Servers {
		for _, l := range s.Listens {
			if !rule.Takes6(l) || l.Dual {
				return false
			}
		}
	}
	return len(list) > 0
}
