// Package mend looks for the smallest change of a configuration that lets people through. It knows which changes there
// are and how invasive each is; it judges none by itself: each is made in the configuration's text, read and resolved
// again, and the same traffic is run through it.
package mend

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// What a search may cost at most: requests that are simulated, and bytes of configuration that are resolved again.
const (
	maxRequests = 6_000_000
	maxBytes    = 200 << 20
)

// unnoticedMs is the longest wait for one request that people do not notice.
const unnoticedMs = 100

// Find looks for the smallest change after which the people of a run are neither refused nor held up noticeably, and an
// attack beside them still is. It returns nil where they suffer nothing, or where nobody comes but attackers. The options and the result are those of the run.
func Find(tree *config.Tree, o simulate.Options, r *simulate.Result) (*simulate.Mend, error) {
	m := &simulate.Mend{Before: r.Figures(), Tried: []simulate.Change{}}
	if r.Page == nil || r.OnlyAttacks() || m.Before.Delayed+m.Before.Rejected == 0 {
		return nil, nil
	}
	s, err := newSearch(tree, o, r)
	if err != nil {
		return nil, fmt.Errorf("look for a change: %w", err)
	}
	if cost := s.o.Requests(); cost*4 > maxRequests {
		m.Note = fmt.Sprintf("no change was looked for: a run has %d requests, and a search of a dozen runs would take too long", cost)
		return m, nil
	}
	for _, c := range s.candidates() {
		if !s.affordable() {
			m.Note = "the search was cut short: further changes were not tried"
			break
		}
		if change, ok := s.try(&c); ok {
			m.Tried = append(m.Tried, change)
		}
	}
	slices.SortStableFunc(m.Tried, func(a, b simulate.Change) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(len(a.Edits), len(b.Edits)))
	})
	if i := slices.IndexFunc(m.Tried, func(c simulate.Change) bool { return c.Mends }); i >= 0 {
		m.Change = &m.Tried[i]
	}
	if m.Change != nil && o.Detail {
		m.After, _ = s.run(m.Change.Spans, o)
	}
	return m, nil
}

// A search is one under way.
type search struct {
	tree   *config.Tree
	o      simulate.Options // without what no trial needs
	r      *simulate.Result
	server int // index of the server whose pages are loaded
	host   string
	base   candidate // what has to be changed before anything else makes sense

	requests, bytes int64 // spent
}

// A candidate is a change to be tried.
type candidate struct {
	kind, title string
	cost        int
	edits       []source.Edit
}

// and puts two changes together.
func (c candidate) and(d candidate) candidate {
	switch {
	case c.kind == "":
		return d
	case d.kind == "":
		return c
	}
	return candidate{
		kind: c.kind + "+" + d.kind, title: c.title + ", " + d.title, cost: c.cost + d.cost,
		edits: append(slices.Clone(c.edits), d.edits...),
	}
}

func newSearch(tree *config.Tree, o simulate.Options, r *simulate.Result) (*search, error) {
	o.KeepRequests, o.Detail, o.Progress = false, false, nil
	server, host, err := simulate.ServerOf(tree, route.New(tree), &o)
	if err != nil {
		return nil, err
	}
	return &search{tree: tree, o: o, r: r, server: slices.Index(tree.HTTP.Servers, server), host: host}, nil
}

// affordable says whether there is room for one more trial.
func (s *search) affordable() bool {
	return s.requests+s.o.Requests() <= maxRequests && s.bytes+s.size() <= maxBytes
}

func (s *search) size() int64 {
	var n int64
	for _, d := range s.tree.Input.Documents {
		n += int64(len(d.File.Text))
	}
	return n
}

// try makes a change and runs the traffic through it; ok is false for one that nginx would refuse.
func (s *search) try(c *candidate) (change simulate.Change, ok bool) {
	r, ok := s.run(c.edits, s.o)
	if !ok {
		return simulate.Change{}, false
	}
	return simulate.Change{
		Kind: c.kind, Title: c.title, Cost: c.cost, Mends: s.mends(r), After: r.Figures(), Feels: r.Feeling, Edits: tell(c.edits), Spans: c.edits,
	}, true
}

// run runs traffic through an edited configuration.
func (s *search) run(edits []source.Edit, o simulate.Options) (*simulate.Result, bool) {
	tree, ok := s.edited(edits)
	if !ok {
		return nil, false
	}
	o.Server, o.Host = tree.HTTP.Servers[s.server], s.host
	s.requests += o.Requests()
	r, err := simulate.Run(tree, route.New(tree), o)
	return r, err == nil
}

// edited returns the configuration with edits made; ok is false where nginx would refuse more of it than before.
func (s *search) edited(edits []source.Edit) (*config.Tree, bool) {
	s.bytes += s.size()
	in, err := s.tree.Input.Edited(edits)
	if err != nil {
		return nil, false
	}
	tree := config.Resolve(in, config.Options{Version: s.tree.Version})
	return tree, tree.HTTP != nil && len(tree.HTTP.Servers) == len(s.tree.HTTP.Servers) && refusals(tree) <= refusals(s.tree)
}

func refusals(t *config.Tree) int {
	n := t.LeftOut
	for i := range t.Refusals {
		if !t.Refusals[i].Warning {
			n++
		}
	}
	return n
}

// mends says whether people notice nothing any more, and an attack is still refused as before.
func (s *search) mends(r *simulate.Result) bool {
	was, is := s.r.Figures(), r.Figures()
	p := r.Page
	switch {
	case is.Rejected > 0 || is.BrokenPages > 0:
		return false
	case is.Delayed > 0 && (is.AddedMaxMs > unnoticedMs || p.LimitedMs.P95 > p.UnlimitedMs.P95+unnoticedMs):
		return false
	}
	refusedWas, refusedIs := was.AttackAll-was.AttackThrough, is.AttackAll-is.AttackThrough
	return int64(refusedIs)*int64(max(was.AttackAll, 1))*10 >= int64(refusedWas)*int64(max(is.AttackAll, 1))*9
}

// onlyPeople are the options without attacks.
func onlyPeople(o simulate.Options) simulate.Options {
	people := slices.DeleteFunc(slices.Clone(o.Crowds), func(c simulate.Crowd) bool { return c.Fan.Role != traffic.People })
	if len(people) > 0 {
		o.Crowds = people
	}
	return o
}

// tell shows edits as findings do.
func tell(edits []source.Edit) []simulate.Edit {
	list := make([]simulate.Edit, len(edits))
	for i, e := range edits {
		list[i] = simulate.Edit{
			File: e.Span.File.Path, Line: e.Span.From().Line, Offset: int(e.Span.Start), Length: int(e.Span.End - e.Span.Start),
			Old: e.Span.Text(), Text: e.Text,
		}
	}
	return list
}
