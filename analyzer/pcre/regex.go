// Package pcre runs the regular expressions of a configuration as nginx's PCRE does: on bytes, without UTF mode, letters
// without case being A to Z only. A pattern is translated: into Go's RE2, which is fast and takes linear time, where both
// mean the same for a given subject; and into regexp2, which backtracks, for everything else, with a limit of time.
//
// It refuses to guess: a pattern that PCRE may accept and that cannot be run here is an error, and so is a match that
// does not end in time.
package pcre

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// MatchTimeMax bounds one match. It is checked about every 100 ms.
const MatchTimeMax = 500 * time.Millisecond

// timeoutsMax is how often a pattern may exceed its time before it is not tried any more: many requests must not wait for
// it, each anew.
const timeoutsMax = 3

// ErrTimeout says that a match did not end within MatchTimeMax.
var ErrTimeout = errors.New("match exceeded its time limit")

var errMemory = errors.New("match exceeded its memory limit")

// Exceeded says whether an error is of a match that took more than its limit of time, memory or steps. PCRE has such limits
// as well, and nginx answers 500 where one is exceeded.
func Exceeded(err error) bool {
	return errors.Is(err, ErrTimeout) || errors.Is(err, errMemory) || errors.Is(err, ErrSteps)
}

// A Regex is one pattern. It is compiled when it is first needed, and may be used by many at once.
type Regex struct {
	pattern  string
	caseless bool

	parse   sync.Once
	program *program
	err     error // why the pattern cannot be run
	refused error // why PCRE itself refuses it

	slowOnce sync.Once
	slow     *regexp2.Regexp
	slowErr  error
	timeouts atomic.Int32

	endsOnce sync.Once
	ends     ends // of what it matches
	fastOnce sync.Once
	fast     *regexp.Regexp // nil where RE2 cannot run the pattern
	byteOnce sync.Once
	bytewise *bytewise // nil likewise
}

// A Name is a named capture group.
type Name struct {
	Name  string
	Group int
}

// New returns the regex of a pattern. caseless is what "~*" asks for. It never fails; Err tells what is wrong.
func New(pattern string, caseless bool) *Regex { return &Regex{pattern: pattern, caseless: caseless} }

// Pattern returns the pattern as written.
func (re *Regex) Pattern() string { return re.pattern }

func (re *Regex) compile() {
	re.parse.Do(func() {
		re.program, re.err = translate(re.pattern, re.caseless)
		if bad, ok := errors.AsType[*SyntaxError](re.err); ok {
			re.refused = bad
		}
	})
}

// linear returns the pattern in RE2; nil where that cannot run it. It is made for the first subject that needs it.
func (re *Regex) linear() *regexp.Regexp {
	re.fastOnce.Do(func() {
		if re.program.fast != "" {
			re.fast, _ = regexp.Compile(re.program.fast) // one that is too large for RE2 is left to regexp2
		}
	})
	return re.fast
}

// allows says whether a plain subject begins and ends as the pattern wants it.
func (re *Regex) allows(subject string) bool {
	re.endsOnce.Do(func() {
		if re.program.fast != "" {
			re.ends = endsOf(re.program.fast)
		}
	})
	return re.ends.allow(subject)
}

// Err says why the pattern cannot be run here; nil where it can.
func (re *Regex) Err() error {
	re.compile()
	if re.err != nil {
		return re.err
	}
	if re.linear() == nil {
		return re.backtracking()
	}
	return nil
}

// NotRun says why a pattern that PCRE may take is not run here; nil where it is, or where PCRE refuses it. Unlike Err it
// does not try the engines.
func (re *Regex) NotRun() error {
	re.compile()
	if re.refused == nil {
		return re.err
	}
	return nil
}

// Refused returns nginx's words against the pattern where PCRE refuses it for certain; nil where it takes it, or where
// that is not known.
func (re *Regex) Refused() error {
	re.compile()
	return re.refused
}

// Names lists the named groups, in order of their names as PCRE keeps them.
func (re *Regex) Names() []Name {
	re.compile()
	if re.program == nil {
		return nil
	}
	return re.program.names
}

// Groups returns how many capture groups the pattern has.
func (re *Regex) Groups() int {
	re.compile()
	if re.program == nil {
		return 0
	}
	return re.program.groups
}

