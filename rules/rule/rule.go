// Package rule is the vocabulary that rules are written in. It holds no rule.
package rule

import (
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A Severity says how bad a finding is if it is true.
type Severity string

// The severities, gravest first.
const (
	Error   Severity = "error"   // it does not protect, it breaks people, or nginx refuses it
	Warning Severity = "warning" // a likely fault
	Note    Severity = "note"    // worth knowing
)

// A Confidence says how sure a finding is.
type Confidence string

// The degrees of confidence.
const (
	High   Confidence = "high"   // follows from the configuration alone
	Medium Confidence = "medium" // rests on what is usual
	Low    Confidence = "low"    // rests on facts outside the configuration
)

// A Rule is a value: what it looks for, the words about it, and a pure function. Its text is the only home of its
// documentation.
type Rule struct {
	Name       string // kebab-case; the file is the name with "_" for "-"
	Summary    string // one line, lower case, no full stop
	Severity   Severity
	Confidence Confidence
	Since      string // release of ngxlimit
	Why        string // Markdown: what goes wrong, with numbers
	Bad, Good  string // configurations; a test runs the rule on both
	Links      []string
	Check      func(*Pass)
}

// A Label is a place and what is to be said about it.
type Label struct {
	Span    source.Span
	Message string
}

// A Finding is one instance of a rule. Message is for people; nothing parses or compares it.
type Finding struct {
	Rule       *Rule
	Severity   Severity   // the rule's, unless the rule or the settings say otherwise
	Confidence Confidence // the rule's, unless the rule says otherwise
	Message    string
	Primary    source.Span    // the shortest text that would have to change
	Related    []Label        // the zone, the lost outer limit, the include line
	Context    []string       // "http", "server a.example", "location /api/"
	Evidence   map[string]any // the message's numbers (int64) and names (string, []string); units in the names: "excess_milli", "delay_ms"
	Fix        *Fix
}

// A Fix is applied whole or not at all. It is Safe only if no request could be answered differently afterwards.
type Fix struct {
	Title string // imperative: "add nodelay"
	Safe  bool
	Edits []source.Edit
}
