package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// options reads when and from where clients come; which fans they load needs the configuration, see addFans. A terminal is
// shown the course of it in text too.
func (f *simulateFlags) options(terminal bool) (simulate.Options, simulate.Crowd, error) {
	o := simulate.Options{
		Host: f.host, Protocol: simulate.Protocol(f.protocol.value), UpstreamMs: f.upstream.Dist, RTTMs: f.rtt.Dist, Seed: f.seed,
		KeepRequests: f.format.value == "csv" || f.format.value == "json" && !f.noRequests,
		Detail:       f.format.value == "json" || f.format.value == "html" || f.format.value == "text" && terminal,
	}
	people, err := f.people()
	if err != nil {
		return o, people, err
	}
	for _, text := range f.via {
		c, err := viaWay(text, f.viaHeader)
		if err != nil {
			return o, people, fmt.Errorf("--via: %w", err)
		}
		o.Via = append(o.Via, c)
	}
	return o, people, nil
}

// people reads how many people come, and when: without --clients as many as --clients-per-address lists, be it one address.
func (f *simulateFlags) people() (c simulate.Crowd, err error) {
	c = simulate.Crowd{Clients: f.clients, PerAddress: f.perAddress, Repeat: f.repeat, Every: defaultEvery}
	if c.Clients == 0 {
		c.Clients = f.perAddress.sum()
	}
	if c.Arrival, err = arrival(f.arrival); err != nil {
		return c, err
	}
	if f.every != "" {
		if c.Every, err = seconds(f.every); err != nil {
			return c, fmt.Errorf("--every: %w", err)
		}
	}
	return c, nil
}

// defaultEvery is the time from one load of a person to the next where nobody says otherwise.
const defaultEvery = time.Minute

// testNames reads --test.
func (f *simulateFlags) testNames() ([]string, error) {
	var names []string
	for _, name := range f.tests {
		switch {
		case name == "all":
			return simulate.TestNames, nil
		case !slices.Contains(simulate.TestNames, name):
			return nil, fmt.Errorf("--test: %w", unknownName("test", name, append(slices.Clone(simulate.TestNames), "all")))
		}
		names = append(names, name)
	}
	return names, nil
}

// testOptions leaves the time between loads to the tests where it was not given.
func (f *simulateFlags) testOptions(o simulate.Options) simulate.Options {
	o.Crowds = slices.Clone(o.Crowds)
	for i := range o.Crowds {
		if f.every == "" {
			o.Crowds[i].Every = 0
		}
	}
	return o
}

// What one run may take, so that a slip of the finger fills neither the memory nor the day.
const (
	maxSimulated = 1_000_000_000 // requests
	maxMemory    = 4 << 30       // bytes
)

// bounded says what a run would need where that is too much.
func bounded(o *simulate.Options) error {
	n := o.Requests()
	if n > maxSimulated {
		return fmt.Errorf("%s requests are more than the %s that one run may have", numeral.Count(n), numeral.Count(maxSimulated))
	}
	if o.Memory() <= maxMemory {
		return nil
	}
	need := fmt.Sprintf("needs about %.1f GB of memory, more than the %d GB that it may take", float64(o.Memory())/(1<<30), maxMemory>>30)
	if o.KeepRequests {
		return fmt.Errorf("a list of %s requests %s: --no-requests leaves the list out of json, and text has none", numeral.Count(n), need)
	}
	return fmt.Errorf("a run with so many clients at the same time %s: let them come over a time, as with --arrival poisson:600", need)
}

// arrival reads --arrival.
func arrival(text string) (simulate.Arrival, error) {
	kind, span, _ := strings.Cut(text, ":")
	kinds := map[string]simulate.ArrivalKind{"poisson": simulate.Poisson, "every": simulate.Every}
	if text == "together" {
		return simulate.Arrival{Kind: simulate.Together}, nil
	}
	k, ok := kinds[kind]
	if !ok {
		return simulate.Arrival{}, fmt.Errorf("--arrival %s: want together, poisson:SECONDS or every:SECONDS", strconv.Quote(text))
	}
	d, err := seconds(span)
	if err != nil {
		return simulate.Arrival{}, fmt.Errorf("--arrival: %w", err)
	}
	return simulate.Arrival{Kind: k, Span: d.Round(time.Millisecond)}, nil
}
