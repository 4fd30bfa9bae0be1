package main

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/replay"
)

// replayed is the edge as logged requests pass it; nil where there is none.
func (e *edgeFront) replayed() (*replay.Edge, error) {
	if e == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	r := &replay.Edge{Layer: e.layer()}
	if e.rules.aws != nil {
		return r, nil
	}
	table, err := frontsHere()
	if err != nil {
		return nil, err
	}
	if front := table.Find("cloudflare"); front != nil {
		r.Networks, r.Header = front.Set(), "CF-Connecting-IP"
	}
	return r, nil
}

// withoutEdge replays the same logs without the edge, to say what nginx alone does; nil where there is no edge, and where a
// log comes only once.
func withoutEdge(e *replay.Edge, names []string, run func(*replay.Edge) (*replay.Part, error)) (*replay.Part, error) {
	if e == nil || slices.ContainsFunc(names, comesOnce) {
		return nil, nil //nolint:nilnil // it is not tried
	}
	return run(nil)
}
