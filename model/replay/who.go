package replay

import (
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// mostWho bounds how many clients are remembered at a time.
const mostWho = 1 << 17

// whoKey is what a line says of where a request comes from.
type whoKey struct{ client, peer, header string }

// A who is where requests come from. What each request looks at stands first, then what those look at that a limiter judges.
type who struct {
	first   visitor
	met     bool // the first visitor has come
	strange bool // the log's client is no address
	caller  pipeline.Caller
	key     whoseKey // that was charged last
	*whoRest
}

// The rest of a who is what few requests look at.
type whoRest struct {
	keys   [3]whoseKey // that were charged before
	next   int8        // of them that makes room
	others []visitor   // beside the first

	addr   netip.Addr // that the limiters see, where realip is the same everywhere
	peer   netip.Addr // that connects, as far as it is known
	header string     // in which a proxy hands on the client's address; "" for none
	client netip.Addr // as logged, where it is an address
	outer  netip.Addr // who sent it through the edge, if there is one; invalid where that is not known
	direct bool       // it did not come through the edge
}

// A whoseKey is a key with its row.
type whoseKey struct {
	id  keyID
	row *keyRow
}

func (k *whoseKey) is(z *config.Zone, key string) bool {
	return k.row != nil && k.id.zone == z && k.id.key == key && !k.row.dropped
}

// whoOf returns where the next record of a log comes from.
func (e *engine) whoOf(l *log, m *mark) *who {
	if w := e.whos.get(m.from); w != nil {
		return w
	}
	rec := l.record()
	// The texts are cut out of a block that need not be kept for their sake.
	w := e.newWhoBehind(whoKey{strings.Clone(rec.Client), strings.Clone(rec.Peer), strings.Clone(e.r.needs.handedOn(rec))})
	e.whos.put(m.from, w)
	return w
}

// newWhoBehind works out who it is, and whose request it was behind an edge.
func (e *engine) newWhoBehind(k whoKey) *who {
	if e.r.front == nil {
		return e.newWho(k)
	}
	plain := k
	var own, forwarded string
	plain.header, own, forwarded = cutOuter(k.header)
	w := e.newWho(plain)
	w.outer, w.direct = e.r.front.visitorOf(w, own, forwarded)
	return w
}

// joinOuter puts what tells the visitor of an edge behind the header that realip reads, so that it tells clients apart;
// cutOuter takes it off again.
func (n *needs) joinOuter(rec *accesslog.Record) string {
	own := ""
	if n.outer >= 0 && n.outer < len(rec.Headers) {
		own = rec.Headers[n.outer]
	}
	return n.forRealip(rec) + "\x00" + own + "\x00" + rec.Forwarded
}

func cutOuter(joined string) (header, own, forwarded string) {
	header, joined, _ = strings.Cut(joined, "\x00")
	own, forwarded, _ = strings.Cut(joined, "\x00")
	return header, own, forwarded
}

// newWho works out which address the limiters see. Where the log has the address that connected, that is it, and what
// realip made of it is made again by the configuration at hand; the client that was logged stands in for a header that
// was not.
func (e *engine) newWho(k whoKey) *who {
	w := &who{whoRest: &whoRest{header: k.header}}
	client, ok := addressOf(k.client)
	if !ok {
		client = e.r.strangers.address(k.client)
	}
	w.client, w.strange = client, !ok
	if w.peer = client; k.peer != "" {
		if peer, ok := addressOf(k.peer); ok {
			w.peer = peer
			if w.header == "" && peer != client {
				w.header = k.client
			}
		}
	}
	w.addr = w.peer
	if e.trust != nil && w.header != "" {
		got := realip.Resolve(*e.trust, realip.Connection{Peer: netip.AddrPortFrom(w.peer, 0)}, []request.Header{{Name: e.trust.Header, Value: w.header}})
		w.addr = got.Addr
	}
	w.caller.Set(w.addr)
	return w
}

// addressOf reads an address. A name is none, nor is one that was made unrecognisable.
func addressOf(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(text)
	return a, err == nil && a.Zone() == ""
}

// trustOf returns the settings of realip where they are the same at every level; nil where there are none. uniform is
// false where they differ.
func trustOf(tree *config.Tree) (trust *realip.Config, uniform bool) {
	s := tree.HTTP.Settings
	uniform = true
	same := func(l *config.Level) {
		o := l.Settings
		if o.RealIPFrom != s.RealIPFrom || o.RealIPHeader != s.RealIPHeader || o.RealIPRecursive != s.RealIPRecursive {
			uniform = false
		}
	}
	for _, server := range tree.HTTP.Servers {
		same(&server.Level)
		for l := range server.AllLocations {
			same(&l.Level)
		}
	}
	if len(s.RealIPFrom.Value) == 0 || !uniform {
		return nil, uniform
	}
	trust = &realip.Config{Header: s.RealIPHeader.Value, Recursive: s.RealIPRecursive.Value}
	for _, t := range s.RealIPFrom.Value {
		if t.Unix {
			trust.Unix = true
		} else if t.Prefix.IsValid() {
			trust.Trusted = append(trust.Trusted, t.Prefix)
		}
	}
	trust.Prepare()
	return trust, true
}
