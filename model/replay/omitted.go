package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// An omission is a place whose requests count in a zone while nothing, or not all of it, is logged.
type omission struct {
	zone  *config.Zone
	place pipeline.Place
	why   string
}

// omissions are where a log and the requests that nginx counts are not the same.
type omissions struct {
	unlogged    []omission              // one for each zone, in the order of the configuration
	subrequests map[*config.Server]bool // those that log subrequests as well
}

// omissionsOf finds them. A location that only returns has no limiter: nginx answers before.
func omissionsOf(http *config.HTTP) omissions {
	o := omissions{subrequests: map[*config.Server]bool{}}
	for _, s := range http.Servers {
		for l := range s.AllLocations {
			if item, ok := l.Effective("log_subrequest"); ok && strings.EqualFold(item.Arg(0), "on") {
				o.subrequests[s] = true
			}
			if l.Internal || l.Modifier == "@" || l.Handler != nil && l.Handler.Name().Value == "return" {
				continue
			}
			why := leftOut(l.Settings.AccessLogs.Value)
			if why == "" {
				continue
			}
			place := pipeline.PlaceOf(l)
			for _, limit := range limitsOf(place) {
				if o.of(limit.Zone) == nil {
					o.unlogged = append(o.unlogged, omission{limit.Zone, place, why})
				}
			}
		}
	}
	return o
}

// leftOut says why some requests are in none of the logs; "" where all are.
func leftOut(logs []*config.AccessLog) string {
	why := "access_log off"
	for _, log := range logs {
		if log.Path == "off" || log.Path == "/dev/null" {
			continue
		}
		condition := log.Condition()
		if condition == "" {
			return ""
		}
		why = "access_log with " + condition
	}
	return why
}

// of returns what is left out of a zone; nil where nothing is.
func (o *omissions) of(z *config.Zone) *omission {
	at := slices.IndexFunc(o.unlogged, func(u omission) bool { return u.zone == z })
	if at < 0 {
		return nil
	}
	return &o.unlogged[at]
}

// touch says whether requests that count at a place are missing from the log.
func (o *omissions) touch(p pipeline.Place) bool {
	return len(o.unlogged) > 0 && slices.ContainsFunc(limitsOf(p), func(l *config.LimitReq) bool { return o.of(l.Zone) != nil })
}

// omitted says what the log lacks or has too much of, for the zones and servers that its requests came to.
func (e *engine) omitted() []string {
	var list []string
	met := map[*config.Zone]bool{}
	servers := map[*config.Server]bool{}
	for s := range e.spots.All() {
		for _, l := range limitsOf(s.place) {
			met[l.Zone] = true
		}
		servers[s.place.Server] = true
	}
	for _, u := range e.r.omissions.unlogged {
		if met[u.zone] {
			list = append(list, fmt.Sprintf("requests to location %s count in zone %s, and not all of them are logged (%s): the limit is reached sooner than is shown here", u.place.Label(), u.zone.Name, u.why))
		}
	}
	for _, s := range e.r.tree.HTTP.Servers {
		if servers[s] && e.r.omissions.subrequests[s] {
			list = append(list, fmt.Sprintf("%s logs its subrequests as well (log_subrequest on): their lines are those of the main request again, and count here as requests of their own", placeText(pipeline.Place{Server: s})))
		}
	}
	return list
}
