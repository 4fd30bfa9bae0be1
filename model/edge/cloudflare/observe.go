package cloudflare

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// Observe counts what the answer decides, for the rules that were not passed over.
func (l *Layer) Observe(now clock.Msec, req *edge.Request, resp *edge.Response, was edge.Decision) edge.Decision {
	if l.last != req { // else it was found out just now which counters it has
		l.request, l.last = l.request+1, nil
	}
	z := l.zoneOf(req)
	if z == nil {
		return was
	}
	var rest, limits bool
	for i, r := range z.after {
		if i > 0 && z.after[i-1].Ruleset.Phase != r.Ruleset.Phase {
			rest = false
		}
		if rest || limits && r.Ruleset.Phase == RateLimit {
			continue
		}
		if r.Skip != nil {
			if r.matchQuietly(req) {
				rest, limits = r.Skip.Rest, limits || r.Skip.RateLimit
			}
			continue
		}
		c := l.observe(r, now, req, resp)
		switch {
		case c == nil:
		case was.Rule == r.Name:
			was.Counter = c.value(l.window, now, r.period)
		case was.Rule == "":
			was = edge.Decision{Rule: r.Name, Action: edge.Allow, Counter: c.value(l.window, now, r.period)}
		}
	}
	return was
}

func (r *running) matchQuietly(req *edge.Request) bool {
	return r.match(req, &edge.Response{}) == lang.True
}

// observe counts an answer, and returns the counter of the request's combination; nil where there is none.
func (l *Layer) observe(r *running, now clock.Msec, req *edge.Request, resp *edge.Response) *counter {
	n := int64(1)
	switch {
	case r.Limit.ToOrigin && req.Cached && !r.readsAnswer: // else it goes to the origin, past the cache
		n = 0
	case r.Limit.Score > 0:
		n = r.score(resp)
	}
	counts := lang.False
	if n > 0 {
		if r.Limit.Counting != nil {
			counts = r.counting(req, resp)
		} else if counts = r.match(req, resp); counts == lang.Unknown {
			counts = lang.False // it was told when the request came
		}
	}
	c := l.find(r, now, req, counts == lang.True)
	if c == nil || counts != lang.True {
		return c
	}
	c.add(l.window, now, r.period, n)
	r.stat.Counted++
	value := c.value(l.window, now, r.period)
	r.stat.Peak = max(r.stat.Peak, value)
	if value > r.limit && c.until <= now {
		c.until = now + r.timeout
	}
	return c
}

// The bounds of a score.
const leastScore, mostScore = 1, 1_000_000

// score is what the answer says that the request cost; 0 where it says nothing, or nothing that counts.
func (r *running) score(resp *edge.Response) int64 {
	text, ok := resp.Header(r.Limit.ScoreHeader)
	if !ok {
		if !resp.Known {
			r.dark("the score header " + r.Limit.ScoreHeader + " of the answer is not known")
		}
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < leastScore || n > mostScore {
		return 0
	}
	return n
}
