package rule

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Bounds of what is made from one regex: how many URIs, and how long each.
const (
	maxSamples     = 6
	maxSampleBytes = 256
)

// Samples returns URIs that a location is written for: its own path, or some of what its regex matches. Whether a request for
// one of them comes to the location only routing can tell. There are none for a named location, and for a regex beyond what
// Go's own package reads.
func Samples(l *config.Location) []string {
	switch l.Modifier {
	case "", "=", "^~":
		if strings.HasPrefix(l.Pattern, "/") {
			return []string{l.Pattern}
		}
	case "~", "~*":
		return regexSamples(l.Pattern)
	}
	return nil
}

// regexSamples returns short texts that a regex matches, one for each of its first alternatives.
func regexSamples(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	texts := matched(re)
	for i, text := range texts {
		switch {
		case strings.HasPrefix(text, "/"):
		case strings.HasPrefix(text, "."):
			texts[i] = "/index" + text
		default:
			texts[i] = "/" + text
		}
	}
	return texts
}

// matched goes as deep as a regex nests, which its parser bounds.
func matched(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return inClass(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"a"}
	case syntax.OpCapture, syntax.OpPlus:
		return matched(re.Sub[0])
	case syntax.OpRepeat:
		return repeated(matched(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		return concatenated(re.Sub)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			if all = append(all, matched(sub)...); len(all) >= maxSamples {
				return all[:maxSamples]
			}
		}
		return all
	case syntax.OpNoMatch:
		return nil
	default: // anchors, boundaries, and what may be left out
		return []string{""}
	}
}

func repeated(texts []string, n int) []string {
	if n == 0 || len(texts) == 0 {
		return []string{""}
	}
	n = min(n, maxSampleBytes/max(len(texts[0]), 1))
	return []string{strings.Repeat(texts[0], n)}
}

func concatenated(subs []*syntax.Regexp) []string {
	all := []string{""}
	for _, sub := range subs {
		var longer []string
		for _, tail := range matched(sub) {
			for _, head := range all {
				if len(longer) < maxSamples && len(head)+len(tail) <= maxSampleBytes {
					longer = append(longer, head+tail)
				}
			}
		}
		if all = longer; len(all) == 0 {
			return nil
		}
	}
	return all
}

// inClass chooses a plain character of a class, given as pairs of first and last ones.
func inClass(pairs []rune) []string {
	for _, c := range "aA1x-_/.~" {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] <= c && c <= pairs[i+1] {
				return []string{string(c)}
			}
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if c := pairs[i]; 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return []string{string(c)}
		}
	}
	return nil
}

// LoginWords returns the words of a pattern that name a login.
func LoginWords(pattern string) []string {
	var found []string
	for word, rest := cutWord(strings.ToLower(pattern)); word != ""; word, rest = cutWord(rest) {
		if words[word] == ForLogin && strings.Contains(pattern, word) && len(found) < maxSamples {
			found = append(found, word)
		}
	}
	return found
}

// Short returns addresses that end with a word where those that a location is written for go on with a letter: /sign-in for
// the word sign-in in ^/(sign-in[^/]|reset).
func Short(l *config.Location, word string) []string {
	var found []string
	for _, text := range Samples(l) {
		at := strings.Index(text, word)
		if at < 0 || at+len(word) >= len(text) || !inWord(rune(text[at+len(word)])) || slices.Contains(found, text[:at+len(word)]) {
			continue
		}
		found = append(found, text[:at+len(word)])
	}
	return found
}
