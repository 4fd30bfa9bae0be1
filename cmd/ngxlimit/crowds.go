package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// options reads who is to load what, and when.
func (f *simulateFlags) options() (simulate.Options, error) {
	o := simulate.Options{
		Host: f.host, Protocol: simulate.Protocol(f.protocol.value), UpstreamMs: constant(f.upstream), RTTMs: constant(f.rtt), Seed: f.seed,
		KeepRequests: f.format.value == "json" || f.format.value == "csv", Detail: f.format.value == "json" || f.format.value == "html",
	}
	crowd := simulate.Crowd{Clients: f.clients, PerAddress: []int{f.perAddress}, Repeat: f.repeat}
	var err error
	if crowd.Arrival, err = arrival(f.arrival); err != nil {
		return o, err
	}
	if crowd.Every, err = seconds(f.every); err != nil {
		return o, fmt.Errorf("--every: %w", err)
	}
	if f.requests != "" {
		return o, nil
	}
	name := f.fan
	if name == "" {
		name = defaultFan
	}
	if crowd.Fan, err = findFan(name); err != nil {
		return o, fmt.Errorf("--fan: %w", err)
	}
	o.Crowds = append(o.Crowds, crowd)
	return o, bounded(&o)
}

// constant is a time that is always the same; nil for one that was not given.
func constant(ms int) *traffic.Dist {
	if ms < 0 {
		return nil
	}
	return &traffic.Dist{Shape: traffic.Constant, First: float64(ms)}
}

// maxSimulated bounds the requests of one run, so that a slip of the finger does not fill the memory.
const maxSimulated = 20_000_000

func bounded(o *simulate.Options) error {
	if n := o.Requests(); n > maxSimulated {
		return fmt.Errorf("%d requests are more than the %d that one run may have", n, maxSimulated)
	}
	return nil
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
