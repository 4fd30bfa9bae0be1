package pcre

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// program is a pattern, translated.
type program struct {
	fast   string // for RE2, right for subjects that are plain; "" where RE2 cannot run it
	slow   string // for regexp2, on one rune for each byte
	groups int
	names  []Name
	utf    bool     // (*UTF) stands in front
	root   *node    // nil where the pattern is not run
	steps  *stepper // nil where PCRE never takes many steps, or they cannot be counted
}

// A SyntaxError is a pattern that PCRE refuses. Its text is nginx's, with PCRE2's words.
type SyntaxError struct {
	Pattern string
	Offset  int
	Text    string
}

func (e *SyntaxError) Error() string {
	if e.Offset >= len(e.Pattern) {
		return fmt.Sprintf("pcre2_compile() failed: %s in \"%s\"", e.Text, e.Pattern)
	}
	return fmt.Sprintf("pcre2_compile() failed: %s in \"%s\" at \"%s\"", e.Text, e.Pattern, e.Pattern[e.Offset:])
}

// Bounds of PCRE2 itself.
const (
	nestingMax = 250
	repeatMax  = 65535
	nameMax    = 32
)

// translator reads a pattern in PCRE's syntax and writes it for both engines. Every character becomes a set of bytes,
// options are resolved while reading, and groups go by number, so that what is written uses only what both engines
// understand alike.
type translator struct {
	pattern    string
	pos        int
	fast, slow []byte
	onlySlow   bool
	utf        bool

	options
	depth    int
	groups   int // opened so far
	total    int // in the whole pattern
	names    []Name
	allNames []Name // of the whole pattern, for references to later groups

	items      []*node       // of the sequence that is read
	groupNodes map[int]*node // of the whole pattern
	nodes      map[int]*node // so far
	lengths    map[int]int
	behind     error // a lookbehind that PCRE refuses
	lateErr    error // what PCRE refuses last
	cannotErr  error
	stale      int   // where PCRE last looked for a name: there it places an error that has no place of its own
	looking    int   // look-arounds around
	behinds    int   // lookbehinds around
	branchErr  error // after all others
	numberless bool  // two groups may have one number
}

// options are what (?...) switches; they end with the group around.
type options struct {
	caseless, multiline, dotAll, extended, extendedMore, noCapture, ungreedy, dupNames bool
}

// mayRefer says whether the pattern may have a group, or name one: "\1", "\g{1}", "\k<name>". Most have neither.
func mayRefer(pattern string) bool {
	if strings.Contains(pattern, "(") {
		return true
	}
	for i := 0; i+1 < len(pattern); i++ {
		if c := pattern[i+1]; pattern[i] == '\\' && (c >= '0' && c <= '9' || c == 'g' || c == 'k') {
			return true
		}
	}
	return false
}

func translate(pattern string, caseless bool) (*program, error) {
	scan := &translator{pattern: pattern, options: options{caseless: caseless}, total: -1, nodes: map[int]*node{}}
	if mayRefer(pattern) {
		if err := scan.whole(); err != nil {
			return nil, err
		}
	}
	// A second reading knows how many groups there are and how they are called.
	t := &translator{
		pattern: pattern, options: options{caseless: caseless},
		total: scan.groups, allNames: scan.names, nodes: map[int]*node{}, groupNodes: scan.nodes, lengths: map[int]int{}, numberless: scan.numberless,
	}
	if err := cmp.Or(t.whole(), t.behind, t.lateErr, t.branchErr); err != nil {
		return nil, err
	}
	p := &program{slow: string(t.slow), groups: t.groups, names: t.names, utf: t.utf}
	if !t.onlySlow {
		p.fast = string(t.fast)
	}
	if t.cannotErr == nil {
		p.root = t.items[0]
		p.steps = newStepper(p.root)
	}
	slices.SortStableFunc(p.names, func(a, b Name) int { return strings.Compare(a.Name, b.Name) })
	return p, t.cannotErr
}

func (t *translator) whole() error {
	if err := t.leadingVerbs(); err != nil {
		return err
	}
	if _, err := t.alternatives(); err != nil {
		return err
	}
	if t.pos < len(t.pattern) {
		return t.refuse(t.pos, "unmatched closing parenthesis")
	}
	return nil
}

func (t *translator) refuse(offset int, text string) error {
	return &SyntaxError{Pattern: t.pattern, Offset: offset, Text: text}
}

// unable is a pattern that PCRE may take and that is not run here.
func unable(format string, args ...any) error {
	return errors.New("the pattern cannot be run here: " + fmt.Sprintf(format, args...))
}

func (t *translator) more() bool { return t.pos < len(t.pattern) }

