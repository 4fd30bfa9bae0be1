package replay

import (
	"hash/maphash"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// A mark is what can be worked out of one record alone, where lines are read, so that whoever takes them in their order has
// less to do, and looks at the record itself only where it shows somebody or something new. It fills one line of a
// processor's cache.
type mark struct {
	class, from uint64 // hashes of all that tells its class, and where it comes from: what has the same hash is the same
	facts
	line   int32 // as in accesslog.Record
	length int32 // of the target, as far as it matters
	whole  bool  // no fraction of the second is told
	named  bool  // the record says which nginx wrote it
}

// facts are what a line tells of a request that is counted or compared.
type facts struct {
	logged                int64  // when it was logged, in milliseconds since 1970
	requestMs, upstreamMs int32  // as in accesslog.Record
	agent, user           uint32 // hashes; 0 for none
	sender                uint32 // of the header in which a proxy hands on the client's address
	status                int16
	limit, conn           accesslog.Outcome
}

// arrived is when the request came.
func (f *facts) arrived() int64 { return f.logged - int64(max(f.requestMs, 0)) }

// seed is that of hashes on which nothing rests that is told: it is another one in each run, so that no log is slow by
// intent, nor can be made to hold two texts of one hash. By chance 100,000 texts have two such once in three thousand
// million runs.
var seed = maphash.MakeSeed()

// golden is the golden ratio: multiplied by it, neighbours get far apart.
const golden = 0x9e3779b97f4a7c15

func mixed(h uint64) uint64 {
	h *= golden
	return h ^ h>>32
}

// also adds one more text to a hash. Most are empty.
func also(h uint64, text string) uint64 {
	if text == "" {
		return h * golden
	}
	return h*golden ^ maphash.String(seed, text)
}

// marks works out those of a batch, whose requests came to a server, if that is known.
func (n *needs) marks(b *accesslog.Batch, server *config.Server, list []mark) []mark {
	list = list[:0]
	to := maphash.Comparable(seed, server)
	senders := map[string]uint32{}
	for i := range b.Records {
		rec := &b.Records[i]
		target := n.target(rec)
		m := mark{
			class: mixed(to ^ n.hashOf(rec, target)), length: int32(len(target)), line: rec.Line, whole: wholeSecond(rec), named: rec.Nginx != "",
			facts: facts{
				logged: rec.Time, requestMs: rec.RequestMs, upstreamMs: rec.UpstreamMs, agent: hashOf(rec.Agent), user: hashOf(rec.User),
				status: rec.Status, limit: rec.LimitReq, conn: rec.LimitConn,
			},
		}
		if rec.Forwarded != "" {
			m.sender = n.senderOf(rec.Forwarded, senders)
		}
		from := maphash.String(seed, rec.Client)
		if header := n.handedOn(rec); rec.Peer != "" || header != "" {
			from = also(also(from, rec.Peer), header)
		}
		m.from = mixed(from)
		list = append(list, m)
	}
	return list
}

// senderOf tells apart whom a proxy's header stands for, for sketches; 0 for nobody of the internet.
func (n *needs) senderOf(header string, known map[string]uint32) uint32 {
	h, ok := known[header]
	if !ok {
		if client, _, ok := n.judge.Behind(header); ok {
			h = hashOf(client.String())
		}
		known[header] = h
	}
	return h
}

// target is a record's target as far as it matters.
func (n *needs) target(rec *accesslog.Record) string {
	if !n.query {
		if at := strings.IndexByte(rec.Target, '?'); at >= 0 {
			return rec.Target[:at]
		}
	}
	return rec.Target
}

// hostOf is the host that was asked for, as far as a record tells it.
func hostOf(rec *accesslog.Record) string {
	if rec.Host == "" {
		return rec.Server
	}
	return rec.Host
}

// hashOf is the hash of all that tells one class from another.
func (n *needs) hashOf(rec *accesslog.Record, target string) uint64 {
	h := also(also(maphash.String(seed, target), hostOf(rec)), rec.Scheme)
	if len(rec.Method) < 8 {
		word := uint64(len(rec.Method))
		for i := range len(rec.Method) {
			word = word<<8 | uint64(rec.Method[i])
		}
		h = (h ^ word) * golden
	} else {
		h = also(h, rec.Method)
	}
	if n.agent {
		h = also(h, rec.Agent)
	}
	if n.referer {
		h = also(h, rec.Referer)
	}
	if n.user {
		h = also(h, rec.User)
	}
	for _, v := range rec.Headers[:min(len(rec.Headers), n.inClass)] {
		h = also(h, v)
	}
	return h
}

// handedOn is what proxies say of the client, as far as the line tells it: the header that realip reads, and behind an edge
// what tells the visitor.
func (n *needs) handedOn(rec *accesslog.Record) string {
	if n.edge {
		return n.joinOuter(rec)
	}
	return n.forRealip(rec)
}

// forRealip is the value of the header that realip reads, as far as the line tells it.
func (n *needs) forRealip(rec *accesslog.Record) string {
	if !n.realip {
		return ""
	}
	switch n.header {
	case "":
		return ""
	case "http_x_forwarded_for":
		return rec.Forwarded
	}
	for i, have := range n.headers {
		if have == n.header && i < len(rec.Headers) {
			return rec.Headers[i]
		}
	}
	return ""
}
