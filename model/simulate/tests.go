package simulate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// The tests that every limit should pass.
const (
	ShortBurst    = "short-burst"    // everybody opens the page at once
	RepeatedBurst = "repeated-burst" // and again, and again
	Recovery      = "recovery"       // after more than the limits let through, the page comes up again
)

// TestNames are the names of the tests, in the order in which they are run.
var TestNames = []string{ShortBurst, RepeatedBurst, Recovery}

const (
	// bursts is how often a burst is repeated where nobody says otherwise.
	bursts = 3
	// patience is how long somebody waits before trying again.
	patience = 10 * time.Second
	// unnoticed is the longest wait for one request that a test lets pass, in milliseconds.
	unnoticed = 100
)

// A Test is one test and what came of it.
type Test struct {
	Name    string  `json:"name"`
	Passed  bool    `json:"passed"`
	Message string  `json:"message"` // what was done, and what came of it
	Figures Figures `json:"figures"`

	UnlimitedP95Ms int64  `json:"unlimited_p95_ms"`        // page time without limits
	RecoveredMs    *int64 `json:"recovered_ms,omitempty"`  // recovery: from how long after the overload on the page is whole; nil: never
	EmptyMs        *int64 `json:"empty_ms,omitempty"`      // likewise, until the fullest bucket was empty of the overload
	AllowedMs      int64  `json:"allowed_ms,omitempty"`    // likewise, what passes
	OverloadSent   int    `json:"overload_sent,omitempty"` // likewise, requests of the overload
}

// Tests runs tests by their names with the people of the options. Each of them opens the page at the same instant: how they
// arrive is part of the test. A crowd's Every takes the place of ten seconds, and a Repeat over one that of three bursts.
func Tests(tree *config.Tree, router *route.Router, options Options, names []string) ([]Test, error) {
	o, err := options.normal()
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	o.KeepRequests, o.Detail, o.Progress = false, false, nil
	if o.Crowds = peopleOf(options.Crowds); len(o.Crowds) == 0 {
		return nil, errors.New("simulate: the tests ask what people suffer, and nobody comes but attackers")
	}
	for i := range o.Crowds {
		c := &o.Crowds[i]
		c.Arrival, c.Start = Arrival{}, 0
		if c.Every == 0 {
			c.Every = patience
		}
	}
	list := make([]Test, 0, len(names))
	for _, name := range TestNames {
		if !slices.Contains(names, name) {
			continue
		}
		var t Test
		switch name {
		case ShortBurst:
			t, err = burst(tree, router, o, 1)
		case RepeatedBurst:
			t, err = burst(tree, router, o, bursts)
		case Recovery:
			t, err = recovery(tree, router, o)
		}
		if err != nil {
			return nil, err
		}
		t.Name = name
		list = append(list, t)
	}
	if len(list) == 0 {
		return nil, errors.New("simulate: no test has that name; there are " + strings.Join(TestNames, ", "))
	}
	return list, nil
}

// peopleOf are the crowds of people.
func peopleOf(crowds []Crowd) []Crowd {
	return slices.DeleteFunc(slices.Clone(crowds), func(c Crowd) bool { return c.Fan.Role != traffic.People })
}

// burst has everybody open the page at once, so many times.
func burst(tree *config.Tree, router *route.Router, o Options, times int) (Test, error) {
	clients := 0
	every := o.Crowds[0].Every
	for i := range o.Crowds {
		c := &o.Crowds[i]
		if times == 1 || c.Repeat <= 1 {
			c.Repeat = times
		}
		times = max(times, c.Repeat)
		clients += max(c.Clients, 1)
	}
	r, err := Run(tree, router, o)
	if err != nil {
		return Test{}, err
	}
	t := Test{Passed: untouched(r), Figures: r.Figures(), UnlimitedP95Ms: r.Page.UnlimitedMs.P95}
	what := number(clients, "client") + " at once"
	if times > 1 {
		what += fmt.Sprintf(", %d times, %s apart", times, clock.Words(every.Milliseconds()))
	}
	t.Message = what + ": " + outcome(&t.Figures)
	return t, nil
}

// untouched says whether nobody notices a limit.
func untouched(r *Result) bool {
	f := r.Figures()
	return f.Rejected == 0 && f.BrokenPages == 0 && f.AddedMaxMs <= unnoticed
}

// outcome tells what people noticed.
func outcome(f *Figures) string {
	var parts []string
	if f.Rejected > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s refused", numeral.Count(f.Rejected), number(f.Requests, "request")))
	}
	if f.BrokenPages > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s broken", numeral.Count(f.BrokenPages), number(f.Pages, "page")))
	}
	if f.Delayed > 0 {
		parts = append(parts, fmt.Sprintf("%s held up, for up to %s", numeral.Count(f.Delayed), clock.AtMost(f.AddedMaxMs)))
	}
	if len(parts) == 0 {
		return "nothing refused, nothing held up"
	}
	return strings.Join(parts, ", ")
}
