package pipeline

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Caller is a client that sends a request which was planned for another one.
type Caller struct {
	binary string // as $binary_remote_addr

	places []limitreq.Ref  // of this and the text in each zone
	room   [2]limitreq.Ref // for the first zone: mostly there is one
	text   string          // as $remote_addr
}

// NewCaller returns the caller at an address.
func NewCaller(addr netip.Addr) *Caller {
	c := new(Caller)
	c.Set(addr)
	return c
}

// Set makes the caller the one at an address. It is not to be copied then.
func (c *Caller) Set(addr netip.Addr) {
	*c = Caller{binary: string(addr.AsSlice()), text: request.AddrText(addr)}
	c.places = c.room[:0]
}

// Look looks at what the limiters of a pipeline need of the caller first, so that it is at hand soon after; what it returns
// means nothing.
func (c *Caller) Look(p *Pipeline) int64 {
	sum := int64(0)
	for i, at := range c.places {
		if id := i / 2; id < len(p.zones) && p.zones[id] != nil {
			sum += p.zones[id].Look(at)
		}
	}
	return sum
}

// A slot is a piece of a key: text, or the place of the client's address.
type slot struct {
	text string
	use  clientUse
}

// clientUse says how a variable or a template depends on who the client is.
type clientUse uint8

const (
	useNone   clientUse = iota
	useBinary           // it is the address as $binary_remote_addr gives it
	useText             // it is the address as $remote_addr gives it
	useMixed            // it depends on the address in a way of its own
)

// PlanShared is Plan for a request that many clients send, each directly. Shared says that the plan holds for all of
// them: nothing in it depends on the client's address but keys that are it or contain it. Start it with StartFor.
func (p *Pipeline) PlanShared(req *request.Request, server *config.Server) (plan *Plan, shared bool) {
	pl := &Plan{p: p, server: server, track: true}
	pl.req, pl.bound = p.g.received(req) // a caller's address has the form in which it was given
	pl.root = pl.follow(nil)
	pl.explore(pl.root)
	return pl, !pl.bound
}

// explore follows what a refusal leads to as well, since that may depend on the client where nothing else does.
func (pl *Plan) explore(n *node) {
	for ; n.kind != finished && !pl.bound; n = n.passed {
		if !n.stand.plain { // else it ends there
			pl.explore(pl.after(n, limitreq.Rejected))
		}
	}
}

// keysFor returns what a node asks, with the keys of the caller. It is good until the next question.
func (f *Flight) keysFor(n *node) []limitreq.Limit {
	p := f.plan.p
	p.scratch = append(p.scratch[:0], n.ask...)
	for i := range p.scratch {
		if s := n.slots[i]; s != nil {
			l := &p.scratch[i]
			l.Key, l.At = f.caller.fill(s), limitreq.Ref{}
			if at := f.caller.place(n.asked[i].id, s); at != nil {
				l.At = *at
				l.Resolve()
				*at = l.At
			}
		}
	}
	return p.scratch
}

// place remembers where a zone keeps a key that is the address and nothing else; it returns nil for any other key.
func (c *Caller) place(zone int, key []slot) *limitreq.Ref {
	if len(key) != 1 || key[0].use != useBinary && key[0].use != useText {
		return nil
	}
	i := 2 * zone
	if key[0].use == useText {
		i++
	}
	for len(c.places) <= i {
		c.places = append(c.places, limitreq.Ref{})
	}
	return &c.places[i]
}

func (f *Flight) connKeysFor(n *node) []limitconn.Limit {
	p := f.plan.p
	p.connScratch = append(p.connScratch[:0], n.askConns...)
	for i := range p.connScratch {
		if s := n.slots[i]; s != nil {
			p.connScratch[i].Key = f.caller.fill(s)
		}
	}
	return p.connScratch
}

// fill makes the caller's key. Most keys are the address and nothing else.
func (c *Caller) fill(slots []slot) string {
	if len(slots) == 1 {
		return c.piece(slots[0])
	}
	var b strings.Builder
	for _, s := range slots {
		b.WriteString(c.piece(s))
	}
	return b.String()
}

func (c *Caller) piece(s slot) string {
	switch s.use {
	case useBinary:
		return c.binary
	case useText:
		return c.text
	case useNone, useMixed:
	}
	return s.text
}

