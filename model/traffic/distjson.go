package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A form is how a shape is written: its name, the names of its numbers without their unit, and how the numbers are kept.
type form struct {
	name    string
	shape   Shape
	numbers []string
}

var forms = []form{
	{"constant", Constant, []string{"value"}},
	{"uniform", Uniform, []string{"min", "max"}},
	{"exponential", Exponential, []string{"mean"}},
	{"lognormal", LogNormal, []string{"median", "p95"}},
	{"quantiles", Quantiles, []string{"points"}},
}

func formOf(d *Dist) form {
	for _, f := range forms {
		if f.shape == d.Shape {
			return f
		}
	}
	return forms[0]
}

func formNames() []string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.name
	}
	return names
}

// distOf reads a distribution of a unit: a number, which is always the same, or an object that names a shape and its
// numbers, {"dist": "lognormal", "median_ms": 40, "p95_ms": 310}.
func distOf(unit string) func(json.RawMessage) (*Dist, error) {
	return func(value json.RawMessage) (*Dist, error) {
		d := &Dist{}
		if value[0] != '{' {
			var err error
			d.First, err = amount(value)
			return d, err
		}
		return d, d.readObject(value, unit)
	}
}

func (d *Dist) readObject(value json.RawMessage, unit string) error {
	ms, err := members(value)
	if err != nil {
		return err
	}
	name := ""
	for _, m := range ms {
		if m.name == "dist" {
			if name, err = text(m.value); err != nil {
				return under(m.name, err)
			}
		}
	}
	for _, f := range forms {
		if f.name != name {
			continue
		}
		d.Shape = f.shape
		if err := readObject(value, f.fields(unit), d); err != nil {
			return err
		}
		for _, n := range f.numbers {
			if n += "_" + unit; !slices.ContainsFunc(ms, func(m member) bool { return m.name == n && !isNull(m.value) }) {
				return fmt.Errorf("%s is missing", n)
			}
		}
		return nil
	}
	if name == "" {
		return fmt.Errorf("dist is missing; known are %s", strings.Join(formNames(), ", "))
	}
	return under("dist", misspelt("unknown distribution", name, formNames()))
}

// fields are those of the object that stands for a form, all of which it has to have.
func (f form) fields(unit string) []field[Dist] {
	list := append(make([]field[Dist], 0, 1+len(f.numbers)), field[Dist]{"dist", nil})
	for i, n := range f.numbers {
		read := set(func(d *Dist) *float64 {
			if i == 0 {
				return &d.First
			}
			return &d.Second
		}, amount)
		if f.shape == Quantiles {
			read = set(func(d *Dist) *[]Point { return &d.Points }, points)
		}
		list = append(list, field[Dist]{n + "_" + unit, read})
	}
	return list
}

func points(value json.RawMessage) ([]Point, error) {
	return bounded(value, maxFanRequests, func(v json.RawMessage) (Point, error) {
		pair, err := list(v, amount)
		if err == nil && len(pair) != 2 {
			err = fmt.Errorf("%d numbers where a share and a value are expected", len(pair))
		}
		if err != nil {
			return Point{}, err
		}
		return Point{pair[0], pair[1]}, nil
	})
}

// amount reads a number that is not negative.
func amount(value json.RawMessage) (float64, error) {
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !math.IsInf(f, 0) || value[0] == '"' {
		return 0, fmt.Errorf("%s where a number is expected", describe(value))
	}
	if !(f >= 0 && f <= longest) {
		return 0, fmt.Errorf("%s is not between 0 and %d", describe(value), int64(longest))
	}
	return f + 0, nil // no negative zero
}

// positive reads a number above 0 and up to a bound.
func positive(most float64) func(json.RawMessage) (float64, error) {
	return func(value json.RawMessage) (float64, error) {
		f, err := amount(value)
		if err == nil && !(f > 0 && f <= most) {
			err = fmt.Errorf("%s is not above 0 and at most %v", describe(value), most)
		}
		return f, err
	}
}

func factor(value json.RawMessage) (float64, error) {
	f, err := amount(value)
	if err == nil && !(f >= 1 && f <= 1000) {
		err = fmt.Errorf("%s is not between 1 and 1000", describe(value))
	}
	return f, err
}

// json is the distribution as a fan file writes it.
func (d *Dist) json(unit string) any {
	if d == nil {
		return nil
	}
	f := formOf(d)
	if f.shape == Constant {
		return d.First
	}
	o := object{{"dist", f.name}}
	switch f.shape {
	case Quantiles:
		pairs := make([][2]float64, len(d.Points))
		for i, p := range d.Points {
			pairs[i] = [2]float64{p.P, p.Value}
		}
		o = append(o, pair{"points_" + unit, pairs})
	default:
		for i, n := range f.numbers {
			o = append(o, pair{n + "_" + unit, [...]float64{d.First, d.Second}[i]})
		}
	}
	return o
}

// ParseDist reads a distribution as a flag gives it: 40, uniform:10,90, exponential:50, lognormal:40,310 (the median and
// the value that 95 of 100 do not exceed) or quantiles:0=5,0.5=40,1=900.
func ParseDist(s string) (*Dist, error) {
	name, numbers, named := strings.Cut(s, ":")
	if !named {
		name, numbers = "constant", s
	}
	d := &Dist{}
	for _, f := range forms {
		if f.name != name {
			continue
		}
		d.Shape = f.shape
		if err := d.parse(f, strings.Split(numbers, ",")); err != nil {
			return nil, err
		}
		return d, d.check()
	}
	return nil, misspelt("unknown distribution", name, formNames())
}

func (d *Dist) parse(f form, words []string) (err error) {
	if f.shape == Quantiles {
		for _, w := range words {
			share, value, ok := strings.Cut(w, "=")
			if !ok {
				return fmt.Errorf("%s is no pair such as 0.5=40", quoted(w))
			}
			var p Point
			if p.P, err = parseAmount(share); err == nil {
				p.Value, err = parseAmount(value)
			}
			if err != nil {
				return err
			}
			d.Points = append(d.Points, p)
		}
		return nil
	}
	if len(words) != len(f.numbers) {
		return fmt.Errorf("%d numbers; %s has %d: %s", len(words), f.name, len(f.numbers), strings.Join(f.numbers, ","))
	}
	if d.First, err = parseAmount(words[0]); err == nil && len(words) > 1 {
		d.Second, err = parseAmount(words[1])
	}
	return err
}

func parseAmount(s string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f >= 0 && f <= longest) {
		return 0, errors.New(quoted(s) + " is no number from 0 to 1000000000")
	}
	return f + 0, nil
}

// String is the distribution as a flag gives it.
func (d *Dist) String() string {
	f := formOf(d)
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch {
	case f.shape == Constant:
		return number(d.First)
	case f.shape == Quantiles:
		words := make([]string, len(d.Points))
		for i, p := range d.Points {
			words[i] = number(p.P) + "=" + number(p.Value)
		}
		return f.name + ":" + strings.Join(words, ",")
	case len(f.numbers) == 1:
		return f.name + ":" + number(d.First)
	}
	return f.name + ":" + number(d.First) + "," + number(d.Second)
}
