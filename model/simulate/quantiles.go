package simulate

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// exactUpTo is how many values are kept one by one. Beyond it a histogram takes over, which is right to a thousandth and
// whose size does not grow.
const exactUpTo = 4096

// highest is the longest time that a histogram tells apart, in milliseconds: eleven days. What is longer counts as that.
const highest = 1_000_000_000

// A sample collects times in milliseconds.
type sample struct {
	values    []int64
	histogram *hdrhistogram.Histogram
	max       int64
	zeros     int64 // most requests wait for nothing
}

func (s *sample) add(ms int64) {
	if ms <= 0 {
		s.zeros++
		return
	}
	s.max = max(s.max, ms)
	if s.histogram != nil {
		s.record(ms)
		return
	}
	s.values = append(s.values, ms)
	if len(s.values) > exactUpTo {
		s.histogram = hdrhistogram.New(1, highest, 3)
		for _, v := range s.values {
			s.record(v)
		}
		s.values = nil
	}
}

// record cannot fail: the value is within the histogram's range.
func (s *sample) record(ms int64) { _ = s.histogram.RecordValue(min(ms, highest)) }

// quantiles returns the values of which 50, 95 and 99 of a hundred are not larger.
func (s *sample) quantiles() Quantiles {
	q := Quantiles{Max: s.max}
	if s.histogram != nil {
		n := s.histogram.TotalCount() + s.zeros
		at := func(percent int64) int64 {
			rank := rankOf(n, percent) - s.zeros
			if rank <= 0 {
				return 0
			}
			return min(s.histogram.ValueAtQuantile(100*float64(rank)/float64(n-s.zeros)), s.max)
		}
		q.P50, q.P95, q.P99 = at(50), at(95), at(99)
		return q
	}
	slices.Sort(s.values)
	n := int64(len(s.values)) + s.zeros
	at := func(percent int64) int64 {
		if rank := rankOf(n, percent) - s.zeros; rank > 0 {
			return s.values[rank-1]
		}
		return 0
	}
	q.P50, q.P95, q.P99 = at(50), at(95), at(99)
	return q
}

// rankOf returns which of n values in order is the quantile: the smallest with at least that share at or below it.
func rankOf(n, percent int64) int64 { return (n*percent + 99) / 100 }
