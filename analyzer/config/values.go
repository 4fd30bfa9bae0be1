package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
)

// checkValue says whether nginx takes a directive's value, for the kinds of value that many directives share.
func (r *resolver) checkValue(it Item, variant *directive.Variant, s *scope) bool {
	if len(it.Args) == 0 {
		return true
	}
	w := it.Args[0]
	text := ""
	switch variant.Kind {
	case directive.Flag:
		if !strings.EqualFold(w.Value, "on") && !strings.EqualFold(w.Value, "off") {
			text = fmt.Sprintf(`invalid value "%s" in "%s" directive, it must be "on" or "off"`, w.Value, it.Name.Value)
		}
	case directive.Enum:
		if !slices.ContainsFunc(variant.Words, func(word string) bool { return strings.EqualFold(word, w.Value) }) {
			text = fmt.Sprintf(`invalid value "%s"`, w.Value)
		}
	case directive.Number:
		if _, ok := atoi(w.Value); !ok {
			text = fmt.Sprintf(`"%s" directive invalid number`, it.Name.Value)
		}
	case directive.Size:
		if _, ok := parseSize(w.Value); !ok {
			text = fmt.Sprintf(`"%s" directive invalid value`, it.Name.Value)
		}
	case directive.Offset:
		if _, ok := parseUnit(w.Value, "kmg"); !ok {
			text = fmt.Sprintf(`"%s" directive invalid value`, it.Name.Value)
		}
	}
	if text == "" {
		return true
	}
	r.refuseWord(it, w, s.level, InvalidValue, text)
	return false
}
