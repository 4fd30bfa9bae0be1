package main

import (
	"errors"
	"fmt"
	"iter"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// tellHost warns where no server has the host that fans go to among its names, as it is probably misspelt.
func (f *simulateFlags) tellHost(a *app, tree *config.Tree, host string) {
	if host == "" || simulate.Serves(tree, route.New(tree), host) {
		return
	}
	from := "the recording's host " + host
	switch {
	case f.base.text != "":
		from = "--base-url " + f.base.text
	case f.host != "":
		from = "--host " + host
	}
	complain(a.stderr, fmt.Errorf("warning: %s: no server has the name %q", from, host))
}

// maxHosts bounds for how many hosts it is remembered whether a server has them among its names.
const maxHosts = 10_000

// strangers counts the requests to hosts that no server has among its names.
type strangers struct {
	tree   *config.Tree
	router *route.Router
	known  map[string]bool
	made   string // the host of requests that name none, which nobody chose

	first string
	n     int
}

// count passes requests on, and counts those of them.
func (s *strangers) count(all iter.Seq2[traffic.Event, error]) iter.Seq2[traffic.Event, error] {
	return func(yield func(traffic.Event, error) bool) {
		for e, err := range all {
			if host := e.Request.Host; err == nil && host != s.made && !s.serves(host) {
				if s.n == 0 {
					s.first = host
				}
				s.n++
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (s *strangers) serves(host string) bool {
	is, ok := s.known[host]
	if !ok {
		is = simulate.Serves(s.tree, s.router, host)
		if len(s.known) < maxHosts {
			s.known[host] = is
		}
	}
	return is
}

// told warns of them, and returns what is to be said with the result.
func (s *strangers) told(a *app) []string {
	if s.n == 0 {
		return nil
	}
	requests := numeral.Count(s.n) + " requests go"
	if s.n == 1 {
		requests = "1 request goes"
	}
	text := fmt.Sprintf("%s to a host that no server has as a name, the first to %q: the default server takes such a one", requests, s.first)
	complain(a.stderr, errors.New("warning: "+text))
	return []string{text}
}
