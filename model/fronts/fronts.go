// Package fronts knows the proxies that stand in front of many sites and publish the networks from which they connect:
// which networks, as of which day and by which source, and in which header they hand on the client's address. It refuses to
// know what lies in an account (a balancer's subnets), and never asks the network: a newer list is read from a file.
package fronts

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
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
	Name string `json:"name"`
	Adds int    `json:"adds,omitempty"` // how many entries the front adds to what came; 0 where it replaces the header
	Open bool   `json:"open,omitempty"` // a client's own header is handed on
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

var builtIn = sync.OnceValue(func() *Table {
	all, err := ParseTable(tableText)
	if err != nil {
		panic(fmt.Sprintf("the table of fronts that is built in: %v", err)) // a test reads it
	}
	return &Table{all}
})

// A Table is the fronts that are known, each with its own name. Nobody changes one.
type Table struct{ Fronts []*Front }

// BuiltIn returns the table that the program brings with it.
func BuiltIn() *Table { return builtIn() }

// With returns a table in which newer lists stand in the place of the older ones of the same fronts.
func (t *Table) With(newer []*Front) *Table {
	all := slices.Clone(t.Fronts)
	for _, f := range newer {
		if i := slices.IndexFunc(all, func(o *Front) bool { return o.ID == f.ID }); i >= 0 {
			all[i] = f
		} else {
			all = append(all, f)
		}
	}
	return &Table{all}
}

// Find returns the front of an ID; nil where there is none.
func (t *Table) Find(id string) *Front {
	for _, f := range t.Fronts {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// IDs lists the names under which fronts are known.
func (t *Table) IDs() []string {
	ids := make([]string, len(t.Fronts))
	for i, f := range t.Fronts {
		ids[i] = f.ID
	}
	return ids
}

// Of returns the front in whose networks a whole network lies; nil where it is in none.
func (t *Table) Of(p netip.Prefix) *Front {
	for _, f := range t.Fronts {
		if p.IsValid() && f.set.ContainsPrefix(p) {
			return f
		}
	}
	return nil
}

// tableFile is the form of a table in a file.
type tableFile struct {
	Fronts []frontEntry `json:"fronts"`
}

type frontEntry struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Source   string         `json:"source"`
	AsOf     string         `json:"as_of"`
	Networks []netip.Prefix `json:"networks"`
	Former   []netip.Prefix `json:"former,omitempty"`
	Headers  []Header       `json:"headers"`
}

// ParseTable reads a table as WriteTable writes it.
func ParseTable(data []byte) ([]*Front, error) {
	var file tableFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read table of fronts: %w", err)
	}
	var all []*Front
	for _, e := range file.Fronts {
		f := &Front{ID: e.ID, Name: e.Name, Source: e.Source, AsOf: e.AsOf, Networks: e.Networks, Former: e.Former, Headers: e.Headers}
		if err := f.complete(); err != nil {
			return nil, fmt.Errorf("read table of fronts: %w", err)
		}
		all = append(all, f)
	}
	return all, nil
}

// complete checks a front and prepares its set.
func (f *Front) complete() error {
	switch {
	case f.ID == "" || f.Name == "":
		return errors.New("a front without a name")
	case dayOf(f.AsOf) != f.AsOf || f.AsOf == "":
		return fmt.Errorf("%s: %q is no day such as 2026-02-11", f.ID, f.AsOf)
	case len(f.Networks) == 0 || len(f.Networks) > maxNetworks:
		return fmt.Errorf("%s: a list of %d networks", f.ID, len(f.Networks))
	}
	var b netipx.IPSetBuilder
	for _, p := range f.Networks {
		if !p.IsValid() || p.Masked() != p {
			return fmt.Errorf("%s: %s is no network", f.ID, p)
		}
		b.AddPrefix(p)
	}
	set, err := b.IPSet()
	if err != nil {
		return fmt.Errorf("%s: %w", f.ID, err)
	}
	f.set = set
	return nil
}

// WriteTable writes fronts in the form that ParseTable reads, in the order given.
func WriteTable(all []*Front) ([]byte, error) {
	var file tableFile
	for _, f := range all {
		file.Fronts = append(file.Fronts, frontEntry{f.ID, f.Name, f.Source, f.AsOf, f.Networks, f.Former, f.Headers})
	}
	data, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write table of fronts: %w", err)
	}
	return append(data, '\n'), nil
}

// Renewed returns the front with the networks of a newer list, as of a day. What is not listed any more is known as former.
func (f *Front) Renewed(l *List, day string) (*Front, error) {
	n := *f
	n.AsOf, n.Networks = day, nil
	for _, net := range l.Networks {
		n.Networks = append(n.Networks, net.Prefix)
	}
	for _, p := range f.Networks {
		if !l.set.ContainsPrefix(p) && !slices.Contains(n.Former, p) {
			n.Former = append(slices.Clip(n.Former), p)
		}
	}
	n.Former = slices.DeleteFunc(slices.Clone(n.Former), func(p netip.Prefix) bool { return l.set.ContainsPrefix(p) })
	if err := n.complete(); err != nil {
		return nil, err
	}
	return &n, nil
}
