package edge

import (
	"container/heap"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

// A Gate asks a layer about requests in the order of time: it learns of an answer when that is there, and not when the
// one who asks knows of it.
type Gate struct {
	Layer Layer
	Told  func(tag int32, d Decision) // what the layer says of an answer, by Answer.Tag; nil: nobody wants to know

	answers answers // that are not there yet
	number  int     // of answers so far
}

// An Answer is what came of a request that was let through.
type Answer struct {
	At       clock.Msec // when it is there
	Tag      int32      // the asker's own
	Request  Request
	Response Response
	Was      Decision // that let it through

	number int // in the order in which they became known, so that those of one time keep it
}

// Arrive judges a request that comes at a time, when all answers until then are there.
func (g *Gate) Arrive(now clock.Msec, req *Request) Decision {
	g.Settle(now)
	return g.Layer.Decide(now, req)
}

// Answered remembers what came of a request.
func (g *Gate) Answered(a *Answer) {
	g.number++
	a.number = g.number
	heap.Push(&g.answers, a)
}

// Settle tells the layer of the answers that are there at a time.
func (g *Gate) Settle(now clock.Msec) {
	for len(g.answers) > 0 && g.answers[0].At <= now {
		a := heap.Pop(&g.answers).(*Answer) //nolint:errcheck // only answers are pushed
		d := g.Layer.Observe(a.At, &a.Request, &a.Response, a.Was)
		if g.Told != nil {
			g.Told(a.Tag, d)
		}
	}
}

type answers []*Answer

func (a answers) Len() int { return len(a) }
func (a answers) Less(i, j int) bool {
	return a[i].At < a[j].At || a[i].At == a[j].At && a[i].number < a[j].number
}
func (a answers) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *answers) Push(x any)   { *a = append(*a, x.(*Answer)) } //nolint:errcheck // only answers are pushed
func (a *answers) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	(*a)[last] = nil
	*a = (*a)[:last]
	return x
}
