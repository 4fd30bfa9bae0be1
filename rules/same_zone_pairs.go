package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// burstPair are two limits on one zone: in one server where there are such, else in two.
type burstPair struct {
	small, large *rule.ZoneUse
	server       *config.Server // both are in; nil where they are in two
}

// apart says how much further the bursts of the pair lie apart than those of another one.
func (b burstPair) apart() int64 {
	if b.small == nil {
		return 0
	}
	return b.large.Req.Burst - b.small.Req.Burst
}

// apartInBurst finds the two limits whose bursts lie furthest apart. What servers holds is of an earlier zone.
func apartInBurst(z *rule.Zone, everywhere bool, servers map[*config.Server]burstPair) burstPair {
	var all, best burstPair
	clear(servers)
	for i := range z.Uses {
		use := &z.Uses[i]
		all = all.with(use)
		var last *config.Server
		for _, place := range use.Places {
			if place.Server == last || !place.Judges() {
				continue
			}
			last = place.Server
			pair := servers[place.Server].with(use)
			pair.server = place.Server
			servers[place.Server] = pair
			if pair.apart() > best.apart() {
				best = pair
			}
		}
	}
	if best.small == nil && everywhere {
		return all
	}
	return best
}

func (b burstPair) with(use *rule.ZoneUse) burstPair {
	if b.small == nil {
		return burstPair{small: use, large: use}
	}
	if use.Req.Burst < b.small.Req.Burst {
		b.small = use
	}
	if use.Req.Burst > b.large.Req.Burst {
		b.large = use
	}
	return b
}
