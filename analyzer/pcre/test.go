package pcre

import "regexp"

// A Test asks whether a pattern in the syntax of RE2, which knows neither look-around nor back-references, matches anywhere
// in a text. It answers as regexp does, and sooner on the usual pattern and text.
type Test struct {
	re       *regexp.Regexp
	bytewise *bytewise // nil where there is none
}

// NewTest compiles a pattern. The error is regexp's.
func NewTest(pattern string) (*Test, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return &Test{re, newBytewise(pattern)}, nil
}

// Match says whether the pattern matches anywhere in a text.
func (t *Test) Match(s string) bool {
	if t.bytewise != nil && ascii(s) {
		if m, told := t.bytewise.find(s, 0); told {
			return m != nil
		}
	}
	return t.re.MatchString(s)
}
