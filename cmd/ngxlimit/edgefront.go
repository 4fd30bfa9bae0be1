package main

import (
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// edgeFront is an edge that has been read, and the way from it to nginx.
type edgeFront struct {
	rules *edgeRules
	chain chain.Chain // empty where nothing tells it
	ways  []chain.Way // through it
	said  []string
}

// front reads the edge that stands in front of nginx; nil where there is none. Without ways of their own, clients come to
// nginx from the networks of the edge.
func (f *edgeFlags) front(a *app) (*edgeFront, error) {
	if len(f.paths) == 0 {
		return nil, f.unasked()
	}
	rules, err := f.readEdge(f.paths)
	if err != nil {
		return nil, err
	}
	a.noteEdge(rules)
	a.tellEdge(rules)
	return edgeFrontOf(rules)
}

// edgeFrontOf finds the way from an edge to nginx.
func edgeFrontOf(rules *edgeRules) (*edgeFront, error) {
	if _, err := rules.layer(); err != nil {
		return nil, err
	}
	e := &edgeFront{rules: rules}
	if rules.aws != nil {
		e.said = []string{"AWS WAF stands on a load balancer or on CloudFront, and the rules do not tell where: clients connect to nginx themselves unless --via says otherwise"}
		return e, nil
	}
	table, err := frontsHere()
	if err != nil {
		return nil, err
	}
	members, err := chain.Parse([]string{"cloudflare"})
	if err != nil {
		return nil, err
	}
	e.chain = members.Bind(table, nil)
	e.ways, _ = e.chain.Ways(nil, false)
	return e, nil
}

// layer makes the layer anew. That it can be made was seen when the rules were read.
func (e *edgeFront) layer() edge.Layer {
	l, err := e.rules.layer()
	if err != nil {
		panic(err) // front made one
	}
	return l
}
