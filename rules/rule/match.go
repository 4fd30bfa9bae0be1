package rule

import (
	"path"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// MatchServer says whether one of the server's names is one that patterns name: "*" stands for any characters. Without
// patterns every server is meant.
func MatchServer(patterns []string, s *config.Server) bool {
	if len(patterns) == 0 {
		return true
	}
	if s == nil {
		return false
	}
	for _, n := range s.Names {
		for _, p := range patterns {
			if matchText(strings.ToLower(p), strings.ToLower(n.Text)) {
				return true
			}
		}
	}
	return false
}

// MatchLocation says whether patterns mean a location: by its label ("= /login", "~ \.php$", "@named"), in which "*" stands
// for any characters, or by a URI prefix, which means all locations below it that are no regex. Without patterns every
// location is meant, and the server itself.
func MatchLocation(patterns []string, l *config.Location) bool {
	if len(patterns) == 0 {
		return true
	}
	if l == nil {
		return false
	}
	label := l.Label()
	for _, p := range patterns {
		if p == label || matchText(p, label) {
			return true
		}
		if l.Modifier != "~" && l.Modifier != "~*" && l.Modifier != "@" && strings.HasPrefix(p, "/") && strings.HasPrefix(l.Pattern, p) {
			return true
		}
	}
	return false
}

// MatchFile says whether patterns mean a file of a path. "*" and "?" stand for characters of one component, "**" for any
// components. A pattern that does not start with "/" may begin at any component: "conf.d/*.conf". Without patterns every
// file is meant.
func MatchFile(patterns []string, name string) bool {
	if len(patterns) == 0 {
		return true
	}
	parts := strings.Split(strings.Trim(path.Clean("/"+name), "/"), "/")
	for _, p := range patterns {
		want := strings.Split(strings.Trim(p, "/"), "/")
		if !strings.HasPrefix(p, "/") {
			want = append([]string{"**"}, want...)
		}
		if matchParts(want, parts) {
			return true
		}
	}
	return false
}

// matchParts matches components, of which "**" stands for any number. It keeps one place to go back to, which is enough
// for wildcards, and takes no more than the product of both lengths.
func matchParts(pattern, parts []string) bool {
	p, at := 0, 0
	back, from := -1, 0
	for at < len(parts) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			back, from = p, at
			p++
		case p < len(pattern) && matchPart(pattern[p], parts[at]):
			p++
			at++
		case back >= 0:
			from++
			p, at = back+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func matchPart(pattern, part string) bool {
	ok, err := path.Match(pattern, part)
	return ok && err == nil
}

// matchText matches a text in which "*" of the pattern stands for any characters.
func matchText(pattern, text string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, pieces[0])
	if !ok {
		return false
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return strings.HasSuffix(rest, pieces[last])
}
