package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// delayed is all that message and evidence rest on. They are made once for all limits that are alike: in a large
// configuration nearly all are.
type delayed struct {
	rate, burst, delay int64
	hasDelay           bool
	suffered           rule.Suffered
}

func delayedFinding(limit *config.LimitReq, at *config.Level, s rule.Suffered, told map[delayed]rule.Finding) rule.Finding {
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, at)
	f.Related = []rule.Label{{Span: limit.Zone.RateSpan, Message: "the rate"}}
	key := delayed{limit.Zone.Rate, limit.Burst, limit.Delay, limit.HasDelay, s}
	if _, ok := told[key]; !ok {
		told[key] = tellDelay(limit, s)
	}
	f.Message, f.Evidence = told[key].Message, told[key].Evidence
	if !limit.HasDelay {
		f.Fix = addNodelay(limit, s)
	}
	return f
}

// addNodelay is the fix. Which of given requests are refused is the same with nodelay, so that it is safe. Where a page
// would be broken only then, because what hangs on its requests comes sooner, the burst has to be raised too, and that is
// not safe.
func addNodelay(limit *config.LimitReq, s rule.Suffered) *rule.Fix {
	fix := &rule.Fix{Title: "add nodelay", Safe: true, Edits: []source.Edit{rule.AppendWord(limit.Directive, "nodelay")}}
	if needed := s.BurstNeeded(); needed*1000 > limit.Burst && s.One.Rejected == 0 {
		fix.Safe = false
		fix.Title = fmt.Sprintf("add nodelay and raise burst to %s, which one page needs", rule.Count(needed))
		fix.Edits = append(rule.ReplaceWord(limit.Directive, "burst=", fmt.Sprintf("burst=%d", needed)), fix.Edits...)
	}
	return fix
}

func tellDelay(limit *config.LimitReq, s rule.Suffered) rule.Finding {
	longest := rule.LongestDelay(limit)
	evidence := map[string]any{"rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst, "delay_ms_max": longest}
	how := fmt.Sprintf("burst=%s without nodelay", rule.Milli(limit.Burst))
	if limit.HasDelay {
		how = fmt.Sprintf("burst=%s with delay=%s", rule.Milli(limit.Burst), rule.Milli(limit.Delay))
		evidence["delay_milli"] = limit.Delay
	}
	message := fmt.Sprintf("%s at %s holds requests for up to %s", how, rule.RateOf(limit.Zone), rule.AtMost(longest))
	if s.One.Harmed() || s.Office.Harmed() {
		message += ": " + s.Words()
		s.Tell(evidence)
	}
	if needed := s.BurstNeeded(); needed*1000 > limit.Burst {
		evidence["burst_needed"] = needed
	}
	return rule.Finding{Message: message, Evidence: evidence}
}
