package pipeline

import "github.com/ngxlimit/ngxlimit/analyzer/config"

// asksWithin returns the directives in effect at a level by which nginx puts other URIs into an answer. It asks for each by
// a subrequest, which passes all phases; but no limiter judges it if one of its kind has judged the request before.
// The parts that slice asks for begin behind the limiters, and auth_request and mirror are followed.
func asksWithin(level *config.Level) []string {
	var list []string
	for _, name := range []string{"add_before_body", "add_after_body"} {
		if uri := text(level, name, ""); uri != "" {
			list = append(list, name+" "+uri)
		}
	}
	if text(level, "ssi", "off") == "on" {
		list = append(list, "ssi")
	}
	return list
}

// assumeWithin says what an answer may ask for that is not followed, where a limiter may count it.
func (r *run) assumeWithin(a answer) {
	h := r.g.tree.HTTP
	if a.status != 200 && a.status != 0 || r.method == "HEAD" || r.p.NoLimits || r.lost {
		return
	}
	if (r.reqRan || len(h.Zones) == 0) && (r.connRan || len(h.ConnZones) == 0) {
		return
	}
	for _, what := range a.conf.within {
		r.assume(what + " in " + a.conf.name() + ": what is put into the answer is not followed; limits in effect where it comes from may count the request")
	}
}
