package awswaf

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// Implies says whether every request that fits one condition certainly fits another, as far as their form tells: false
// says nothing. A nil condition fits everything.
func (c *Condition) Implies(other *Condition) bool {
	i := implication{left: 10_000}
	return i.holds(c, other)
}

// implication is a search under way; left bounds its steps.
type implication struct{ left int }

func (i *implication) holds(a, b *Condition) bool {
	switch {
	case b == nil:
		return true
	case a == nil:
		return b.Always()
	}
	if i.left--; i.left < 0 {
		return false
	}
	fails := func(part *Condition) bool { return !i.holds(a, part) }
	switch {
	case b.kind == allOf:
		return !slices.ContainsFunc(b.of, fails)
	case a.kind == anyOf:
		return !slices.ContainsFunc(a.of, func(part *Condition) bool { return !i.holds(part, b) })
	case b.kind == anyOf && slices.ContainsFunc(b.of, func(part *Condition) bool { return !fails(part) }):
		return true
	case a.kind == allOf:
		return slices.ContainsFunc(a.of, func(part *Condition) bool { return i.holds(part, b) })
	case b.Always():
		return true
	case a.kind == notOf && b.kind == notOf:
		return i.holds(b.of[0], a.of[0])
	case a.kind == compares && b.kind == notOf:
		return excludes(a, b.of[0])
	case a.kind == opaque && b.kind == opaque:
		return a.want == b.want && a.want != ""
	}
	return a.kind == compares && b.kind == compares && narrower(a, b)
}

// narrower says whether a part of the request that fits one comparison fits another.
func narrower(a, b *Condition) bool {
	switch {
	case a.part != b.part:
		return false
	case a.how == b.how && a.want == b.want:
		return true
	case a.how == "EXACTLY":
		return b.fits(a.want)
	case a.how == "REGEX" || b.how == "REGEX":
		return false
	case b.how == "CONTAINS":
		return strings.Contains(a.want, b.want)
	case a.how == "STARTS_WITH" && b.how == "STARTS_WITH":
		return strings.HasPrefix(a.want, b.want)
	case a.how == "ENDS_WITH" && b.how == "ENDS_WITH":
		return strings.HasSuffix(a.want, b.want)
	}
	return false
}

// excludes says whether no request fits both of two comparisons.
func excludes(a, b *Condition) bool {
	if a.kind != compares || b.kind != compares || a.part != b.part {
		return false
	}
	switch {
	case a.how == "EXACTLY":
		return !b.fits(a.want)
	case b.how == "EXACTLY":
		return !a.fits(b.want)
	case a.how == "STARTS_WITH" && b.how == "STARTS_WITH":
		return !strings.HasPrefix(a.want, b.want) && !strings.HasPrefix(b.want, a.want)
	case a.how == "ENDS_WITH" && b.how == "ENDS_WITH":
		return !strings.HasSuffix(a.want, b.want) && !strings.HasSuffix(b.want, a.want)
	}
	return false
}

// Always says whether the condition fits every request, as far as its form tells.
func (c *Condition) Always() bool {
	if c == nil {
		return true
	}
	switch c.kind {
	case allOf:
		return !slices.ContainsFunc(c.of, func(part *Condition) bool { return !part.Always() })
	case anyOf:
		return slices.ContainsFunc(c.of, func(part *Condition) bool { return part.Always() || c.holdsOpposite(part) })
	case notOf:
		never, _ := c.of[0].Never()
		return never != nil
	case compares:
		name := c.field()
		path := name == "UriPath"
		there := path || name == "Method" || name == "QueryString" // a header or an argument may be missing
		switch c.how {
		case "REGEX":
			return there && everything(c.want, path)
		case "STARTS_WITH", "CONTAINS":
			return there && c.want == "" || path && c.want == "/"
		case "ENDS_WITH":
			return there && c.want == ""
		}
	case opaque:
	}
	return false
}

// holdsOpposite says whether one of the parts is the negation of another.
func (c *Condition) holdsOpposite(part *Condition) bool {
	return part.kind == notOf && slices.ContainsFunc(c.of, func(other *Condition) bool {
		return other.kind == compares && part.of[0].kind == compares && narrower(part.of[0], other)
	})
}

// field is the part of the request that is compared, without what changes it first.
func (c *Condition) field() string {
	name, _, _ := strings.Cut(c.part, " ")
	return name
}

