package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Answerer returns the rewrite directive of the place or of its server by which no request that comes there gets as far as
// the limits in effect.
func (p Place) Answerer() (by config.Item, ok bool) {
	if by, ok = answerer(&p.Server.Level, p.Server.Ifs); ok || p.Location == nil {
		return by, ok
	}
	if by, ok = answerer(&p.Location.Level, p.Location.Ifs); ok || p.Kind != config.KindIf {
		return by, ok
	}
	return answerer(p.Level, nil)
}

// answerer finds, among the directives of a level, a return or a redirect that answers all requests, or in a location a
// rewrite that sends all of them elsewhere. nginx runs those directives in order, before it asks the limiters; a break, also
// one within an if, lets some request go on.
func answerer(l *config.Level, branches []*config.Level) (by config.Item, ok bool) {
	if !mayAnswer(l) {
		return config.Item{}, false
	}
	var leaving config.Item
	for _, it := range l.Items {
		switch it.Name().Value {
		case "return":
			return it, true
		case "break":
			return config.Item{}, false
		case "if":
			if len(branches) == 0 || letsGoOn(l.Kind, branches[0]) {
				return config.Item{}, false
			}
			branches = branches[1:]
		case "rewrite":
			all := matchesAll(it.Arg(0))
			switch flag := it.Arg(2); {
			case redirects(it):
				if all {
					return it, true
				}
			case flag == "break", flag == "last" && l.Kind == config.KindServer:
				return config.Item{}, false
			case all && flag == "last":
				return it, l.Kind == config.KindLocation
			case all && l.Kind == config.KindLocation:
				leaving, ok = it, true
			}
		}
	}
	return leaving, ok
}

// mayAnswer rules out most levels without a look at each directive.
func mayAnswer(l *config.Level) bool {
	if _, ok := l.Find("return"); ok {
		return true
	}
	_, ok := l.Find("rewrite")
	return ok
}

// redirects says whether a rewrite answers with a redirect.
func redirects(it config.Item) bool {
	flag, to := it.Arg(2), it.Arg(1)
	return flag == "permanent" || flag == "redirect" || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") ||
		strings.HasPrefix(to, "$scheme")
}

// letsGoOn says whether an if within a level ends the rewriting for what it matches, without an answer.
func letsGoOn(outer config.Kind, branch *config.Level) bool {
	for _, it := range branch.Items {
		switch it.Name().Value {
		case "return":
			return false
		case "break":
			return true
		case "rewrite":
			if flag := it.Arg(2); flag == "break" || flag == "last" && outer == config.KindServer {
				return !redirects(it)
			}
		}
	}
	return false
}
