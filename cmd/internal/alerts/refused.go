package alerts

import (
	"fmt"
	"math"
	"slices"
)

// few is how many refusals within a window are never told of: protection at work.
const few = 10

// manyPerMinute is how many refusals a minute of one zone are told of, whatever share they are.
const manyPerMinute = 10

// Many is how many refusals within the window are told of, whatever share they are: at least few.
func (p *Plan) Many() int {
	return max(few, int(math.Ceil(manyPerMinute*p.Window.Minutes())))
}

// Shared says whether a zone's refusals can be set against the limited requests of the access log. $limit_req_status
// tells nothing of limit_conn, whose requests that pass are counted nowhere.
func (p *Plan) Shared(z Zone) bool { return z.Directive == limitReq && p.Has(limitReqStatus) }

// Mixed says whether several zones of limit_req are in effect, so that the limited requests of the access log are not
// those of one zone: $limit_req_status names none, and of requests that pass the error log does not tell. A share of all
// is then a share of more than the zone's own, and hides a zone that is small beside a busy one.
func (p *Plan) Mixed() bool {
	n := 0
	for _, z := range p.Zones {
		if z.Directive == limitReq {
			n++
		}
	}
	return n > 1
}

// AndShare says what else has to hold of a zone's refusals, besides that they are more than few.
func (p *Plan) AndShare(z Zone) string {
	switch share := percent(p.RefusedShare); {
	case !p.Shared(z):
		return ""
	case p.Mixed():
		return fmt.Sprintf(", and more than %s of the limited ones of all zones or more than %d", share, p.Many())
	default:
		return " and more than " + share + " of the limited ones"
	}
}

// Hidden says whether some zone of limit_req refuses where the error log does not tell of it: only $limit_req_status does
// then, of all zones together.
func (p *Plan) Hidden() bool {
	return slices.ContainsFunc(p.Zones, func(z Zone) bool { return z.Directive == limitReq && z.Enforced && z.Hidden })
}

// A counter counts the limited requests of the access log, of all zones, by their $limit_req_status.
type counter struct {
	*Plan
	name, label string
}

func counted(p *Plan, name, label string) counter { return counter{p, name, label} }

// Rejected is the series of the requests that were refused.
func (c counter) Rejected() string { return fmt.Sprintf(`%s{%s="REJECTED"}`, c.name, c.label) }

// Limited are the series of all requests that a limit judged in earnest.
func (c counter) Limited() string {
	return fmt.Sprintf(`%s{%s=~"PASSED|DELAYED|REJECTED"}`, c.name, c.label)
}
