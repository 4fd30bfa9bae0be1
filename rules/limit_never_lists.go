package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type neverRuns struct {
	*rule.Pass
	leads map[string]*rule.Leads
	probe *rule.Probe
}

// mayRun says whether some request can be judged in one of a list's places, be it one that was redirected there.
func (n *neverRuns) mayRun(list rule.Written) bool {
	for _, place := range list.Places {
		if _, answered := place.Answerer(); answered {
			continue
		}
		if place.Location == nil || !place.Location.Internal && place.Location.Modifier != "@" {
			if place.Judges() {
				return true
			}
			continue
		}
		if open, _ := n.leadsOf(list).To(place.Location); open {
			return true
		}
	}
	return false
}

// whole says whether what was not read can change that: by a break, by another way to the place, or by another place.
func (n *neverRuns) whole(list rule.Written) bool {
	for _, place := range list.Places {
		if _, answered := place.Answerer(); answered && !n.WholeAt(place.Level) || !answered && !n.WholeIn(place.Server) {
			return false
		}
	}
	return list.At.Kind != config.KindHTTP || n.Whole()
}

func (n *neverRuns) leadsOf(list rule.Written) *rule.Leads {
	if n.leads[list.Kind] == nil {
		n.leads[list.Kind] = n.Leads(list.Kind)
	}
	return n.leads[list.Kind]
}
