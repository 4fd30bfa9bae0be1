package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
)

// A choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

func oneOf(value string, allowed ...string) *choice { return &choice{value, allowed} }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("want %s", strings.Join(c.allowed, ", "))
	}
	c.value = s
	return nil
}

// nonEmpty refuses an empty text, which a script hands over where a variable of it is not set: leaving the flag out says
// that nothing was chosen.
type nonEmpty struct{ pflag.Value }

func (n nonEmpty) Set(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	return n.Value.Set(s)
}

// whole is a flag that takes any whole number that is not negative.
type whole struct{ value *uint64 }

func (n whole) String() string { return strconv.FormatUint(*n.value, 10) }
func (n whole) Type() string   { return "N" }

func (n whole) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*n.value = v
	return nil
}

// words is a flag that takes names separated by commas, and may be repeated.
type words []string

func (w *words) String() string { return strings.Join(*w, ",") }
func (w *words) Type() string   { return "NAME,..." }

func (w *words) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return fmt.Errorf("an empty name in %q", s)
		}
		*w = append(*w, word)
	}
	return nil
}

// pairs is a repeatable flag of the form LEFT=RIGHT.
type pairs struct {
	left, right string // what stands on each side, for the help
	values      map[string]string
}

func (p *pairs) Type() string   { return p.left + "=" + p.right }
func (p *pairs) String() string { return "" }

func (p *pairs) Set(s string) error {
	left, right, ok := strings.Cut(s, "=")
	if !ok || left == "" || right == "" {
		return fmt.Errorf("want %s=%s", p.left, p.right)
	}
	if p.values == nil {
		p.values = map[string]string{}
	}
	p.values[left] = right
	return nil
}

// counts is a repeatable flag of the form NAME=N.
type counts struct {
	name   string
	values map[string]int64
}

func (c *counts) Type() string   { return c.name + "=N" }
func (c *counts) String() string { return "" }

func (c *counts) Set(s string) error {
	name, text, _ := strings.Cut(s, "=")
	n, err := strconv.ParseInt(text, 10, 64)
	if name == "" || err != nil || n < 1 {
		return fmt.Errorf("want %s=N with a whole number N of at least 1", c.name)
	}
	if c.values == nil {
		c.values = map[string]int64{}
	}
	c.values[name] = n
	return nil
}

// number is a flag that takes a whole number from 1 to a bound.
type number struct {
	value *int
	most  int
}

func atMost(value *int, preset, most int) *number {
	*value = preset
	return &number{value, most}
}

func (n *number) String() string { return strconv.Itoa(*n.value) }
func (n *number) Type() string   { return "N" }

func (n *number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 || v > n.most {
		return fmt.Errorf("want a whole number from 1 to %d", n.most)
	}
	*n.value = v
	return nil
}

// share is a flag that takes a part of a whole, written as a number or in percent: 0.05, 5%. What of it is allowed its
// command says.
type share struct{ value *float64 }

func (n share) String() string { return decimal(n).String() }
func (n share) Type() string   { return "share" }

func (n share) Set(s string) error {
	if digits, percent := strings.CutSuffix(s, "%"); percent {
		s = strings.TrimSpace(digits) + "e-2" // not divided by 100, of which 99.9 would come out as a little more than 0.999
	}
	v, ok := finite(s)
	if !ok {
		return errors.New("want a share, as in 0.05 or 5%")
	}
	*n.value = v
	return nil
}

// decimal is a flag that takes a number, as in 1.5.
type decimal struct{ value *float64 }

func (n decimal) String() string { return strconv.FormatFloat(*n.value, 'g', -1, 64) }
func (n decimal) Type() string   { return "number" }

func (n decimal) Set(s string) error {
	v, ok := finite(s)
	if !ok {
		return errors.New("want a number, as in 1.5")
	}
	*n.value = v
	return nil
}

// finite reads a number; ParseFloat alone takes "nan" and "inf", which no comparison with a bound refuses.
func finite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// window is a flag that takes a time, in seconds or with a unit: 300, 5m.
type window struct{ value *time.Duration }

func (n window) String() string { return n.value.String() }
func (n window) Type() string   { return "time" }

func (n window) Set(s string) (err error) {
	d, err := seconds(s)
	if err == nil {
		*n.value = d
	}
	return err
}

// seconds reads a time in seconds, as the contract writes it: 60, 0.5. A unit as in 500ms is understood too.
func seconds(s string) (time.Duration, error) {
	const most = 7 * 24 * time.Hour
	d, err := time.ParseDuration(s)
	if err != nil {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0 && v <= most.Seconds()) {
			return 0, fmt.Errorf("%q is no time: want seconds, as in 60 or 0.5", s)
		}
		d = time.Duration(v * float64(time.Second))
	}
	if d < 0 || d > most {
		return 0, fmt.Errorf("%q is no time between 0 and a week", s)
	}
	return d, nil
}

// unknownName words the refusal of a name, with the nearest that there is.
func unknownName(kind, name string, known []string) error {
	if near := spelling.Nearest(name, known); near != "" {
		return fmt.Errorf("unknown %s %q: did you mean %q?", kind, name, near)
	}
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there is none", kind, name)
	}
	return fmt.Errorf("unknown %s %q: want %s", kind, name, strings.Join(known, ", "))
}