// slotsOf takes a key apart for other clients; nil where it is the same for all of them. A key that depends on the
// client in a way of its own binds the plan to this one.
func (r *run) slotsOf(t value.Template) []slot {
	var slots []slot
	portable := false
	for _, p := range t.Parts {
		s := slot{text: p.Literal}
		if p.Variable != "" {
			s = r.slotOf(p.Variable)
		}
		switch s.use {
		case useMixed:
			r.bound = true
			return nil
		case useBinary, useText:
			portable = true
		case useNone:
		}
		slots = append(slots, s)
	}
	if !portable {
		return nil
	}
	return slots
}

func (r *run) slotOf(name string) slot {
	text, known := r.vars.Variable(name).Known()
	if !known {
		text = "$" + name
	}
	switch use := r.g.useOf(name); use {
	case useNone, useBinary, useText:
		return slot{text, use}
	case useMixed:
	}
	// A map that chooses by something else and whose values are constants and the address itself.
	if r.g.choosesAddress(name) {
		switch text {
		case string(r.client.addr.Addr().AsSlice()):
			return slot{use: useBinary}
		case request.AddrText(r.client.addr.Addr()):
			return slot{use: useText}
		}
		return slot{text: text}
	}
	return slot{use: useMixed}
}

// touch notes that something else than a key depends on a template.
func (r *run) touch(t value.Template) {
	if !r.track || r.bound {
		return
	}
	for _, p := range t.Parts {
		if p.Variable != "" && r.g.useOf(p.Variable) != useNone {
			r.bound = true
			return
		}
	}
}

// useOf says how a variable depends on the client's address.
func (g *program) useOf(name string) clientUse {
	switch name {
	case "binary_remote_addr":
		return useBinary
	case "remote_addr":
		return useText
	case "remote_port", "realip_remote_addr", "realip_remote_port", "proxy_add_x_forwarded_for", "proxy_protocol_addr", "proxy_protocol_port":
		return useMixed
	}
	if !g.tree.HTTP.Variables.Defined(name) {
		return useNone
	}
	if use, ok := g.uses.Load(name); ok {
		return use.(clientUse)
	}
	g.uses.Store(name, useMixed) // against cycles
	use := g.useOfDefinition(name)
	g.uses.Store(name, use)
	return use
}

// useOfDefinition looks through a map, geo or split_clients: what it chooses by, and what it yields. A variable that set
// gives a value has none of its own: whatever set evaluates has been looked at there.
func (g *program) useOfDefinition(name string) clientUse {
	for _, source := range g.tree.HTTP.Variables.Sources(name) {
		if g.useOf(source) != useNone {
			return useMixed
		}
	}
	values, ok := g.valuesOf(name)
	if !ok {
		return useMixed
	}
	for _, v := range values {
		for _, p := range template(v).Parts {
			if p.Variable != "" && g.useOf(p.Variable) != useNone {
				return useMixed
			}
		}
	}
	return useNone
}

// choosesAddress says whether a map chooses by something that does not depend on the client, and yields constants or
// the client's address. Each map is looked through once.
func (g *program) choosesAddress(name string) bool {
	known, ok := g.chooses.Load(name)
	if !ok {
		known, _ = g.chooses.LoadOrStore(name, g.findChoice(name))
	}
	return known.(bool)
}

func (g *program) findChoice(name string) bool {
	sources := g.tree.HTTP.Variables.Sources(name)
	values, ok := g.valuesOf(name)
	if !ok || sources == nil || slices.ContainsFunc(sources, func(s string) bool { return g.useOf(s) != useNone }) {
		return false
	}
	for _, v := range values {
		if use := g.useOf(strings.TrimPrefix(v, "$")); use != useBinary && use != useText {
			return false
		}
	}
	return true
}

// valuesOf lists what the definitions of a variable may yield beside constants; ok is false where some of it stands in
// another file.
func (g *program) valuesOf(name string) (values []string, ok bool) {
	for _, item := range g.defined()[name] {
		for i := range item.Block.Directives {
			d := &item.Block.Directives[i]
			if d.Name().Value == "include" {
				return nil, false
			}
			if v := d.Arg(0); strings.Contains(v, "$") {
				values = append(values, v)
			}
		}
	}
	return values, true
}

// definitions finds the blocks that define variables, by the variable's name.
func (g *program) definitions() map[string][]config.Item {
	blocks := map[string][]config.Item{}
	for _, item := range g.tree.HTTP.Items {
		switch item.Name().Value {
		case "map", "geo", "split_clients":
			if n := item.NumArgs(); n > 0 && item.Block != nil {
				name := strings.ToLower(strings.TrimPrefix(item.LastWord().Value, "$"))
				blocks[name] = append(blocks[name], item)
			}
		}
	}
	return blocks
}
