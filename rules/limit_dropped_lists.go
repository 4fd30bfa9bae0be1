package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// maxAround bounds how many lists around a block are looked at.
const maxAround = 4

// wanted appends the limits in effect at a level, and those around it that they in turn have dropped, to none.
func wanted[L any](all []rule.Line, l *config.Level, of func(*config.Level) *config.Setting[[]L], line func(L) rule.Line) []rule.Line {
	for range maxAround {
		s := of(l)
		if len(s.Value) == 0 {
			break
		}
		inner := all
		for _, limit := range s.Value {
			o := line(limit)
			if kept, _ := keeps(inner, &o); !kept {
				all = append(all, o)
			}
		}
		if s.At == nil || s.At.Parent == nil || len(all) == len(inner) {
			break
		}
		l = s.At.Parent
	}
	return all
}

// keeps says whether inner limits keep an outer one: by its zone, or on purpose loosened. alike says that there is a stricter
// limit of the same key.
func keeps(inner []rule.Line, o *rule.Line) (kept, alike bool) {
	if !o.Known || o.Key.Never {
		return true, false
	}
	for i := range inner {
		l := &inner[i]
		switch {
		case !l.Known, l.Zone == o.Zone:
			return true, false
		case l.SameKey(o):
			if l.Looser(o) {
				return true, false
			}
			alike = true
		}
	}
	return false, alike
}

func droppedFinding(place rule.Place, kind string, outer *config.Level, drop *dropping, covered bool) rule.Finding {
	first, dropped, told := &drop.inner[0], drop.lost, drop.told
	f := rule.Of(first.Item, place.Level)
	if covered {
		f.Confidence = rule.Medium
	}
	names, edit := make([]string, len(dropped)), rule.InsertBefore(first.Directive, "")
	between := edit.Text
	edit.Text = ""
	quotes := make([]source.Span, 0, len(dropped))
	f.Related = make([]rule.Label, 0, len(dropped))
	for i := range dropped {
		d := &dropped[i]
		quotes = append(quotes, d.Head())
		names[i] = d.Zone
		f.Related = append(f.Related, rule.Label{Span: d.Head(), Message: "this limit is lost here"})
		edit.Text += d.Head().Text() + ";" + between
	}
	list := strings.Join(names, ", ")
	what := "zones " + list + " no longer count here"
	if len(names) == 1 {
		what = "zone " + list + " no longer counts here"
	}
	f.Message = fmt.Sprintf("this %s replaces the list of %s, so that %s", kind, outer.BlockName(), what)
	if told[list] == nil {
		told[list] = map[string]any{"dropped": int64(len(names)), "zones": list}
	}
	f.Evidence = told[list]
	if place.Directive != nil && place.Directive.File == first.File {
		f.Fix = &rule.Fix{Title: "repeat the outer limits", Edits: []source.Edit{edit}, Quotes: quotes}
	}
	return f
}
