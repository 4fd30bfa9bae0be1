package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Answerer returns the rewrite directive of the place or of its server by which no request that comes there gets as far as
// the limits in effect.
func (p Place) Answerer() (by config.Item, ok bool) {
	if by, ok = answerer(&p.Server.Level, p.Server.Ifs, nil); ok || p.Location == nil {
		return by, ok
	}
	if by, ok = answerer(&p.Location.Level, p.Location.Ifs, p.Location); ok || p.Kind != config.KindIf {
		return by, ok
	}
	return answerer(p.Level, nil, p.Location)
}

// answerer finds, among the directives of a level, a return or a redirect that answers all requests, or in a location a
// rewrite that sends all of them elsewhere. nginx runs those directives in order, before it asks the limiters; a break, also
// one within an if, lets some request go on. What comes to a location has its prefix, until a rewrite has changed it.
func answerer(l *config.Level, branches []*config.Level, location *config.Location) (by config.Item, ok bool) {
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
			all := matchesAll(it.Arg(0)) || location != nil && matchesAllOf(it.Arg(0), location)
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
				location = nil
			default:
				location = nil
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

// matchesAllOf says whether a regex surely matches every URI that comes to a location: it asks for no more than the beginning
// of the location's own prefix, "^/old/(.*)$" in location /old/.
func matchesAllOf(regex string, l *config.Location) bool {
	if l.Modifier != "" && l.Modifier != "^~" && l.Modifier != "=" {
		return false
	}
	rest, anchored := strings.CutPrefix(regex, "^")
	literal, rest := literalStart(rest)
	if !anchored || literal == "" {
		return false
	}
	switch rest {
	case "", ".*", ".*$", "(.*)", "(.*)$":
		return strings.HasPrefix(l.Pattern, literal)
	case "$":
		return l.Modifier == "=" && l.Pattern == literal
	}
	return false
}

// literalStart cuts off what a regex asks for letter by letter.
func literalStart(regex string) (literal, rest string) {
	var b strings.Builder
	for i := 0; i < len(regex); i++ {
		c := regex[i]
		next := i + 1
		if c == '\\' && next < len(regex) && strings.IndexByte(`./-_~`, regex[next]) >= 0 {
			c = regex[next]
			next++
		} else if !isLiteral(c) {
			return b.String(), regex[i:]
		}
		if next < len(regex) && strings.IndexByte("?*+{", regex[next]) >= 0 {
			return b.String(), regex[i:] // it may be absent
		}
		b.WriteByte(c)
		i = next - 1
	}
	return b.String(), ""
}

func isLiteral(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("/-_~@:,;=&%!\"'", c) >= 0
}
