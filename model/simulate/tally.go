package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Tally counts requests whose decisions are made elsewhere, in the forms of a Result. Its size follows the places that
// they come to, not the requests. The zero Tally is not ready: see NewTally.
type Tally struct{ s *stats }

// NewTally returns a tally of no request.
func NewTally() *Tally { return &Tally{newStats()} }

// A Spot counts the requests of one place in a Tally.
type Spot struct {
	s  *stats
	at *placeStats
}

// At returns where requests of a place are counted. It may be kept.
func (t *Tally) At(p pipeline.Place) Spot { return Spot{t.s, t.s.of(p)} }

// Count takes one request that counts at the place, and was done so many milliseconds after it came.
func (s Spot) Count(f *pipeline.Flight, took int64) { s.s.countAt(s.at, f, took) }

// Block takes one request that an edge answered, at the place that it would have come to first.
func (t *Tally) Block(p pipeline.Place) { t.s.blockAt(p) }

// Locations returns the counts in the order of the configuration.
func (t *Tally) Locations() []LocationStat { return t.s.locations() }

// Zones tells what the zones of a pipeline did. Times are told from a moment of the pipeline's clock on.
func (t *Tally) Zones(p *pipeline.Pipeline, from clock.Msec) []ZoneStat {
	list := zones(p, t.s)
	for i := range list {
		list[i].PeakMs += int64(epoch - from)
		list[i].EmptyMs += int64(epoch - from)
	}
	return list
}

// ConnZones tells what the zones of limit_conn did.
func (t *Tally) ConnZones(p *pipeline.Pipeline) []ConnZoneStat { return connZones(p) }

// A Sample collects times in milliseconds, in bounded memory: beyond a few thousand they are right to a thousandth.
type Sample struct{ s sample }

// Add takes one time.
func (s *Sample) Add(ms int64) { s.s.add(ms) }

// N is how many there are.
func (s *Sample) N() int64 {
	n := s.s.zeros + int64(len(s.s.values))
	s.s.settle()
	if s.s.histogram != nil {
		n += s.s.histogram.TotalCount()
	}
	return n
}

// Quantiles are those of the times so far.
func (s *Sample) Quantiles() Quantiles { return s.s.quantiles() }
