package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A profile is where the time of a command goes: its steps one after the other, and the rules, which run side by side and
// share what several of them ask for first. A nil profile measures nothing.
type profile struct {
	last  time.Time
	steps []measured

	mu    sync.Mutex
	rules map[string]time.Duration
}

type measured struct {
	what string
	took time.Duration
}

func newProfile(wanted bool) *profile {
	if !wanted {
		return nil
	}
	return &profile{last: time.Now(), rules: map[string]time.Duration{}}
}

// step says that what took place since the last step was this.
func (p *profile) step(what string) {
	if p == nil {
		return
	}
	now := time.Now()
	p.steps = append(p.steps, measured{what, now.Sub(p.last)})
	p.last = now
}

// around measures a rule until the function that it returns is called. Several rules may be under way.
func (p *profile) around(r *rule.Rule) (done func()) {
	if p == nil {
		return func() {}
	}
	start := time.Now()
	return func() {
		took := time.Since(start)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rules[r.Name] += took
	}
}

// write tells the steps in their order, and the rules from the slowest on.
func (p *profile) write(w io.Writer) error {
	if p == nil {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(p.rules), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.rules[b], p.rules[a]), cmp.Compare(a, b))
	})
	lines := p.steps
	for _, name := range names {
		lines = append(lines, measured{"rule " + name, p.rules[name]})
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(w, "%9.1f ms  %s\n", float64(l.took.Microseconds())/1000, l.what); err != nil {
			return fmt.Errorf("write the profile: %w", err)
		}
	}
	return nil
}
