package replay

import (
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

const (
	pause       = 1500 // milliseconds without a request by which one page of a visitor is told from the next
	mostVisits  = 64   // visitors of one address that are told apart, by their user agents
	leastOfPage = 3    // requests that make a page
)

// A visitor is one user agent at one address.
type visitor struct {
	agent       uint32
	n           int32
	begun, last int64
	page        *class
}

// A pageRow is a page that was recognised: what a visitor asks for in one go.
type pageRow struct {
	loads   int64
	place   pipeline.Place
	sizes   simulate.Sample
	spans   simulate.Sample // milliseconds from the first request to the last
	dropped bool            // it is counted no more
}

// visit takes a request to the page of its visitor.
func (e *engine) visit(n *entry) {
	v := n.who.visitor(n.agent)
	if v.n > 0 && n.at-v.last > pause {
		e.endVisit(v)
	}
	if v.n == 0 {
		v.begun, v.page = n.at, n.class
	}
	v.n++
	v.last = n.at
	v.agent = n.agent
}

// endVisit counts a page.
func (e *engine) endVisit(v *visitor) {
	if v.n >= leastOfPage && v.page.kind == document {
		p := v.page.loads
		if p == nil || p.dropped {
			p = e.pages.of(uriID{v.page.server, v.page.path})
			v.page.loads = p
		}
		if p.loads == 0 && v.page.leads != nil {
			p.place = *v.page.leads
		}
		p.loads++
		p.sizes.Add(int64(v.n))
		p.spans.Add(v.last - v.begun)
	}
	v.n = 0
}

func (e *engine) endVisits(w *who) {
	if w.first.n > 0 {
		e.endVisit(&w.first)
	}
	for i := range w.others {
		if w.others[i].n > 0 {
			e.endVisit(&w.others[i])
		}
	}
}

// visitor finds the visitor with a user agent. Most addresses have one.
func (w *who) visitor(agent uint32) *visitor {
	if !w.met {
		w.met, w.first.agent = true, agent
	}
	if w.first.agent == agent {
		return &w.first
	}
	for i := range w.others {
		if w.others[i].agent == agent {
			return &w.others[i]
		}
	}
	if len(w.others) < mostVisits-1 {
		w.others = append(w.others, visitor{agent: agent})
		return &w.others[len(w.others)-1]
	}
	if i := agent % mostVisits; i > 0 {
		return &w.others[i-1]
	}
	return &w.first
}
