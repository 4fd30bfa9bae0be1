package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// checkNamed follows a request to each location that is told by its name and has no limits of its own, and reports what is
// made of the first limit that counts it.
func checkNamed(p *rule.Pass, is func(pattern string) bool, method string, tell func(rule.Place, *config.LimitReq, string) (rule.Finding, bool)) {
	var probe *rule.Probe
	known := make(map[string]bool)
	for _, place := range p.Places() {
		l := place.Location
		if l == nil || place.Kind != config.KindLocation || l.Directive == nil || place.Unlimited() || place.Settings.LimitReqs.At == place.Level {
			continue
		}
		named, ok := known[l.Pattern]
		if !ok {
			named = is(l.Pattern)
			known[l.Pattern] = named
		}
		if !named || place.Settings.LimitReqDryRun.Value || !place.Judges() {
			continue
		}
		if probe == nil {
			probe = p.Probe()
		}
		for _, target := range rule.Samples(l) {
			t, ok := probe.Ask(place.Server, method, target)
			if !ok || !t.LimiterRan || t.LimitedLevel != place.Level {
				continue
			}
			if limit := firstCounted(&t); limit != nil {
				f, ok := tell(place, limit, probe.URL(place.Server, target))
				if ok {
					if f.Evidence == nil {
						f.Evidence = make(map[string]any)
					}
					f.Evidence["url"], f.Evidence["rate_milli"] = probe.URL(place.Server, target), limit.Zone.Rate
					f.Related = []rule.Label{{Span: limit.Directive.Head(), Message: "this limit counts it"}}
					p.Report(f)
				}
				break
			}
		}
	}
}

// firstCounted returns the first limit of a trace that counted the request; nil where none is known for certain to.
func firstCounted(t *pipeline.Trace) *config.LimitReq {
	for i := range t.Limits {
		l := &t.Limits[i]
		if key, known := l.Key.Known(); l.Counted && known && key != "" {
			return l.LimitReq
		}
	}
	return nil
}
