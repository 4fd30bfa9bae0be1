// Package rule is the vocabulary that rules are written in: what a rule is, what it sees of a configuration, and what
// it says. It holds no rule, knows no order in which rules run, and decides nothing about how findings are shown.
package rule

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A Severity says how bad a finding is if it is true.
type Severity string

// The severities, gravest first.
const (
	Error   Severity = "error"   // it does not protect, it breaks people, or nginx refuses it
	Warning Severity = "warning" // a likely fault
	Note    Severity = "note"    // worth knowing
)

// Severities lists the severities, gravest first.
var Severities = []Severity{Error, Warning, Note}

// AtLeast says whether s is as grave as limit or graver.
func (s Severity) AtLeast(limit Severity) bool { return s.weight() >= limit.weight() }

func (s Severity) weight() int {
	switch s {
	case Error:
		return 3
	case Warning:
		return 2
	case Note:
		return 1
	}
	return 0
}

// A Confidence says how sure a finding is.
type Confidence string

// The degrees of confidence.
const (
	High   Confidence = "high"   // follows from the configuration alone
	Medium Confidence = "medium" // rests on what is usual
	Low    Confidence = "low"    // rests on facts outside the configuration
)

// Confidences lists the degrees of confidence, surest first.
var Confidences = []Confidence{High, Medium, Low}

// AtLeast says whether c is as sure as limit or surer.
func (c Confidence) AtLeast(limit Confidence) bool { return c.weight() >= limit.weight() }

func (c Confidence) weight() int {
	switch c {
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	}
	return 0
}

// A Group is what a rule is about. The index of the rules is ordered by it.
type Group string

// The groups.
const (
	GroupReach   Group = "Limits that do not run, or are missed"
	GroupKeys    Group = "Keys"
	GroupValues  Group = "Rates, bursts and delays"
	GroupZones   Group = "Zones"
	GroupPlaces  Group = "Where limits stand"
	GroupAddress Group = "The client's address"
	GroupSeeing  Group = "What clients and logs see"
	GroupRegexes Group = "Regular expressions"
	GroupRefused Group = "What nginx itself refuses"
	GroupOwn     Group = "Comments for ngxlimit"
)

// Groups lists the groups in the order of the index.
var Groups = []Group{
	GroupReach, GroupKeys, GroupValues, GroupZones, GroupPlaces, GroupAddress, GroupSeeing, GroupRegexes, GroupRefused, GroupOwn,
}

// A Rule is a value: what it looks for, the words about it, and a pure function. Its text is the only home of its
// documentation.
type Rule struct {
	Name       string // kebab-case; the file is the name with "_" for "-"
	Summary    string // one line, lower case, no full stop
	Group      Group
	Severity   Severity
	Confidence Confidence
	Risk       string // "7.5": how grave it is that somebody can go around a limit or stop the server, as CVSS counts from 0.1 to 10; "" where nobody gains by the fault
	Since      string // release of ngxlimit
	Why        string // Markdown: what goes wrong, with numbers
	Bad, Good  string // whole configurations; a test runs the rule on both
	For        string // the nginx that the examples are judged for, "1.16.1"; "" is the newest
	Links      []string
	Settings   []string // keys of the settings file that it goes by: "clients_per_address"
	Causes     []string // rules that report the limit whose effect this one tells; see Finding.Cause
	Fixable    bool     // some of its findings carry a Fix
	SafeFix    bool     // and some of these are safe
	Check      func(*Pass)
}

// Suppression is the name of the rule about suppression comments. Its findings are made by the step that applies the
// comments (rules/run), because only that step knows which comment was of use.
const Suppression = "suppression"

// A Label is a place and what is to be said about it.
type Label struct {
	Span    source.Span
	Message string
}

// A Finding is one instance of a rule. Message is for people; nothing parses or compares it beyond putting together
// what is the same.
type Finding struct {
	Rule       *Rule
	Severity   Severity   // the rule's, unless the rule or the settings say otherwise
	Confidence Confidence // the rule's, unless the rule says otherwise
	Message    string
	Primary    source.Span       // the shortest text that would have to change
	Subject    *syntax.Directive // the directive that Primary lies in; nil where it lies in none
	Via        *config.Via       // the includes that led to Subject in the context given; nil for the main file
	Related    []Label           // the zone, the lost outer limit, the include line
	At         *config.Level     // that Subject stands at; nil where it is at none
	Context    []string          // where At does not say it: "http", "server a.example", "location /api/"; read by Within
	Places     int               // in how many contexts the same text is at fault in the same way; at least 1, that of At is the first
	About      string            // what the finding is of where Subject only shows it: a default that no directive sets; "" where it is of Subject
	Evidence   map[string]any    // the message's numbers (int64) and names (string, []string); units in the names: "excess_milli", "delay_ms"
	Fix        *Fix

	// Cause is the limit whose effect is told; nil where none is meant. Where one of the rule's Causes warns of it in the same run,
	// the finding is a note: one fault is one warning.
	Cause *syntax.Directive

	// Mistaken says what the file seems to be in place of a configuration ("a template of envsubst: ..."), of a finding that comes of
	// that; "" for any other. Of those of a file only the first is told.
	Mistaken string

	// Hosts are the inputs that have the finding, where the dumps of several machines were judged together; rules leave it empty.
	Hosts []string

	Fingerprint string // the same after lines have moved; rules leave it empty, rules/run fills it
}

// Within names the blocks around the finding, outermost first. Of tens of thousands of findings they are put together when
// they are asked for.
func (f *Finding) Within() []string {
	if f.Context != nil {
		return f.Context
	}
	return f.At.Context()
}

// A Fix is applied whole or not at all. It is Safe only if of requests that come at given times none could be answered
// differently afterwards. A page whose requests no longer wait for each other comes faster: what hangs on them comes sooner.
type Fix struct {
	Title string // imperative: "add nodelay"
	Safe  bool
	Edits []source.Edit

	Quotes []source.Span // what the edits repeat: where another fix changes it, this one waits for what it has become
}