// Find matches the subject, any bytes. It returns pairs of offsets, for the whole match and each group, -1 for a group
// that took no part; nil where there is no match. The error says why it cannot be decided.
func (re *Regex) Find(subject string) ([]int, error) {
	re.compile()
	if re.err != nil {
		return nil, re.err
	}
	if re.program.utf && !ascii(subject) {
		return nil, errors.New("matching in UTF mode against bytes beyond ASCII is not done here")
	}
	if s := re.program.steps; s != nil && s.worth(subject) && re.givesUp(subject) {
		return nil, ErrSteps
	}
	if plain(subject) && re.program.fast != "" {
		if !re.allows(subject) {
			return nil, nil
		}
		if re.ends.all {
			return noGroups, nil
		}
		// It is made for the first subject that the ends allow: a map may have hundreds of thousands of patterns, of which a
		// request needs none or one.
		re.byteOnce.Do(func() { re.bytewise = newBytewise(re.program.fast) })
		if re.bytewise != nil {
			if m, told := re.bytewise.find(subject, re.program.groups); told {
				return m, nil
			}
		}
		if fast := re.linear(); fast != nil {
			return re.findFast(fast, subject), nil
		}
	}
	return re.findSlow(subject)
}

func (re *Regex) findFast(fast *regexp.Regexp, subject string) []int {
	if re.program.groups > 0 {
		return fast.FindStringSubmatchIndex(subject)
	}
	if !fast.MatchString(subject) {
		return nil
	}
	return noGroups
}

// givesUp says whether PCRE ends the match at its limit. After a few times not all of its steps are counted.
func (re *Regex) givesUp(subject string) bool {
	limit := StepsMax
	if re.timeouts.Load() >= timeoutsMax {
		limit = StepsMax / 100
	}
	exceeds := re.program.steps.exceeds(subject, limit)
	if exceeds {
		re.timeouts.Add(1)
	}
	return exceeds
}

// noGroups is the answer for a pattern without groups: where the match itself lies plays no part in nginx.
var noGroups = []int{0, 0}

// plain says whether RE2 and PCRE see the same in a subject: only ASCII, so that bytes are characters, and no newline,
// before which PCRE lets "$" match.
func plain(s string) bool { return ascii(s) && strings.IndexByte(s, '\n') < 0 }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (re *Regex) backtracking() error {
	re.slowOnce.Do(func() {
		re.slow, re.slowErr = regexp2.Compile(re.program.slow, regexp2.OptionMaxBacktrackingStackSize(backtrackMax))
		if re.slowErr != nil {
			re.slowErr = errors.New("the pattern cannot be run here: " + re.slowErr.Error())
			return
		}
		re.slow.MatchTimeout = MatchTimeMax
	})
	return re.slowErr
}

// backtrackMax bounds the memory of one match, in numbers of 8 bytes.
const backtrackMax = 4 << 20

func (re *Regex) findSlow(subject string) ([]int, error) {
	if err := re.backtracking(); err != nil {
		return nil, err
	}
	if re.timeouts.Load() >= timeoutsMax {
		return nil, ErrTimeout
	}
	runes := make([]rune, len(subject)) // each byte is a character, so that offsets stay those of bytes
	for i := range runes {
		runes[i] = rune(subject[i])
	}
	m, err := re.slow.FindRunesMatch(runes)
	if err != nil {
		re.timeouts.Add(1)
	}
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return nil, errMemory
	case err != nil:
		return nil, ErrTimeout
	case m == nil:
		return nil, nil
	}
	out := make([]int, 2*re.program.groups+2)
	for i := range out {
		out[i] = -1
	}
	out[0], out[1] = m.RuneIndex, m.RuneIndex+m.RuneLength
	for n := 1; n <= re.program.groups; n++ {
		if g := m.GroupByNumber(n); g != nil && len(g.Captures) > 0 {
			out[2*n], out[2*n+1] = g.RuneIndex, g.RuneIndex+g.RuneLength
		}
	}
	return out, nil
}

// A Cache keeps one Regex for each pattern, since large configurations repeat few patterns in many places. The zero
// Cache is empty; it may be used by many at once.
type Cache struct {
	mu      sync.Mutex
	regexes map[cacheKey]*Regex
}

type cacheKey struct {
	pattern  string
	caseless bool
}

// Get returns the regex of a pattern, the same one for the same pattern.
func (c *Cache) Get(pattern string, caseless bool) *Regex {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := cacheKey{pattern, caseless}
	re := c.regexes[k]
	if re == nil {
		if c.regexes == nil {
			c.regexes = map[cacheKey]*Regex{}
		}
		re = New(pattern, caseless)
		c.regexes[k] = re
	}
	return re
}
