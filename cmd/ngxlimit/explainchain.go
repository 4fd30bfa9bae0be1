package main

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// explainChain explains a request that comes through a chain: the first way through it is told step by step, and of the
// others what comes of them. A peer that was given is where the last proxy connects from.
func explainChain(p *pipeline.Pipeline, facts *rule.Facts, e traffic.Event, c chain.Chain) report.Explanation {
	if e.Request.Method == "" {
		e.Request.Method = "GET"
	}
	peer := e.Request.Peer
	e.Request.Peer = e.Client
	direct := e.Request
	server := p.Fresh().Do(clock.Up, &direct).Server // which one takes a request does not hang on who connects
	ways, said := waysTo(facts, server, c)
	if peer != e.Client {
		ways = ways[:1]
		ways[0][len(c)-1].Node = netip.PrefixFrom(peer, peer.BitLen()) // not valid for a unix socket, as its peer
	}
	var out report.Explanation
	for i, w := range ways {
		t, r, cfg := walk(p, &e, w)
		if i == 0 {
			out = report.Explain(e.Request.Method, e.URL, &t)
			out.Client.Proxied = true
			out.Chain = report.ExplainChain(c, w, cfg, &r)
		}
		out.Chain.Add(w, r.Addr, r.Of)
	}
	out.Assumptions = slices.Concat(said, out.Assumptions)
	return out
}

// waysTo are the ways through a chain to a server, and what is taken for granted of them.
func waysTo(facts *rule.Facts, server *config.Server, c chain.Chain) (ways []chain.Way, said []string) {
	if server == nil {
		return c.Ways(nil, false)
	}
	ways, said = c.Ways(likely(server), rule.Any6(server))
	if text := rule.ProxyMismatch(server, c[len(c)-1].Speaks, facts.TakesProxyProtocol); text != "" {
		said = append(said, fmt.Sprintf("%s: %s; what would come of a request else is told", c[len(c)-1].Name, text))
	}
	return ways, said
}

// walk sends a request on a way, through the pipeline as well, which knows which headers nginx drops and where a location has
// settings of its own.
func walk(p *pipeline.Pipeline, e *traffic.Event, w chain.Way) (pipeline.Trace, chain.Reading, *realip.Config) {
	sent := e.Request
	w.Through(&sent)
	t := p.Fresh().Do(clock.Up, &sent)
	cfg := t.Client.Realip
	if cfg == nil {
		cfg = &realip.Config{}
		if t.Server != nil {
			cfg.Header, cfg.Recursive = t.Server.Settings.RealIPHeader.Value, t.Server.Settings.RealIPRecursive.Value
		}
	}
	r := w.Read(*cfg, e.Request)
	if r.Addr != t.Client.Addr {
		r.Correct(w, e.Client, t.Client.Addr)
	}
	return t, r, cfg
}
