package config

import (
	"fmt"
	"strings"
)

// errorPage reads error_page.
func (r *resolver) errorPage(it Item, _ *visit, s *scope) {
	page := &ErrorPage{Target: it.LastWord().Value, Directive: it.Directive, Via: it.Via}
	codes := it.Words()[1:it.NumArgs()]
	if w := codes[len(codes)-1]; strings.HasPrefix(w.Value, "=") {
		answer, ok := atoi(w.Value[1:])
		if len(codes) == 1 || w.Value != "=" && !ok {
			r.refuseWord(it, w, s.level, InvalidValue, "invalid value "+quoted(w.Value))
			return
		}
		page.Answer = int(answer)
		if w.Value == "=" {
			page.Answer = -1
		}
		codes = codes[:len(codes)-1]
	}
	for _, w := range codes {
		n, ok := atoi(w.Value)
		switch {
		case !ok || n == 499:
			r.refuseWord(it, w, s.level, InvalidValue, "invalid value "+quoted(w.Value))
			return
		case n < 300 || n > 599:
			r.refuseWord(it, w, s.level, InvalidValue, fmt.Sprintf(`value "%s" must be between 300 and 599`, w.Value))
			return
		}
		page.Codes = append(page.Codes, int(n))
	}
	appendTo(&s.level.ownAnswers().ErrorPages, it, s.level, page)
}