// next says whether s stands at the place reached, and steps over it.
func (t *translator) next(s string) bool {
	if strings.HasPrefix(t.pattern[t.pos:], s) {
		t.pos += len(s)
		return true
	}
	return false
}

// both writes the same text for both engines.
func (t *translator) both(s string) {
	t.fast = append(t.fast, s...)
	t.slow = append(t.slow, s...)
}

func (t *translator) each(fast, slow string) {
	t.fast = append(t.fast, fast...)
	t.slow = append(t.slow, slow...)
}

// only writes what RE2 does not know.
func (t *translator) only(slow string) {
	t.onlySlow = true
	t.slow = append(t.slow, slow...)
}

func (t *translator) set(s set) {
	t.leaf(&node{kind: nodeSet, set: &s})
	if s == (set{}) {
		t.each(`[^\x00-\x{10FFFF}]`, `(?!)`)
		return
	}
	t.both(s.String())
}

// alternatives reads up to a ")" or the end, and leaves them as the only item. nullable says that they can match the empty
// string.
func (t *translator) alternatives() (nullable bool, err error) {
	all := &node{kind: nodeAny}
	for {
		t.items = nil
		empty, err := t.sequence()
		if err != nil {
			return false, err
		}
		all.subs = append(all.subs, &node{kind: nodeConcat, subs: t.items})
		nullable = nullable || empty
		if !t.next("|") {
			t.items = []*node{all}
			return nullable, nil
		}
		t.both("|")
	}
}

// atom is what a quantifier repeats: where it starts in what was written for regexp2, and what it is.
type atom struct {
	slow     int
	fixed    bool // no quantifier may follow
	nullable bool
	captures bool // holds a capture group
}

func (t *translator) sequence() (nullable bool, err error) {
	nullable = true
	for t.more() {
		t.skipComments()
		if !t.more() || t.pattern[t.pos] == '|' || t.pattern[t.pos] == ')' {
			break
		}
		before := t.groups
		a := atom{slow: len(t.slow)}
		if err := t.item(&a); err != nil {
			return false, err
		}
		a.captures = t.groups > before
		if err := t.quantifier(&a); err != nil {
			return false, err
		}
		nullable = nullable && a.nullable
	}
	return nullable, nil
}

// skipComments steps over white space and comments of (?x), and over (?#...).
func (t *translator) skipComments() {
	for t.more() {
		c := t.pattern[t.pos]
		switch {
		case t.extended && (c == ' ' || '\t' <= c && c <= '\r'):
			t.pos++
		case t.extended && c == '#':
			t.skipPast("\n")
		case strings.HasPrefix(t.pattern[t.pos:], "(?#") && strings.IndexByte(t.pattern[t.pos:], ')') > 0:
			t.skipPast(")")
		default:
			return
		}
	}
}

func (t *translator) skipPast(s string) {
	i := strings.Index(t.pattern[t.pos:], s)
	if i < 0 {
		t.pos = len(t.pattern)
		return
	}
	t.pos += i + len(s)
}

// item reads one item that is neither "|" nor ")".
func (t *translator) item(a *atom) error {
	c := t.pattern[t.pos]
	switch c {
	case '(':
		return t.group(a)
	case '[':
		return t.class(a)
	case '\\':
		return t.escape(a)
	}
	if from, to, n := t.quantity(); n > 0 {
		if err := t.counted(from, to, t.pos+n-1); err != nil {
			return err
		}
		return t.refuse(t.pos+n-1, "quantifier does not follow a repeatable item")
	}
	t.pos++
	switch c {
	case '.':
		if t.dotAll {
			t.set(anySet)
		} else {
			t.set(dotSet)
		}
	case '^':
		a.nullable, a.fixed = true, true
		if t.multiline {
			t.leaf(&node{kind: nodeLineBegin})
			t.each(`(?:\A)`, `(?:\A|(?<=\n)(?!\z))`)
		} else {
			t.leaf(&node{kind: nodeBegin})
			t.both(`(?:\A)`)
		}
	case '$':
		a.nullable, a.fixed = true, true
		if t.multiline {
			t.leaf(&node{kind: nodeLineEnd})
			t.each(`(?:\z)`, `(?=\n|\z)`)
		} else {
			t.leaf(&node{kind: nodeEnd})
			t.each(`(?:\z)`, `(?=\n?\z)`)
		}
	default:
		t.literal(c)
	}
	return nil
}

// literal writes one byte that stands for itself.
func (t *translator) literal(c byte) {
	if !t.caseless {
		t.leaf(&node{kind: nodeSet, set: &singles[c]})
		t.both(quoteByte(c))
		return
	}
	s := singles[c]
	s.fold()
	t.set(s)
}
