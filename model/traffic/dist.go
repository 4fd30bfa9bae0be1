package traffic

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

// A Dist is how a quantity that is not negative is distributed: a time in milliseconds, a size in bytes. The zero Dist
// is the constant 0. It has no randomness of its own: Quantile of an evenly random number is a random value of it.
type Dist struct {
	Shape  Shape
	First  float64 // Constant: the value; Uniform: the least; Exponential: the mean; LogNormal: the median
	Second float64 // Uniform: the greatest; LogNormal: the value that 95 of 100 do not exceed
	Points []Point // Quantiles: from P = 0 to P = 1, neither P nor Value falling
}

// A Point says that a share P of all values is at most Value.
type Point struct{ P, Value float64 }

// A Shape is a family of distributions.
type Shape uint8

// The shapes.
const (
	Constant Shape = iota
	Uniform
	Exponential
	LogNormal // what times of answers usually look like: most near the median, a few much longer
	Quantiles // as measured; between two points the values are spread evenly
)

// longest is the greatest value of any distribution: 11 days in milliseconds, a gigabyte in bytes.
const longest = 1e9

// Random says whether the values differ from each other.
func (d *Dist) Random() bool { return d.Shape != Constant }

// z95 is the point of the standard normal distribution that 95 of 100 values do not exceed.
var z95 = math.Sqrt2 * math.Erfinv(0.9)

// Quantile returns the value that a share p of all values does not exceed, for p from 0 up to, but not, 1. It is never
// negative and never more than 1e9.
func (d *Dist) Quantile(p float64) float64 {
	var v float64
	switch d.Shape {
	case Constant:
		v = d.First
	case Uniform:
		v = d.First + p*(d.Second-d.First)
	case Exponential:
		v = -d.First * math.Log1p(-p)
	case LogNormal:
		sigma := math.Log(d.Second/d.First) / z95
		v = d.First
		if sigma > 0 {
			v *= math.Exp(sigma * math.Sqrt2 * math.Erfinv(2*p-1))
		}
	case Quantiles:
		v = interpolate(d.Points, p)
	}
	return max(0, min(v, longest))
}

// interpolate draws straight lines from point to point.
func interpolate(points []Point, p float64) float64 {
	i := sort.Search(len(points), func(i int) bool { return points[i].P > p })
	if i == 0 || i == len(points) {
		return points[max(i-1, 0)].Value
	}
	a, b := points[i-1], points[i]
	return a.Value + (b.Value-a.Value)*(p-a.P)/(b.P-a.P)
}

// check refuses numbers that no distribution of the shape has. There may be no distribution.
func (d *Dist) check() error {
	if d == nil {
		return nil
	}
	for _, v := range append([]float64{d.First, d.Second}, values(d.Points)...) {
		if !(v >= 0 && v <= longest) {
			return fmt.Errorf("%v is not between 0 and %d", v, int64(longest))
		}
	}
	switch d.Shape {
	case Constant:
	case Uniform:
		if d.Second < d.First {
			return fmt.Errorf("the greatest value, %v, is below the least, %v", d.Second, d.First)
		}
	case Exponential:
		if d.First == 0 {
			return errors.New("the mean is 0")
		}
	case LogNormal:
		switch {
		case d.First == 0:
			return errors.New("the median is 0")
		case d.Second < d.First:
			return fmt.Errorf("the 95th percentile, %v, is below the median, %v", d.Second, d.First)
		}
	case Quantiles:
		return checkPoints(d.Points)
	}
	return nil
}

func checkPoints(points []Point) error {
	if len(points) < 2 || points[0].P != 0 || points[len(points)-1].P != 1 {
		return errors.New("the points do not go from 0 to 1")
	}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; !(b.P > a.P && b.Value >= a.Value) {
			return fmt.Errorf("point %d, %v of %v, does not lie above the one before it", i, b.P, b.Value)
		}
	}
	return nil
}

func values(points []Point) []float64 {
	vs := make([]float64, len(points))
	for i, p := range points {
		vs[i] = p.Value
	}
	return vs
}
