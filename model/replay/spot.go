package replay

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// A spot is a place of the configuration with all that is counted of it. There are as many as places that requests come to.
type spot struct {
	place   pipeline.Place
	tally   simulate.Spot
	windows placeWindows
	times   placeTimes
}

// spotOf returns the spot at which a request counts. Those of one class count mostly at one.
func (e *engine) spotOf(c *class, p pipeline.Place) *spot {
	if s := c.spot; s != nil && s.place.Level == p.Level {
		return s
	}
	s, made := e.spots.Of(p)
	if made {
		s.place, s.tally, s.windows.series = p, e.tally.At(p), &e.series
	}
	c.spot = s
	return s
}

// ordered returns the spots in the order of the configuration.
func (e *engine) ordered() []*spot {
	return slices.SortedFunc(e.spots.All(), func(a, b *spot) int { return a.place.Compare(b.place) })
}
