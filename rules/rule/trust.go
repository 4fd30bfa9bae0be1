package rule

import (
	"net/netip"
	"slices"
	"strings"
	"sync"

	"go4.org/netipx"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// A Trust is what realip goes by at some places where limits count by address: whom it believes, which header it reads,
// and how far. Settings of the same text, as a snippet gives them to many servers, are one Trust.
type Trust struct {
	From      *config.Setting[[]*config.Trusted] // set_real_ip_from; empty where nobody is believed
	Header    *config.Setting[string]            // real_ip_header
	Recursive *config.Setting[bool]              // real_ip_recursive

	// Outer is what the server goes by, where a location has settings of its own; nil elsewhere. nginx asks the server's
	// as soon as a request has come, and a location's in front of the limits, where the server's did not help.
	Outer *Trust

	Bucket  *Bucket          // the first zone that counts by address there
	Places  []Place          // in the order of the configuration; never empty but for an Outer
	Servers []*config.Server // of the places, each once

	extent extent // of Places
	set    func() *netipx.IPSet
}

// Trusts returns each different trust under which a limit counts by address, in the order of the first place.
func (f *Facts) Trusts() []*Trust { return f.trusts() }

// trustKey tells trusts apart by what they are written with.
type trustKey struct {
	from              text
	header, recursive *syntax.Directive
	outer             *Trust
}

func (f *Facts) findTrusts() []*Trust {
	bucketAt := f.bucketAt()
	known := make(map[trustKey]*Trust)
	var all []*Trust
	at := make([]*Trust, len(f.Places()))
	for i, place := range f.Places() {
		bucket := bucketAt(place)
		if bucket == nil {
			continue
		}
		var outer *Trust
		if s := place.Server.Settings; place.Location != nil && !sameTrust(s, place.Settings) {
			outer = trustOf(known, s, nil)
		}
		t := trustOf(known, place.Settings, outer)
		if t.extent.size++; t.extent.size == 1 {
			all = append(all, t)
			t.Bucket, t.extent.first = bucket, i
		}
		t.extent.last = i
		at[i] = t
	}
	for i, place := range f.Places() {
		t := at[i]
		if t == nil {
			continue
		}
		switch e := t.extent; { // there may be a hundred thousand
		case e.whole():
			t.Places = e.of(f.Places())
		case t.Places == nil:
			t.Places = append(make([]Place, 0, e.size), place)
		default:
			t.Places = append(t.Places, place)
		}
		if n := len(t.Servers); n == 0 || t.Servers[n-1] != place.Server {
			t.Servers = append(t.Servers, place.Server)
		}
	}
	return all
}

func sameTrust(a, b *config.Settings) bool {
	return a == b || a.RealIPFrom == b.RealIPFrom && a.RealIPHeader == b.RealIPHeader && a.RealIPRecursive == b.RealIPRecursive
}

func trustOf(known map[trustKey]*Trust, s *config.Settings, outer *Trust) *Trust {
	key := trustKey{header: s.RealIPHeader.Origin, recursive: s.RealIPRecursive.Origin, outer: outer}
	if list := s.RealIPFrom.Value; len(list) > 0 {
		key.from = text{list[0].Directive, list[len(list)-1].Directive, len(list)}
	}
	t := known[key]
	if t == nil {
		t = &Trust{From: s.RealIPFrom, Header: s.RealIPHeader, Recursive: s.RealIPRecursive, Outer: outer}
		t.set = sync.OnceValue(func() *netipx.IPSet { return SetOf(t.Listed()) })
		known[key] = t
	}
	return t
}

// Listed returns everything that is believed: the place's own list, and the server's where that is asked before.
func (t *Trust) Listed() []*config.Trusted {
	if t.Outer == nil || t.Outer.From == t.From {
		return t.From.Value
	}
	return slices.Concat(t.Outer.From.Value, t.From.Value)
}

// Forwarded says whether the header is one to which each proxy adds: the letters' case does not matter to what it holds.
func (t *Trust) Forwarded() bool { return strings.EqualFold(t.Header.Value, "X-Forwarded-For") }

// Unknown says whether a list holds a host name, whose addresses cannot be known.
func (t *Trust) Unknown() bool {
	return slices.ContainsFunc(t.Listed(), func(x *config.Trusted) bool { return x.HostName != "" })
}

// Unix says whether the peers of unix sockets are believed.
func (t *Trust) Unix() bool {
	return slices.ContainsFunc(t.Listed(), func(x *config.Trusted) bool { return x.Unix })
}

// Names says whether a list holds the host name.
func (t *Trust) Names(host string) bool {
	return slices.ContainsFunc(t.Listed(), func(x *config.Trusted) bool { return x.HostName == host })
}

// Front returns the known front whose networks are believed, one of them, and whether nothing else of the internet and of
// private networks is; nil where no known front is, or more than one.
func (t *Trust) Front(known *fronts.Table) (front *fronts.Front, entry *config.Trusted, alone bool) {
	alone = true
	for _, x := range t.From.Value {
		f := known.Of(x.Prefix)
		switch {
		case f == nil:
			alone = alone && x.Prefix.IsValid() && x.Prefix.Addr().IsLoopback()
		case front == nil:
			front, entry = f, x
		case f != front:
			return nil, nil, false
		}
	}
	return front, entry, alone
}

// At starts a finding about one entry of the list.
func (t *Trust) At(x *config.Trusted) Finding {
	f := Of(config.Item{Directive: x.Directive, Via: x.Via}, t.From.At)
	f.Primary, f.Places = x.Span, len(t.Servers)
	return f
}

// AtHeader starts a finding about real_ip_header, or, where none is written, about the first entry of the list.
func (t *Trust) AtHeader() Finding { return atSetting(t, t.Header) }

// AtRecursive is AtHeader about real_ip_recursive; where that is not written, about the header.
func (t *Trust) AtRecursive() Finding {
	if t.Recursive.Origin == nil {
		return t.AtHeader()
	}
	return atSetting(t, t.Recursive)
}

func atSetting[T any](t *Trust, s *config.Setting[T]) Finding {
	if s.Origin == nil {
		return t.At(t.From.Value[0])
	}
	f := Of(config.Item{Directive: s.Origin, Via: s.Via}, s.At)
	f.Places = len(t.Servers)
	return f
}

// shared is the range that carriers and clusters use as a private one (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// IsInner says whether an address belongs to a private network, to this machine or to this link: no client on the
// internet has it.
func IsInner(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || shared.Contains(a)
}

// Set is all addresses that are believed, as merged ranges: see Listed.
func (t *Trust) Set() *netipx.IPSet { return t.set() }

// SetOf is the addresses of a list, as merged ranges. Host names and unix sockets have none.
func SetOf(list []*config.Trusted) *netipx.IPSet {
	var b netipx.IPSetBuilder
	for _, t := range list {
		if t.Prefix.IsValid() {
			b.AddPrefix(t.Prefix)
		}
	}
	set, err := b.IPSet()
	if err != nil {
		return new(netipx.IPSet) // of prefixes that are not valid, and none of those is added
	}
	return set
}
