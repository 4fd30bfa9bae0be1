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
	short     []int64 // with a histogram: how many there were of each short time, before they are put into it
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
		s.spill()
	}
}

// spill goes over to a histogram.
func (s *sample) spill() {
	s.histogram, s.short = hdrhistogram.New(1, highest, 3), make([]int64, shortTimes)
	for _, v := range s.values {
		s.record(v)
	}
	s.values = nil
}

// shortTimes are those below it, in milliseconds, which most are. The histogram tells them all apart.
const shortTimes = 1024

func (s *sample) record(ms int64) {
	if ms < shortTimes {
		s.short[ms]++
		return
	}
	_ = s.histogram.RecordValue(min(ms, highest)) // it cannot fail: the value is within its range
}

// settle puts the short times into the histogram, if there is one.
func (s *sample) settle() {
	for ms, n := range s.short {
		if n > 0 {
			_ = s.histogram.RecordValues(int64(ms), n)
			s.short[ms] = 0
		}
	}
}

// merge adds another sample.
func (s *sample) merge(o *sample) {
	s.zeros += o.zeros
	for _, v := range o.values {
		s.add(v)
	}
	if o.histogram == nil {
		return
	}
	if s.histogram == nil {
		s.spill()
	}
	o.settle()
	s.histogram.Merge(o.histogram)
	s.max = max(s.max, o.max)
}

// quantiles returns the values of which 50, 95 and 99 of a hundred are not larger.
func (s *sample) quantiles() Quantiles {
	q := Quantiles{Max: s.max}
	s.settle()
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

// buckets counts the times in buckets of equal width, at most two dozen, behind one for those that are zero.
func (s *sample) buckets() []Bucket {
	list := []Bucket{{0, s.zeros}}
	if s.max == 0 {
		return list
	}
	width := int64(1) // 2, 5, 10, 20 ...
	for n := 0; s.max > 24*width; n++ {
		width *= 2
		if n%3 == 1 {
			width = width / 4 * 5
		}
	}
	for up := width; up < s.max+width; up += width {
		list = append(list, Bucket{up, 0})
	}
	put := func(ms, n int64) { list[(min(ms, s.max)+width-1)/width].N += n }
	if s.histogram == nil {
		for _, v := range s.values {
			put(v, 1)
		}
		return list
	}
	s.settle()
	for _, bar := range s.histogram.Distribution() {
		if bar.Count > 0 {
			put(bar.From, bar.Count)
		}
	}
	return list
}

// rankOf returns which of n values in order is the quantile: the smallest with at least that share at or below it.
func rankOf(n, percent int64) int64 { return (n*percent + 99) / 100 }
