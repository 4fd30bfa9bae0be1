package rules

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A thief is a regex that leads strangers to an upstream, and that nobody has given limits of its own.
type thief struct {
	location *config.Location
	samples  []string
}

// below returns addresses below a prefix that the regex may take.
func (t thief) below(prefix string) []string {
	targets := append(make([]string, 0, 1+len(t.samples)), prefix)
	for _, sample := range t.samples {
		if !strings.HasPrefix(sample, prefix) {
			sample = strings.TrimSuffix(prefix, "/") + sample
		}
		targets = append(targets, sample)
	}
	return targets
}

// wants says whether what the regex takes may be what the prefix is for (not where that one has an upstream of its own), and
// whether the limits that hold there do not make up for those of the prefix.
func (t thief) wants(p *rule.Pass, place rule.Place) bool {
	by := rule.PlaceOf(t.location)
	backend, other := place.Backend(), by.Backend()
	return (backend == "" || backend == other || strings.Contains(other, "$")) &&
		notCovered(p, place.Settings.LimitReqs.Value, by.Settings.LimitReqs.Value) != nil
}

func thievesAmong(p *rule.Pass, s *config.Server) []thief {
	var found []thief
	for l := range s.AllLocations {
		if l.Modifier != "~" && l.Modifier != "~*" || l.Internal {
			continue
		}
		place := rule.PlaceOf(l)
		if place.Backend() == "" || place.Settings.LimitReqs.At == &l.Level || place.Guarded() || p.Use(place) == rule.ForStatic {
			continue
		}
		if samples := rule.Samples(l); len(samples) > 0 {
			found = append(found, thief{l, samples[:min(len(samples), maxStolen)]})
		}
		if len(found) == maxThieves {
			break
		}
	}
	return found
}
