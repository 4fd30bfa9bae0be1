// Package fronts knows the proxies that stand in front of many sites and publish the networks from which they connect:
// which networks, as of which day and by which source, and in which header they hand on the client's address. It refuses to
// know what lies in an account (a balancer's subnets), and never asks the network: a newer list is read from a file.
package fronts

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"sync"

	"go4.org/netipx"
)

// A Front is one provider's proxies, as it publishes them.
type Front struct {
	ID       string         // "cloudflare"
	Name     string         // for people
	Source   string         // the address of the page or file that lists the networks
	AsOf     string         // the day of the list, "2026-02-11"
	Networks []netip.Prefix // from which it connects to origins
	Former   []netip.Prefix // once listed, and no longer
	Headers  []Header       // in which it hands on the client's address; the best one first

	set *netipx.IPSet
}

// A Header is one that a front sends.
type Header struct {
	Name string
	Adds int  // how many entries the front adds to what came; 0 where it replaces the header
	Open bool // a client's own header is handed on
}

// Set is the front's networks as merged ranges.
func (f *Front) Set() *netipx.IPSet { return f.set }

// Sends returns the header of that name; the case of letters does not matter.
func (f *Front) Sends(name string) (Header, bool) {
	for _, h := range f.Headers {
		if strings.EqualFold(h.Name, name) {
			return h, true
		}
	}
	return Header{}, false
}

//go:embed table.json
var tableText []byte

var table = sync.OnceValue(func() []*Front {
	all, err := parseTable(tableText)
	if err != nil {
		panic(fmt.Sprintf("the table of fronts that is built in: %v", err)) // a test reads it
	}
	return all
})

// Known returns the fronts that are built in, in the order of their table. Nobody may change them.
func Known() []*Front { return table() }

func parseTable(data []byte) ([]*Front, error) {
	var file struct {
		Fronts []struct {
			ID, Name, Source string
			AsOf             string `json:"as_of"`
			Networks, Former []netip.Prefix
			Headers          []Header
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read table of fronts: %w", err)
	}
	var all []*Front
	for _, e := range file.Fronts {
		f := &Front{ID: e.ID, Name: e.Name, Source: e.Source, AsOf: e.AsOf, Networks: e.Networks, Former: e.Former, Headers: e.Headers}
		var b netipx.IPSetBuilder
		for _, p := range f.Networks {
			b.AddPrefix(p)
		}
		var err error
		if f.set, err = b.IPSet(); err != nil {
			return nil, fmt.Errorf("read networks of %s: %w", e.ID, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// Of returns the front in whose networks a whole network lies; nil where it is in none.
func Of(p netip.Prefix) *Front {
	for _, f := range Known() {
		if p.IsValid() && f.set.ContainsPrefix(p) {
			return f
		}
	}
	return nil
}
