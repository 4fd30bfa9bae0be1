package replay

import "github.com/ngxlimit/ngxlimit/model/pipeline"

// Classes whose requests the limits treat alike share one plan. There are few such plans, so that what decisions look at
// stays in a processor's cache. Which plan a class shares is found in the goroutine that puts lines together, by a pipeline
// of its own that decides nothing; the plan itself belongs to the goroutine that decides, as its zones do.

const (
	mostAlike = 1 << 14 // plans that are shared
	tryAlike  = 256     // classes after which it is given up where few are alike
)

// A kin is classes that fare alike.
type kin struct {
	plan *pipeline.Plan // of the first that came to be decided; nil before
}

// A router finds classes that fare alike.
type router struct {
	pipe         *pipeline.Pipeline
	all          map[pipeline.Likeness]*kin
	tried, alike int
}

func newRouter(p *pipeline.Pipeline) *router {
	return &router{pipe: p.Fresh(), all: map[pipeline.Likeness]*kin{}}
}

// kinOf finds the classes that a new one fares alike with; nil where it has a plan of its own. Where something is assumed
// of a request, that is said of this very request, and it is not shared.
func (e *engine) kinOf(c *class) *kin {
	r := e.router
	if !e.uniform || c.kind == malformed || r.tried >= tryAlike && 2*r.alike < r.tried {
		return nil
	}
	r.tried++
	r.pipe.Resolved = true
	plan, shared := r.pipe.PlanShared(&c.request, c.server)
	if !shared || len(plan.Assumptions()) > 0 {
		return nil
	}
	like, ok := plan.Likeness()
	if !ok {
		return nil
	}
	a := r.all[like]
	switch {
	case a != nil:
		r.alike++
	case len(r.all) < mostAlike:
		a = &kin{}
		r.all[like] = a
	}
	return a
}
