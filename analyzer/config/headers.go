package config

import "slices"

// The words of add_header_inherit.
const (
	InheritOn    = "on"    // only where the level has no header of its own; nginx's default
	InheritOff   = "off"   // never
	InheritMerge = "merge" // in addition to the level's own
)

// addHeader reads add_header.
func (r *resolver) addHeader(it Item, _ *visit, s *scope) {
	h := &AddHeader{Name: it.Arg(0), Value: it.Arg(1), Directive: it.Directive, Via: it.Via}
	if it.NumArgs() > 2 {
		if it.Arg(2) != "always" {
			r.badParameter(it, it.Word(2), s.level)
			return
		}
		h.Always = true
	}
	appendTo(&s.level.ownAnswers().AddHeaders, it, s.level, h)
}

// addHeaderInherit reads add_header_inherit.
func (r *resolver) addHeaderInherit(it Item, _ *visit, s *scope) {
	switch word := lower(it.Arg(0)); word {
	case InheritOn, InheritOff, InheritMerge:
		s.level.ownAnswers().AddHeaderInherit = written(it, s.level, word)
	default:
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, "invalid value "+quoted(it.Arg(0)))
	}
}

// inheritHeaders gives a level the headers of its outer one (ngx_http_headers_merge_conf of nginx 1.29.3; before, "on" is
// all there is). Of a merged list the origin is the level's own first directive.
func (s *AnswerSettings) inheritHeaders(outer *AnswerSettings) {
	inherit(&s.AddHeaderInherit, outer.AddHeaderInherit)
	own := s.AddHeaders
	switch mode := s.AddHeaderInherit.Value; {
	case mode == InheritOff && own == nil:
		s.AddHeaders = &Setting[[]*AddHeader]{At: s.AddHeaderInherit.At}
	case mode == InheritMerge && own != nil && len(outer.AddHeaders.Value) > 0:
		merged := *own
		merged.Value = slices.Concat(own.Value, outer.AddHeaders.Value)
		s.AddHeaders = &merged
	case own == nil:
		s.AddHeaders = outer.AddHeaders
	}
}
