package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// tuneFans tunes for page loads.
func (a *app) tuneFans(f *tuneFlags, tree *config.Tree, o tune.Options, t *report.Tuning) (verification, error) {
	options, people, err := f.options(false)
	if err != nil {
		return nil, err
	}
	said, err := f.addFans(a, tree, people, &options)
	if err != nil {
		return nil, err
	}
	f.tellHost(a, tree, options.Host)
	visits, err := visitsOf(tree, options)
	if err != nil {
		return nil, err
	}
	if err := tellApart(tree, options, &o); err != nil {
		return nil, err
	}
	c := tune.NewCollector(tree, route.New(tree), o)
	for i := range visits {
		if err := c.Add(&visits[i]); err != nil {
			return nil, err
		}
	}
	if t.Plan, err = c.Plan(); err != nil {
		return nil, err
	}
	t.Plan.Notes = append(t.Plan.Notes, said...)
	t.Traffic = crowdsTitle(options.Crowds)
	server, host, err := simulate.ServerOf(tree, route.New(tree), &options)
	if err != nil {
		return nil, err
	}
	n := slices.Index(tree.HTTP.Servers, server)
	return func(edited *config.Tree) (tune.Figures, error) {
		options.Server, options.Host = edited.HTTP.Servers[n], host
		r, err := simulate.Run(edited, route.New(edited), options)
		if err != nil {
			return tune.Figures{}, err
		}
		was := r.Figures()
		return tune.Figures{
			Requests: was.Requests, Delayed: was.Delayed, Refused: was.Rejected,
			AttackRequests: was.AttackAll, AttackRefused: was.AttackAll - was.AttackThrough,
		}, nil
	}, nil
}

// crowdsTitle names who comes.
func crowdsTitle(crowds []simulate.Crowd) string {
	words := make([]string, 0, len(crowds))
	for _, c := range crowds {
		words = append(words, fmt.Sprintf("%q, %s", c.Fan.Name, rule.Plural(int64(max(c.Clients, 1)), "client", "clients")))
	}
	return strings.Join(words, "; ")
}

// visitsOf are the requests that the crowds send where nothing is limited.
func visitsOf(tree *config.Tree, o simulate.Options) ([]tune.Visit, error) {
	var visits []tune.Visit
	o.NoLimits, o.Detail, o.KeepRequests = true, false, false
	o.Sent = func(at clock.Msec, req *request.Request) {
		visits = append(visits, tune.Visit{At: int64(at), Request: req})
	}
	if _, err := simulate.Run(tree, route.New(tree), o); err != nil {
		return nil, err
	}
	return visits, nil
}

// tellApart lets tune know who attacks: whoever is not among the people, where these come alone.
func tellApart(tree *config.Tree, o simulate.Options, to *tune.Options) error {
	isAttack := func(c simulate.Crowd) bool { return c.Fan.Role == traffic.Attack }
	if !slices.ContainsFunc(o.Crowds, isAttack) {
		if to.People == nil {
			to.People = func(string) bool { return true }
		}
		return nil
	}
	o.Crowds = slices.DeleteFunc(slices.Clone(o.Crowds), isAttack)
	if len(o.Crowds) == 0 {
		return errors.New("only attacks come: limits are made for people, name a page load with --fan as well")
	}
	visits, err := visitsOf(tree, o)
	if err != nil {
		return err
	}
	alone := tune.NewCollector(tree, route.New(tree), *to)
	for i := range visits {
		if err := alone.Add(&visits[i]); err != nil {
			return err
		}
	}
	people := make(map[string]bool)
	for _, name := range alone.Clients() {
		people[name] = true
	}
	named := to.Attackers
	to.People = func(name string) bool { return people[name] && (named == nil || !named(name)) }
	to.Attackers = func(name string) bool { return !people[name] || named != nil && named(name) }
	return nil
}
