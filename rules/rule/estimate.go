package rule

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// An estimate says roughly what a page suffers, from the numbers of its fan alone: a page's requests are taken to come
// within pageMs of each other, and an office's pages evenly over simulate.OfficeSpan.
type estimate struct {
	all, api, static int64 // requests of the fan
	clients          int64
}

// pageMs is how long the fan takes where nothing holds it back, less its last answer: what a bucket drains meanwhile.
const pageMs = 300

func estimateOf(fan *traffic.Fan, clients int) estimate {
	e := estimate{all: int64(len(fan.Requests)), clients: int64(clients)}
	for i := range fan.Requests {
		switch fan.Requests[i].Kind {
		case "static", "image", "font":
			e.static++
		case "api", "query", "ajax", "graphql":
			e.api++
		}
	}
	return e
}

// comesBy is how many of the page's requests a place is taken to get, going by what it is called.
func (e estimate) comesBy(f *Facts, p Place) int64 {
	switch {
	case p.CatchesAll():
		return e.all
	case p.Location == nil || p.Location.Modifier == "=":
		return 0
	case f.Use(p) == ForStatic:
		return e.static
	case p.Location.Pattern == "/api/" || p.Location.Pattern == "/api":
		return e.api
	}
	return 0
}

// at estimates what the page suffers at a place: under the limit that treats it worst.
func (e estimate) at(f *Facts, p Place) Suffered {
	n := e.comesBy(f, p)
	if n == 0 {
		return Suffered{}
	}
	worst := Suffered{Clients: int(e.clients), Estimated: true, One: Counts{Requests: int(n)}, Office: Counts{Requests: int(n * e.clients)}}
	if p.Settings.LimitReqDryRun.Value {
		return worst
	}
	for _, l := range p.Settings.LimitReqs.Value {
		if l.Zone == nil {
			continue
		}
		key := f.Key(l.Zone.Key)
		if !key.Pages || key.Constant {
			continue
		}
		s := worst
		s.One, s.Office = e.page(l, n), e.office(l, n)
		if s.WorseThan(worst) {
			worst = s
		}
	}
	return worst
}

// page is what n requests of one page suffer in an empty bucket.
func (e estimate) page(l *config.LimitReq, n int64) Counts {
	drained := l.Zone.Rate * pageMs / 1_000_000
	passed := min(n, 1+l.Delay/1000+drained)
	if l.NoDelay {
		passed = min(n, 1+l.Burst/1000+drained)
	}
	delayed := min(n-passed, max(0, l.Burst-l.Delay)/1000)
	if l.NoDelay {
		delayed = 0
	}
	return Counts{
		Requests: int(n), Delayed: int(delayed), Rejected: int(n - passed - delayed),
		MaxAddedMs: delayed * 1_000_000 / max(l.Zone.Rate, 1),
	}
}

// office is what the pages of all clients suffer: each one what a page alone suffers, and together no more is let in than
// the bucket drains.
func (e estimate) office(l *config.LimitReq, n int64) Counts {
	one := e.page(l, n)
	total := n * e.clients
	accepted := min(total, 1+l.Burst/1000+l.Zone.Rate*simulate.OfficeSpan.Milliseconds()/1_000_000)
	rejected := max(total-accepted, int64(one.Rejected)*e.clients)
	delayed := min(total-rejected, int64(one.Delayed)*e.clients)
	added := one.MaxAddedMs
	if accepted < total && !l.NoDelay {
		added = max(0, l.Burst-l.Delay) * 1000 / max(l.Zone.Rate, 1) // the bucket stays full
	}
	return Counts{Requests: int(total), Delayed: int(delayed), Rejected: int(rejected), MaxAddedMs: added}
}
