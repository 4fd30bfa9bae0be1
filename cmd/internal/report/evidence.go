package report

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// evidence returns the facts behind a finding that its message does not already say, one a line, sorted by name. What is
// zero says nothing to people; programs find it in the JSON form.
func evidence(f *rule.Finding) []string {
	names := make([]string, 0, len(f.Evidence))
	for name := range f.Evidence {
		names = append(names, name)
	}
	sort.Strings(names)
	said := make([]string, 0, 1+len(f.Related))
	said = append(said, f.Message)
	for _, l := range f.Related {
		said = append(said, l.Message)
	}
	if f.Fix != nil {
		said = append(said, f.Fix.Title)
	}
	var lines []string
	for _, name := range names {
		if name == "places" {
			continue // the context says it
		}
		label, text := fact(name, f.Evidence[name])
		if text != "" && !mentioned(said, text) && !slices.ContainsFunc(asRulesSay(name, f.Evidence[name]), func(s string) bool { return mentioned(said, s) }) {
			lines = append(lines, label+": "+text)
		}
	}
	return lines
}

func mentioned(said []string, value string) bool {
	return slices.ContainsFunc(said, func(s string) bool { return mentions(s, value) })
}

// asRulesSay words a whole number as the messages of rules do, a time in each of their ways; nil for anything else.
func asRulesSay(name string, value any) []string {
	v, ok := value.(int64)
	_, unit := measure(name)
	switch {
	case !ok || unit == "milli":
		return nil
	case unit == "ms":
		return []string{rule.Duration(v), rule.AtMost(v), rule.Exactly(v)}
	}
	return []string{rule.Count(v)}
}

// fact words one piece of evidence; the unit at the end of its name is taken into the value.
func fact(name string, value any) (label, text string) {
	switch v := value.(type) {
	case int:
		return number(name, int64(v))
	case int64:
		return number(name, v)
	case string:
		text = v
	case []string:
		text = list(v)
	case bool:
		text = map[bool]string{true: "yes", false: "no"}[v]
	default:
		text = fmt.Sprint(value)
	}
	return strings.ReplaceAll(name, "_", " "), text
}

// number words a whole number by the unit in its name: delay_ms_max is a time.
func number(name string, v int64) (label, text string) {
	if v == 0 {
		return name, ""
	}
	label, unit := measure(name)
	switch {
	case unit == "ms":
		return label, duration(v)
	case unit == "milli" && strings.HasSuffix(label, "rate"):
		return label, milli(v) + "r/s"
	case unit == "milli":
		return label, milli(v)
	case unit == "bytes":
		return label, fmt.Sprintf("%d bytes", v)
	}
	return label, strconv.FormatInt(v, 10)
}

// measure parts a name from the unit in it; "" where it has none.
func measure(name string) (label, unit string) {
	for word := range strings.SplitSeq(name, "_") {
		if word == "ms" || word == "milli" || word == "bytes" {
			unit = word
		}
	}
	if unit != "" {
		name = strings.Trim(strings.Replace("_"+name+"_", "_"+unit+"_", "_", 1), "_")
	}
	return strings.ReplaceAll(name, "_", " "), unit
}

// mentions says whether a text already holds a value as a word of its own: "10" is not in "10.0.0.5".
func mentions(text, value string) bool {
	if value == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		i += from
		if !wordByte(text, i-1, -1) && !wordByte(text, i+len(value), 1) {
			return true
		}
		from = i + 1
	}
}

// wordByte says whether the byte at i continues a word or number that stands beside it; a full stop or comma does so
// only between digits.
func wordByte(text string, i, away int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	switch c := text[i]; {
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return true
	case c == '.' || c == ',':
		j := i + away
		return j >= 0 && j < len(text) && text[j] >= '0' && text[j] <= '9'
	}
	return false
}

// list joins at most a handful of values.
func list(values []string) string {
	const most = 8
	if len(values) <= most {
		return strings.Join(values, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(values[:most], ", "), len(values)-most)
}

// duration words milliseconds, as rules do.
func duration(ms int64) string { return rule.Duration(ms) }

// milli writes thousandths as a decimal without trailing zeros: 2500 is 2.5.
func milli(v int64) string { return rule.Milli(v) }
