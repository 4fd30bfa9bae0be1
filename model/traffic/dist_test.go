package traffic

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestDistQuantile(t *testing.T) {
	for _, tt := range []struct {
		d       Dist
		p, want float64
	}{
		{Dist{}, 0.5, 0},
		{Dist{First: 7}, 0.99, 7},
		{Dist{Shape: Uniform, First: 10, Second: 20}, 0, 10},
		{Dist{Shape: Uniform, First: 10, Second: 20}, 0.25, 12.5},
		{Dist{Shape: Exponential, First: 100}, 0.5, 100 * math.Ln2},
		{Dist{Shape: Exponential, First: 100}, 0, 0},
		{Dist{Shape: LogNormal, First: 40, Second: 310}, 0.5, 40},
		{Dist{Shape: LogNormal, First: 40, Second: 310}, 0.95, 310},
		{Dist{Shape: LogNormal, First: 40, Second: 310}, 0.05, 40 * 40 / 310.0},
		{Dist{Shape: LogNormal, First: 40, Second: 310}, 0, 0},
		{Dist{Shape: LogNormal, First: 40, Second: 40}, 0.99, 40},
		{Dist{Shape: LogNormal, First: 1e9, Second: 1e9}, 0.99, 1e9},
		{Dist{Shape: LogNormal, First: 1e8, Second: 1e9}, 0.999999, 1e9},
		{Dist{Shape: Quantiles, Points: []Point{{0, 5}, {0.5, 40}, {1, 900}}}, 0, 5},
		{Dist{Shape: Quantiles, Points: []Point{{0, 5}, {0.5, 40}, {1, 900}}}, 0.25, 22.5},
		{Dist{Shape: Quantiles, Points: []Point{{0, 5}, {0.5, 40}, {1, 900}}}, 0.5, 40},
		{Dist{Shape: Quantiles, Points: []Point{{0, 5}, {0.5, 40}, {1, 900}}}, 0.75, 470},
	} {
		if got := tt.d.Quantile(tt.p); math.Abs(got-tt.want) > 1e-9*max(1, tt.want) {
			t.Errorf("%+v at %v: %v, want %v", tt.d, tt.p, got, tt.want)
		}
		if err := tt.d.check(); err != nil {
			t.Errorf("%+v: %v", tt.d, err)
		}
	}
}

// What check lets through has values that never fall as the share grows, and stay within the bounds.
func TestDistIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := distribution(t)
		if err := d.check(); err != nil {
			t.Skip(err)
		}
		last := 0.0
		for i := range 101 {
			v := d.Quantile(float64(i) / 101)
			if !(v >= last*(1-1e-12)) || v > longest {
				t.Fatalf("%+v: %v after %v", d, v, last)
			}
			last = v
		}
	})
}

// distribution draws one, often one that check refuses.
func distribution(t *rapid.T) Dist {
	number := rapid.OneOf(rapid.Float64Range(0, 1000), rapid.Just(0.0), rapid.Float64Range(0, longest))
	d := Dist{Shape: rapid.SampledFrom([]Shape{Constant, Uniform, Exponential, LogNormal, Quantiles}).Draw(t, "shape")}
	switch d.Shape {
	case Quantiles:
		p, v := 0.0, number.Draw(t, "value")
		d.Points = append(d.Points, Point{0, v})
		for range rapid.IntRange(0, 3).Draw(t, "points") {
			p += rapid.Float64Range(1e-6, 0.3).Draw(t, "step")
			v += number.Draw(t, "more")
			d.Points = append(d.Points, Point{p, min(v, longest)})
		}
		d.Points = append(d.Points, Point{1, min(v+1, longest)})
	case Uniform, LogNormal:
		d.First, d.Second = number.Draw(t, "first"), number.Draw(t, "second")
	case Constant, Exponential:
		d.First = number.Draw(t, "first")
	}
	return d
}

func TestDistCheckRefuses(t *testing.T) {
	for _, d := range []Dist{
		{First: -1},
		{First: math.NaN()},
		{First: math.Inf(1)},
		{First: 2e9},
		{Shape: Uniform, First: 2, Second: 1},
		{Shape: Exponential},
		{Shape: LogNormal, Second: 5},
		{Shape: LogNormal, First: 6, Second: 5},
		{Shape: Quantiles},
		{Shape: Quantiles, Points: []Point{{0, 1}}},
		{Shape: Quantiles, Points: []Point{{0, 1}, {0.5, 2}}},
		{Shape: Quantiles, Points: []Point{{0, 1}, {0, 1}, {1, 2}}},
		{Shape: Quantiles, Points: []Point{{0, 2}, {1, 1}}},
	} {
		if d.check() == nil {
			t.Errorf("%+v was let through", d)
		}
	}
}
