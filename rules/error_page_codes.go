package rules

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// judgedAt says whether the limiters have seen a request by the time that it fails at a place.
func judgedAt(place rule.Place) bool {
	return len(place.Settings.LimitReqs.Value) > 0 && place.Judges()
}

// codeOf returns the first of the codes with which a request may fail at a place by itself; 0 where there is none.
func codeOf(place rule.Place, codes []int) int {
	written, returns := place.Find("return")
	_, upstream := place.Upstream()
	for _, code := range codes {
		switch {
		case returns:
			if written.Arg(0) == strconv.Itoa(code) {
				return code
			}
		case upstream:
			if code == 502 || code == 504 || intercepts(place) {
				return code
			}
		case place.Location.Handler == nil && (code == 403 || code == 404):
			return code
		}
	}
	return 0
}

func intercepts(place rule.Place) bool {
	h, _ := place.Upstream()
	module, _, _ := strings.Cut(h.Name().Value, "_")
	it, ok := place.Effective(module + "_intercept_errors")
	return ok && strings.EqualFold(it.Arg(0), "on")
}
