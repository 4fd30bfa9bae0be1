package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// builtin returns a fan that is part of the program.
func builtin(name string) *traffic.Fan {
	fan, err := traffic.Builtin(name)
	if err != nil {
		panic(fmt.Sprintf("a built-in page is missing: %v", err))
	}
	return fan
}

// isWordPress says whether the paths of a server are those of WordPress.
func isWordPress(s *config.Server) bool {
	for l := range s.AllLocations {
		if strings.Contains(l.Pattern, "wp-") {
			return true
		}
	}
	return false
}

// listAt is the list of limits in effect where a page was.
func listAt(s *config.Server, at *simulate.PageLocation) *config.Setting[[]*config.LimitReq] {
	if at.Location != nil {
		return at.Location.Settings.LimitReqs
	}
	return s.Settings.LimitReqs
}

// ordinaryRefused says whether the limit refuses requests of an ordinary page at the same server as well.
func ordinaryRefused(p *rule.Pass, s *config.Server, limit *config.LimitReq) bool {
	for _, page := range p.Pages(s) {
		for i := range page.Locations {
			at := &page.Locations[i]
			for n, l := range listAt(s, at).Value {
				if l == limit && n < len(at.Limits) && at.Limits[n].One.Rejected > 0 {
					return true
				}
			}
		}
	}
	return false
}
