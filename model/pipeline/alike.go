package pipeline

import (
	"strconv"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Likeness is equal for plans of one pipeline by which the limits treat requests alike: the same limiters are asked for
// the same keys, and each verdict leads to an end at the same place, with the same status. What a Trace tells beside that
// (the URI, the way there) may differ.
type Likeness struct {
	asks [mostAlike]asking
	end  alikeEnd
}

// mostAlike bounds the limiters of a plan that has a Likeness.
const mostAlike = 2

// An asking is one question to a limiter.
type asking struct {
	kind       nodeKind
	background bool
	conf       *conf
	keys       string
	refused    alikeEnd
}

type alikeEnd struct {
	level  *config.Level
	status int
	lost   bool
}

func likenessOf(e *ending) alikeEnd { return alikeEnd{e.place().Level, e.status, e.ends == EndUnknown} }

// Likeness returns the plan's. ok is false where what follows a verdict is not simple: where something asks for verdicts,
// where a refusal leads on to somewhere else, or with many limiters.
func (pl *Plan) Likeness() (l Likeness, ok bool) {
	if !pl.track || pl.bound || pl.p.g.asksVerdict() {
		return l, false
	}
	i := 0
	n := pl.root
	for ; n.kind != finished; n = n.passed {
		if i == mostAlike || !n.stand.plain {
			return l, false
		}
		refusal := pl.after(n, limitreq.Rejected)
		l.asks[i] = asking{n.kind, n.background, n.conf, n.keys(), likenessOf(refusal.end)}
		i++
	}
	l.end = likenessOf(n.end)
	return l, true
}

// keys writes down by which keys a node asks: texts, and the places of the client's address.
func (n *node) keys() string {
	var b []byte
	for i, slots := range n.slots {
		if slots == nil {
			slots = []slot{{text: n.constant(i)}}
		}
		b = strconv.AppendInt(append(b, '/'), int64(len(slots)), 10)
		for _, s := range slots {
			b = strconv.AppendInt(append(b, ' '), int64(s.use), 10)
			if s.use == useNone {
				b = strconv.AppendQuote(b, s.text)
			}
		}
	}
	return string(b)
}

// constant is a key that is the same for all clients.
func (n *node) constant(i int) string {
	if n.kind == askRequests {
		return n.ask[i].Key
	}
	return n.askConns[i].Key
}
