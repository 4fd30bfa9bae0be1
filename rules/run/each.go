package run

import (
	"runtime"
	"sync"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ahead is how many configurations are judged at a time for each processor: those that are through wait for the ones
// before them, and hold memory until they are settled.
const ahead = 2

// Each is On for several configurations, one after the other with the same options. Their rules run at the same time, a few
// configurations at once: much of what one's rules share is computed by one of them while the others wait for it.
func Each(facts []*rule.Facts, rules []*rule.Rule, o Options) []Result {
	if o.Numbers == nil {
		o.Numbers = Numbers{}
	}
	o.compares = len(o.Before) > 0
	results := make([]Result, len(facts))
	ready := make([]chan *judged, len(facts))
	for i := range ready {
		ready[i] = make(chan *judged, 1)
	}
	workers := min(runtime.GOMAXPROCS(0), len(facts))
	room := make(chan struct{}, workers*ahead)
	next := make(chan int)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := range next {
				ready[i] <- judge(facts[i], rules, &o)
			}
		})
	}
	wait.Go(func() {
		for i := range facts {
			room <- struct{}{}
			next <- i
		}
		close(next)
	})
	for i := range facts {
		results[i] = (<-ready[i]).settle()
		<-room
	}
	wait.Wait()
	return results
}