// everything says whether a regular expression matches any text; any that begins with "/" for a path.
func everything(expr string, path bool) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return false
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	if len(parts) > 0 && (parts[0].Op == syntax.OpBeginText || parts[0].Op == syntax.OpBeginLine) {
		parts = parts[1:]
	}
	anything := func(re *syntax.Regexp) bool { return re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL }
	switch {
	case len(parts) == 0 || !path:
	case parts[0].Op == syntax.OpLiteral && string(parts[0].Rune) == "/", parts[0].Op == syntax.OpPlus && anything(parts[0].Sub[0]):
		more := parts[0].Op == syntax.OpPlus
		if parts = parts[1:]; more && len(parts) == 1 && parts[0].Op == syntax.OpEndText {
			return true
		}
	}
	for n, part := range parts {
		switch part.Op { //nolint:exhaustive // of the others each wants something
		case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch:
		case syntax.OpEndText:
			if n == 0 || parts[n-1].Op != syntax.OpStar || !anything(parts[n-1].Sub[0]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Never finds what makes it impossible that a request fits the condition, and says why; nil where nothing shows it.
func (c *Condition) Never() (at *Condition, why string) {
	if c == nil {
		return nil, ""
	}
	switch c.kind {
	case allOf:
		for _, part := range c.of {
			if at, why := part.Never(); at != nil {
				return at, why
			}
		}
		return contradiction(c.of)
	case anyOf:
		for _, part := range c.of {
			if at, why = part.Never(); at == nil {
				return nil, ""
			}
		}
		return at, why
	case notOf:
		if c.of[0].Always() {
			return c.of[0], "the statement within NotStatement fits every request"
		}
	case compares:
		if why := c.impossible(); why != "" {
			return c, why
		}
	case opaque:
	}
	return nil, ""
}

// mostPairs bounds the parts of an "and" that are compared with each other.
const mostPairs = 100

// contradiction finds two parts of an "and" that no request fits both.
func contradiction(of []*Condition) (at *Condition, why string) {
	of = of[:min(len(of), mostPairs)]
	for n, b := range of {
		for _, a := range of[:n] {
			switch {
			case excludes(a, b):
				return b, "the " + a.words() + " and the " + b.words() + " exclude each other"
			case a.kind == notOf && b.Implies(a.of[0]), b.kind == notOf && a.Implies(b.of[0]):
				return b, "one statement demands what another one excludes"
			}
		}
	}
	return nil, ""
}

// words writes a comparison for people.
func (c *Condition) words() string {
	want := c.want
	if len(want) > 40 {
		want = strings.ToValidUTF8(want[:40], "") + "..."
	}
	return c.field() + " that " + map[string]string{"EXACTLY": "is", "STARTS_WITH": "starts with", "ENDS_WITH": "ends with", "CONTAINS": "contains", "REGEX": "matches"}[c.how] + ` "` + want + `"`
}

// impossible says why no request fits a comparison.
func (c *Condition) impossible() string {
	if c.how == "REGEX" || c.want == "" {
		return ""
	}
	letters := func(low, high rune) bool {
		return strings.ContainsFunc(c.want, func(r rune) bool { return low <= r && r <= high })
	}
	begins := c.how == "EXACTLY" || c.how == "STARTS_WITH"
	switch name, changes, _ := strings.Cut(c.part, " "); {
	case strings.HasSuffix(changes, "LOWERCASE") && letters('A', 'Z'):
		return "capitals are searched for in a text that LOWERCASE has made small"
	case name == "Method" && changes == "" && letters('a', 'z'):
		return "methods are written in capitals"
	case name == "UriPath" && begins && c.want[0] != '/' && c.want != "*":
		return "a path begins with /"
	case name == "UriPath" && !strings.Contains(changes, "URL_DECODE") && strings.Contains(c.want, "?"):
		return "a path has no ?: the query is behind it"
	}
	return ""
}

// Exactly lists the texts that a part of the request is compared with for equality, where all of an "and" or one of an "or"
// has to fit.
func (c *Condition) Exactly(part string) []string {
	if c == nil {
		return nil
	}
	switch c.kind {
	case compares:
		if c.field() == part && c.how == "EXACTLY" {
			return []string{c.want}
		}
	case allOf, anyOf:
		var list []string
		for _, of := range c.of {
			list = append(list, of.Exactly(part)...)
		}
		return list
	case notOf, opaque:
	}
	return nil
}

// Forwarded says whether the condition, or one within it, takes an address from a header.
func (c *Condition) Forwarded() bool {
	return c != nil && (c.kind == opaque && strings.Contains(c.want, "ForwardedIPConfig") || slices.ContainsFunc(c.of, (*Condition).Forwarded))
}

// Labels says whether the condition, or one within it, looks at a label that an earlier rule gives.
func (c *Condition) Labels() bool {
	return c != nil && (c.kind == opaque && strings.Contains(c.want, `"LabelMatchStatement"`) || slices.ContainsFunc(c.of, (*Condition).Labels))
}
