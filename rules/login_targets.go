package rules

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type logins struct {
	*rule.Pass
	probe *rule.Probe
	known map[label][]string // the addresses of logins that a location is written for, by its label
}

// A guessable is a location that takes guesses.
type guessable struct {
	location *config.Location
	targets  []string
}

// targets returns those addresses of a location that end in the word of a login.
func (l *logins) targets(loc *config.Location) []string {
	if loc.Modifier == "@" || loc.Internal || !rule.PlaceOf(loc).Unlimited() {
		return nil
	}
	key := label{loc.Modifier, loc.Pattern}
	known, ok := l.known[key]
	if !ok {
		for _, target := range rule.Samples(loc) {
			if rule.Guessable(target) {
				known = append(known, target)
			}
		}
		l.known[key] = known
	}
	return known
}

// try follows a guess, and notes where it comes to an upstream without a limit.
func (l *logins) try(found []guessable, s *config.Server, target string) []guessable {
	if l.probe == nil {
		l.probe = l.Probe()
	}
	if first, known := l.probe.First(s, target); !known || first != nil && !rule.PlaceOf(first).Unlimited() {
		return found
	}
	t, ok := l.probe.Ask(s, "POST", target)
	if !ok || t.Location == nil || t.EndsIn != pipeline.EndContent || !rule.Answers(&t) {
		return found
	}
	place := rule.PlaceOf(t.Location)
	if place.Backend() == "" || !place.Unlimited() || place.Guarded() || t.Location.Directive == nil || t.URI != target {
		return found
	}
	i := slices.IndexFunc(found, func(g guessable) bool { return g.location == t.Location })
	if i < 0 {
		return append(found, guessable{t.Location, []string{target}})
	}
	if !slices.Contains(found[i].targets, target) {
		found[i].targets = append(found[i].targets, target)
	}
	return found
}
