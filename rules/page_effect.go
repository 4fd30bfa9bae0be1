package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// pageEffects is what the rules about pages share. They speak of the effect at a place, while other rules speak of the limit that
// causes it; see rule.Finding.Cause.
type pageEffects struct{ *rule.Pass }

// A pageEffect is what one place does to a page.
type pageEffect struct {
	place       rule.Place
	at          *simulate.PageLocation
	limit       *config.LimitReq // that does most of it
	one, office simulate.LimitStat
}

// each calls a function with the simulated page of each server that people open pages at, and the worst place by a measure;
// places for which that is 0 are left out.
func (e pageEffects) each(measure func(one, office simulate.LimitStat) int, report func(*simulate.Page, pageEffect)) {
	if e.Tree.HTTP == nil {
		return
	}
	for _, s := range e.Tree.HTTP.Servers {
		if rule.ForMachines(s) {
			continue
		}
		for _, page := range e.Pages(s) {
			if worst := e.worst(s, page, measure); worst.limit != nil && worst.place.Directive != nil && e.WholeIn(s) {
				report(page, worst)
			}
		}
	}
}

// worst is what a page suffers most, of the places that it stands for.
func (e pageEffects) worst(s *config.Server, page *simulate.Page, measure func(one, office simulate.LimitStat) int) pageEffect {
	var worst pageEffect
	most := 0
	for i := range page.Locations {
		effect := e.at(s, &page.Locations[i], measure)
		if n := measure(effect.one, effect.office); n > most && e.Stands(page, effect.place) {
			worst, most = effect, n
		}
	}
	return worst
}

// at sums up what the limits of one place do to the page.
func (e pageEffects) at(s *config.Server, at *simulate.PageLocation, measure func(one, office simulate.LimitStat) int) pageEffect {
	place := rule.Place{Level: &s.Level, Server: s}
	if at.Location != nil {
		place = rule.PlaceOf(at.Location)
	}
	effect := pageEffect{place: place, at: at}
	if use := e.Use(place); use != rule.ForPages && use != rule.ForStatic {
		return effect
	}
	most := 0
	for i, l := range place.Settings.LimitReqs.Value {
		if i >= len(at.Limits) {
			break
		}
		n := &at.Limits[i]
		effect.one, effect.office = sum(effect.one, n.One), sum(effect.office, n.Office)
		if m := measure(n.One, n.Office); m > most {
			most, effect.limit = m, l
		}
	}
	return effect
}

func sum(a, b simulate.LimitStat) simulate.LimitStat {
	return simulate.LimitStat{Delayed: a.Delayed + b.Delayed, Rejected: a.Rejected + b.Rejected, MaxAddedMs: max(a.MaxAddedMs, b.MaxAddedMs)}
}

// ofVisitors says whether a limit counts every visitor: its key does not rest on what one may or may not send, unless whoever
// sends nothing is counted by the address.
func ofVisitors(p *rule.Pass, limit *config.LimitReq) bool {
	if limit.Zone == nil {
		return false
	}
	key := p.Key(limit.Zone.Key)
	return key.PerAddress || !key.Sent
}

// coversHalf says whether delay= lets half of a page's requests through at once and holds back others: whoever wrote that has
// thought of a page.
func coversHalf(limit *config.LimitReq, requests int) bool {
	return limit.HasDelay && limit.Delay < limit.Burst && 2*limit.Delay >= 1000*int64(requests)
}

// finding starts one about a place; a note where it rests on more than the configuration.
func (e pageEffects) finding(effect pageEffect) rule.Finding {
	place := effect.place
	f := rule.Of(config.Item{Directive: place.Directive, Via: place.Via}, place.Level)
	if !ofVisitors(e.Pass, effect.limit) || coversHalf(effect.limit, effect.at.One.Requests) {
		f.Severity, f.Confidence = rule.Note, rule.Medium
	}
	f.Cause = effect.limit.Directive
	f.Related = []rule.Label{{Span: f.Cause.Head(), Message: "by this limit"}}
	return f
}
