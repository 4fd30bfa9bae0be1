package pcre

import (
	"slices"
	"strings"
)

var (
	verbs      = []string{"", "ACCEPT", "COMMIT", "F", "FAIL", "MARK", "PRUNE", "SKIP", "THEN"}
	alphaNames = []string{
		"pla", "plb", "napla", "naplb", "nla", "nlb", "atomic", "sr", "script_run", "asr", "atomic_script_run",
		"positive_lookahead", "positive_lookbehind", "negative_lookahead", "negative_lookbehind",
		"non_atomic_positive_lookahead", "non_atomic_positive_lookbehind", "scs", "scan_substring",
	}
)

// verb reads what starts with "(*". None of it is run here, but PCRE refuses names that it does not know.
func (t *translator) verb() error {
	start := t.pos + len("(*")
	end := start
	for end < len(t.pattern) && ('a' <= t.pattern[end]|0x20 && t.pattern[end]|0x20 <= 'z' || t.pattern[end] == '_' || end > start && isDigit(t.pattern[end])) {
		end++
	}
	name, rest := t.pattern[start:end], t.pattern[end:]
	switch {
	case name == "" && (rest == "" || rest[0] == ')'):
		return t.refuse(start-1, "quantifier does not follow a repeatable item")
	case name == "" && rest[0] != ':':
		return t.refuse(end, unknownVerb)
	case name == strings.ToUpper(name) && !slices.Contains(verbs, name):
		return t.refuse(end, unknownVerb)
	case !hasAnyPrefix(rest, ")", ":"):
	case name == "MARK" && rest[0] == ')':
		return t.refuse(end, "(*MARK) must have an argument")
	case name == strings.ToLower(name) && name != "" && rest[0] == ':' && !slices.Contains(alphaNames, name):
		return t.refuse(end, "(*alpha_assertion) not recognized")
	}
	return unable("it uses (*...)")
}

const unknownVerb = "(*VERB) not recognized or malformed"

// foreignVerbs may stand in front of a pattern too, and change what matches.
var foreignVerbs = []string{
	"(*CR)", "(*CRLF)", "(*ANYCRLF)", "(*ANY)", "(*NUL)", "(*BSR_ANYCRLF)", "(*UCP)", "(*NOTEMPTY)", "(*NOTEMPTY_ATSTART)",
}

// limitVerb steps over (*LIMIT_MATCH=1) and its kin in front of a pattern.
func (t *translator) limitVerb() bool {
	for _, name := range [...]string{"MATCH", "DEPTH", "HEAP", "RECURSION"} {
		rest, ok := strings.CutPrefix(t.pattern[t.pos:], "(*LIMIT_"+name+"=")
		if _, end := number(rest, 0); ok && end > 0 && strings.HasPrefix(rest[end:], ")") {
			t.pos = len(t.pattern) - len(rest) + end + 1
			return true
		}
	}
	return false
}
