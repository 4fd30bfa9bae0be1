package rules

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// meetVisitors returns the names of the zones that anything but logins counts in.
func meetVisitors(p *rule.Pass) map[string]bool {
	meets := make(map[string]bool)
	for _, list := range p.LimitReqs() {
		if allLogins(p, list.Places) {
			continue
		}
		for _, limit := range list.Limits {
			meets[limit.ZoneName] = true
		}
	}
	for _, list := range p.LimitConns() {
		if allLogins(p, list.Places) {
			continue
		}
		for _, limit := range list.Limits {
			meets[limit.ZoneName] = true
		}
	}
	return meets
}

func allLogins(p *rule.Pass, places []rule.Place) bool {
	return !slices.ContainsFunc(places, func(place rule.Place) bool { return p.Use(place) != rule.ForLogin })
}
