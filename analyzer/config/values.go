package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
)

// checkValue says whether nginx takes a directive's value, for the kinds of value that many directives share.
func (r *resolver) checkValue(it Item, variant *directive.Variant, s *scope) bool {
	if it.NumArgs() == 0 || variant.Kind == directive.None {
		return true
	}
	for _, w := range it.Args() {
		text := wrongValue(w.Value, it.Name().Value, variant)
		if text != "" && !r.learned(it, w.Value) {
			r.refuseWord(it, w, s.level, InvalidValue, text)
			return false
		}
		if variant.Kind != directive.Bitmask {
			break
		}
	}
	return true
}

// learned says whether the nginx that is judged for takes a value that the one of the table did not know yet.
func (r *resolver) learned(it Item, value string) bool {
	if strings.Contains(value, "$") {
		value = directive.AnyVariable
	}
	since := directive.ParameterSince(it.Name().Value, value)
	return since > directive.TableVersion && r.version >= since
}

// wrongValue returns nginx's words against a value; "" where it takes it.
func wrongValue(text, name string, variant *directive.Variant) string {
	ok := true
	switch variant.Kind {
	case directive.Flag:
		if strings.EqualFold(text, "on") || strings.EqualFold(text, "off") {
			return ""
		}
		return fmt.Sprintf(`invalid value "%s" in "%s" directive, it must be "on" or "off"`, text, name)
	case directive.Enum, directive.Bitmask:
		if slices.ContainsFunc(variant.Words, func(word string) bool { return strings.EqualFold(word, text) }) {
			return ""
		}
		return fmt.Sprintf(`invalid value "%s"`, text)
	case directive.Number:
		if _, ok = atoi(text); !ok {
			return fmt.Sprintf(`"%s" directive invalid number`, name)
		}
	case directive.Size:
		_, ok = parseSize(text)
	case directive.Offset:
		_, ok = parseUnit(text, "kmg")
	case directive.Sec:
		ok = validTime(text, true)
	case directive.Msec:
		ok = validTime(text, false)
	case directive.None, directive.String, directive.Buffers, directive.Path, directive.Access, directive.Complex,
		directive.Pair, directive.List:
	}
	if !ok {
		return fmt.Sprintf(`"%s" directive invalid value`, name)
	}
	return ""
}
