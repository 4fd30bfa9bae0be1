package config

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// rewrite looks at a rewrite directive.
func (r *resolver) rewrite(it Item, _ *visit, s *scope) {
	if it.Arg(1) == "" {
		r.refuseHead(it, s.level, InvalidValue, "empty replacement")
		return
	}
	if !r.regex(it, it.Word(0), it.Arg(0), false, s) {
		return
	}
	switch it.Arg(2) {
	case "last", "break", "redirect", "permanent":
	default:
		if it.NumArgs() > 2 {
			r.badParameter(it, it.Word(2), s.level)
			return
		}
	}
	r.template(it, it.Word(1), s.level)
}

// returns looks at a return directive.
func (r *resolver) returns(it Item, _ *visit, s *scope) {
	text := it.Arg(0)
	code, ok := atoi(text)
	redirect := it.NumArgs() == 1 && startsWithAny(text, "http://", "https://", "$scheme")
	if !ok && !redirect || code > 999 {
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, "invalid return code "+quoted(text))
		return
	}
	r.template(it, it.LastWord(), s.level)
}

func startsWithAny(text string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// condition refuses what nginx refuses of an if's arguments (ngx_http_rewrite_if_condition).
func (r *resolver) condition(it Item, s *scope) bool {
	words := it.Words()[1:]
	refuse := func(w syntax.Word) bool {
		r.refuseWord(it, w, s.level, InvalidValue, "invalid condition "+quoted(w.Value))
		return false
	}
	if !strings.HasPrefix(words[0].Value, "(") {
		return refuse(words[0])
	}
	if words[0].Value = words[0].Value[1:]; words[0].Value == "" {
		words = words[1:]
	}
	if len(words) == 0 {
		return refuse(it.Word(0))
	}
	last := &words[len(words)-1]
	if !strings.HasSuffix(last.Value, ")") {
		return refuse(*last)
	}
	closing := *last
	if last.Value = last.Value[:len(last.Value)-1]; last.Value == "" {
		if words = words[:len(words)-1]; len(words) == 0 {
			return refuse(closing)
		}
	}
	switch first := words[0].Value; {
	case len(first) > 1 && first[0] == '$':
		if len(words) != 1 && len(words) != 3 {
			return refuse(words[0])
		}
		r.use(lower(first[1:]), it, it.Word(0), s.level)
		return len(words) == 1 || r.comparison(it, words, s)
	case (len(first) == 2 || len(first) == 3 && first[0] == '!') && first[len(first)-2] == '-':
		if len(words) != 2 || strings.IndexByte("fdex", first[len(first)-1]) < 0 {
			return refuse(words[0])
		}
		_, ok := r.template(it, words[1], s.level)
		return ok
	}
	return refuse(words[0])
}

// comparison looks at "$x = value", "$x ~ regex" and their kin.
func (r *resolver) comparison(it Item, words []syntax.Word, s *scope) bool {
	operand := words[2]
	switch operator := words[1].Value; operator {
	case "=", "!=":
		_, ok := r.template(it, operand, s.level)
		return ok
	case "~", "~*", "!~", "!~*":
		return r.regex(it, operand, operand.Value, strings.HasSuffix(operator, "*"), s)
	default:
		r.refuseWord(it, words[1], s.level, InvalidValue, "unexpected "+quoted(operator)+" in condition")
		return false
	}
}
