package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// variants looks at limited logins for addresses that are nearly theirs.
func (m *misses) variants() {
	for _, place := range m.Places() {
		if place.Location == nil || place.Kind != config.KindLocation || place.Location.Directive == nil || !m.logs(place) ||
			!m.Limited(place) || !place.Judges() {
			continue
		}
		backend := place.Backend()
		switch {
		case backend == "":
		case place.Location.Modifier == "=" || place.Location.Modifier == "":
			m.nearly(place, backend, spellings(place))
		default:
			m.words(place, backend)
			samples := rule.Samples(place.Location)
			if place.Location.Modifier == "~" && len(samples) > 0 && rule.Guessable(samples[0]) && strings.HasPrefix(backend, "proxy_pass") {
				m.nearly(place, backend, []string{strings.ToUpper(samples[0])})
			}
		}
	}
}

// A label tells the locations of different servers apart by what is written.
type label struct{ modifier, pattern string }

// logs says whether a location is for a login, or has a regex that names one. Most locations of many servers are alike, so
// the answer is kept.
func (m *misses) logs(place rule.Place) bool {
	l := place.Location
	if l.Modifier == "@" || l.Modifier == "^~" {
		return false
	}
	key := label{l.Modifier, l.Pattern}
	is, ok := m.logins[key]
	if !ok {
		if l.Modifier == "=" || l.Modifier == "" {
			is = strings.HasPrefix(l.Pattern, "/") && m.Use(place) == rule.ForLogin
		} else {
			is = len(rule.LoginWords(l.Pattern)) > 0
		}
		m.logins[key] = is
	}
	return is
}

// spellings are what many programs take for the same address: with a slash behind it, in capitals. A file behind FastCGI is
// found by its exact name only, and with a slash behind it by PATH_INFO.
func spellings(place rule.Place) []string {
	path := place.Location.Pattern
	var all []string
	if !strings.HasSuffix(path, "/") {
		all = append(all, path+"/")
	}
	if strings.HasPrefix(place.Backend(), "proxy_pass") {
		all = append(all, strings.ToUpper(path))
	}
	return all
}

// nearly reports spellings of a login that go to the same upstream without a limit.
func (m *misses) nearly(place rule.Place, backend string, targets []string) {
	found := m.around(place, backend, targets)
	if len(found) == 0 {
		return
	}
	f := m.at(place.Location)
	if f == nil {
		return
	}
	list := strings.Join(found, " and ")
	f.Severity, f.Confidence = rule.Note, rule.Low
	f.Message = fmt.Sprintf("the limit holds for addresses as they are written here: %s %s to the same upstream without one, and many programs take that for the same",
		list, plural(len(found), "goes", "go"))
	f.Evidence = map[string]any{"urls": list}
	m.Report(*f)
}

// words reports a word of a login that a regex names and does not match.
func (m *misses) words(place rule.Place, backend string) {
	for _, word := range rule.LoginWords(place.Location.Pattern) {
		found := m.around(place, backend, rule.Short(place.Location, word))
		if len(found) == 0 {
			continue
		}
		f := m.at(place.Location)
		if f == nil {
			return
		}
		f.Confidence = rule.Medium
		f.Message = fmt.Sprintf("this pattern names %s and does not match it: %s goes to the same upstream without a limit", word, found[0])
		f.Evidence = map[string]any{"url": found[0]}
		m.Report(*f)
		return
	}
}

// around returns those of some addresses that go to a place's upstream by another location, as they are, and unlimited.
func (m *misses) around(place rule.Place, backend string, targets []string) []string {
	var found []string
	for _, target := range targets {
		first, known := m.ask().First(place.Server, target)
		if !known || first == nil || first == place.Location || !rule.PlaceOf(first).Unlimited() {
			continue
		}
		t, ok := m.probe.Ask(place.Server, "POST", target)
		if !ok || t.Location != first || !rule.Answers(&t) {
			continue
		}
		if other := rule.PlaceOf(first); other.Backend() == backend && !other.Guarded() {
			found = append(found, m.probe.URL(place.Server, target))
		}
	}
	return found
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
