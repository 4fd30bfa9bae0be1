package load

import (
	"fmt"
	"slices"
	"strings"
)

// A tree lists folders by the names that a configuration uses.
type tree interface {
	// list returns the names in a folder, "" for the current one, hidden ones among them; none where it cannot be read.
	// The error is for a folder that may not be looked into.
	list(folder string) ([]string, error)
	// exists says whether there is something of that name. The error is for a name that may not be looked at.
	exists(name string) (bool, error)
}

// A globber expands patterns, as far as its patience lasts: links that lead back to a folder above make a pattern match
// without end, and no pattern of a server looks at that many names.
type globber struct {
	tree
	left int   // how often it may still look
	err  error // the first name that may not be looked at, or errPatience
}

// What the expansion of patterns may look at, in names; names that come with a folder count less.
const (
	maxLooked      = 50_000  // for one pattern
	maxLookedInAll = 200_000 // for all patterns of one input
	namesPerLook   = 64
)

var errPatience = fmt.Errorf("more than %d names would have to be looked at", maxLooked)

func (g *globber) names(folder string) []string {
	if !g.look(1) {
		return nil
	}
	names, err := g.list(folder)
	g.note(err)
	if !g.look(len(names) / namesPerLook) {
		return nil
	}
	return names
}

func (g *globber) has(name string) bool {
	if !g.look(1) {
		return false
	}
	found, err := g.exists(name)
	g.note(err)
	return found
}

func (g *globber) look(n int) bool {
	if g.left -= n; g.left < 0 {
		g.err = errPatience
	}
	return g.left >= 0
}

func (g *globber) note(err error) {
	if g.err == nil {
		g.err = err
	}
}

// expand returns what a pattern matches in the tree, as glob(3) does without flags: in the order of bytes, without
// hidden names unless the pattern spells the dot, and no wildcard matches a slash. What may not be looked at is left
// out, and is the globber's error; where its patience ends nothing is found.
func (g *globber) expand(pattern string) []string {
	found := []string{""}
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		last := i == len(parts)-1
		var next []string
		for _, folder := range found {
			if !hasWildcard(part) {
				name := folder + unescape(part)
				if !last {
					next = append(next, name+"/")
				} else if g.has(name) {
					next = append(next, name)
				}
				continue
			}
			for _, name := range g.names(folder) {
				switch {
				case !matchName(part, name):
				case last:
					next = append(next, folder+name)
				case g.has(folder + name + "/."):
					next = append(next, folder+name+"/")
				}
			}
		}
		found = next
		if g.left < 0 {
			return nil
		}
	}
	slices.Sort(found)
	return found
}

// hasWildcard says whether a part of a pattern matches anything but itself: a "[" needs its "]".
func hasWildcard(part string) bool {
	for i := 0; i < len(part); i++ {
		switch part[i] {
		case '*', '?':
			return true
		case '\\':
			i++
		case '[':
			if strings.IndexByte(part[i+1:], ']') >= 0 {
				return true
			}
		}
	}
	return false
}

func unescape(part string) string {
	if strings.IndexByte(part, '\\') < 0 {
		return part
	}
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] == '\\' && i+1 < len(part) {
			i++
		}
		b.WriteByte(part[i])
	}
	return b.String()
}

// matchPath says whether a whole name is matched, part by part; the name's hidden parts need a spelled dot.
func matchPath(pattern, name string) bool {
	for {
		p, restP, moreP := strings.Cut(pattern, "/")
		n, restN, moreN := strings.Cut(name, "/")
		if moreP != moreN {
			return false
		}
		if hasWildcard(p) {
			if n == "" || !matchName(p, n) {
				return false
			}
		} else if unescape(p) != n {
			return false
		}
		if !moreP {
			return true
		}
		pattern, name = restP, restN
	}
}

// matchName says whether a pattern matches a name that holds no slash, as fnmatch(3) with FNM_PERIOD does. Its time is
// at most the product of both lengths.
func matchName(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") && !strings.HasPrefix(pattern, `\.`) {
		return false
	}
	p, n := 0, 0
	star, resume := -1, 0 // where to go on when the text behind the last star does not match
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, resume = p, n
			p++
			continue
		}
		if width, ok := matchOne(pattern[p:], name[n]); ok {
			p += width
			n++
			continue
		}
		if star < 0 {
			return false
		}
		resume++
		p, n = star+1, resume
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne matches one byte against the start of a pattern, and says how much of the pattern that took.
func matchOne(pattern string, c byte) (width int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		if width, ok, found := matchSet(pattern, c); found {
			return width, ok
		}
	case '\\':
		if len(pattern) > 1 {
			return 2, pattern[1] == c
		}
	}
	return 1, pattern[0] == c
}

// matchSet matches one byte against a set in brackets; found is false where the bracket is never closed.
func matchSet(pattern string, c byte) (width int, ok, found bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1, ok != negated, true
		}
		if class, size := setClass(pattern[i:]); size > 0 {
			ok = ok || class(c)
			i += size
			continue
		}
		low, size := setByte(pattern[i:])
		i += size
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high, size = setByte(pattern[i+1:])
			i += 1 + size
		}
		ok = ok || low <= c && c <= high
	}
	return 0, false, false
}

func setByte(pattern string) (c byte, size int) {
	if pattern[0] == '\\' && len(pattern) > 1 {
		return pattern[1], 2
	}
	return pattern[0], 1
}

// setClass reads a class such as [:digit:]; size is 0 where there is none.
func setClass(pattern string) (class func(byte) bool, size int) {
	if !strings.HasPrefix(pattern, "[:") {
		return nil, 0
	}
	name, _, found := strings.Cut(pattern[2:], ":]")
	if class = classes[name]; !found || class == nil {
		return nil, 0
	}
	return class, len(name) + 4
}

func between(low, high byte) func(byte) bool {
	return func(c byte) bool { return low <= c && c <= high }
}

func either(classes ...func(byte) bool) func(byte) bool {
	return func(c byte) bool {
		return slices.ContainsFunc(classes, func(class func(byte) bool) bool { return class(c) })
	}
}

var (
	digit = between('0', '9')
	lower = between('a', 'z')
	upper = between('A', 'Z')

	// classes are those of the C locale, in which nginx runs.
	classes = map[string]func(byte) bool{
		"digit": digit, "lower": lower, "upper": upper,
		"alpha": either(lower, upper), "alnum": either(lower, upper, digit),
		"xdigit": either(digit, between('a', 'f'), between('A', 'F')),
		"punct":  either(between('!', '/'), between(':', '@'), between('[', '`'), between('{', '~')),
		"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
		"space":  func(c byte) bool { return c == ' ' || between('\t', '\r')(c) },
		"graph":  between('!', '~'), "print": between(' ', '~'),
		"cntrl": func(c byte) bool { return c < ' ' || c == 0x7f },
	}
)
