package replay

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// Classes whose requests the limits treat alike share one plan. There are few such plans, so that what decisions look at
// stays in a processor's cache. Which plan a class shares is found in the goroutine that puts lines together, by a pipeline
// of its own that decides nothing; the plan itself belongs to the goroutine that decides, as its zones do.

const (
	mostAlike = 1 << 14 // plans that are shared
	tryAlike  = 256     // classes after which it is given up where few are alike
)

// A kin is classes that fare alike.
type kin struct {
	plan  *pipeline.Plan // of the first that came to be decided; nil before
	leads *pipeline.Place
}

// A router finds classes that fare alike.
type router struct {
	pipe         *pipeline.Pipeline
	req          request.Request // that is asked about
	all          map[pipeline.Likeness]*kin
	ways         map[familyWay]*kin
	tried, alike int
}

// A familyWay is a family's requests to one location.
type familyWay struct {
	*family
	pipeline.Way
}

func newRouter(p *pipeline.Pipeline) *router {
	return &router{pipe: p.Fresh(), all: map[pipeline.Likeness]*kin{}, ways: map[familyWay]*kin{}}
}

// kinOf finds the classes that a new one fares alike with; nil where it has a plan of its own.
func (e *engine) kinOf(c *class) *kin {
	r := e.router
	if !e.uniform || c.kind == malformed || r.tried >= tryAlike && 2*r.alike < r.tried {
		return nil
	}
	r.tried++
	r.pipe.Resolved = true
	r.req = c.request()
	way, settled := r.pipe.WayOf(&r.req, c.server)
	from := familyWay{c.family, way}
	if k := r.ways[from]; settled && k != nil {
		r.alike++
		return k
	}
	k := r.kinOf(c.server)
	if settled && k != nil && len(r.ways) < mostAlike {
		r.ways[from] = k
	}
	return k
}

// kinOf looks at the plan of the request that is asked about. Where something is assumed of a request, that is said of this
// very request, and it is not shared.
func (r *router) kinOf(server *config.Server) *kin {
	plan, shared := r.pipe.PlanShared(&r.req, server)
	if !shared || len(plan.Assumptions()) > 0 {
		return nil
	}
	like, ok := plan.Likeness()
	if !ok {
		return nil
	}
	k := r.all[like]
	switch {
	case k != nil:
		r.alike++
	case len(r.all) < mostAlike:
		k = &kin{}
		r.all[like] = k
	}
	return k
}
