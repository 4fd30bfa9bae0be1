package edge

import (
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// A shelf is rules that others may have to do with, to be found by what their expressions have in common.
type shelf struct {
	rules []*cloudflare.Rule
	index *lang.Index
}

// shelfOf puts those rules of a ruleset on a shelf that have an expression and are of a kind.
func shelfOf(s *cloudflare.Ruleset, is func(*cloudflare.Rule) bool) *shelf {
	f := &shelf{}
	var all []*lang.Expr
	for _, u := range s.Rules {
		if u.Enabled && u.Unknown == "" && u.Expression != nil && is(u) {
			f.rules, all = append(f.rules, u), append(all, u.Expression.Expr)
		}
	}
	f.index = lang.NewIndex(all)
	return f
}

// first is the first rule of a shelf that matches whatever another one matches, and is of a kind; nil where none is.
func (f *shelf) first(u *cloudflare.Rule, is func(*cloudflare.Rule) bool) *cloudflare.Rule {
	for i := range f.index.Implied(u.Expression.Expr) {
		if is(f.rules[i]) {
			return f.rules[i]
		}
	}
	return nil
}

// shelves are those of one kind, by ruleset.
type shelves map[*cloudflare.Ruleset]*shelf

func (all shelves) of(s *cloudflare.Ruleset, is func(*cloudflare.Rule) bool) *shelf {
	f := all[s]
	if f == nil {
		f = shelfOf(s, is)
		all[s] = f
	}
	return f
}
