package replay

import (
	"hash/maphash"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// A mark is what can be worked out of one record alone, where lines are read, so that whoever takes them in their order has
// less to do.
type mark struct {
	target              uint32 // hash of the target, as far as it matters
	length              int32  // of the target, as far as it matters
	from                uint32 // hash of where it comes from
	agent, user, sender uint32 // see entry
}

// seed is that of hashes on which nothing rests that is told: it is another one in each run, so that no log is slow by
// intent.
var seed = maphash.MakeSeed()

func mixed(h uint64) uint32 { return uint32(h ^ h>>32) }

// marks works out those of a batch.
func (n *needs) marks(b *accesslog.Batch, list []mark) []mark {
	list = list[:0]
	for i := range b.Records {
		rec := &b.Records[i]
		target := rec.Target
		if !n.query {
			if at := strings.IndexByte(target, '?'); at >= 0 {
				target = target[:at]
			}
		}
		from := maphash.String(seed, rec.Client)
		if rec.Peer != "" {
			from = from*0x9e3779b97f4a7c15 + maphash.String(seed, rec.Peer)
		}
		if header := n.handedOn(rec); header != "" {
			from = from*0x9e3779b97f4a7c15 ^ maphash.String(seed, header)
		}
		list = append(list, mark{
			target: mixed(maphash.String(seed, target)), length: int32(len(target)), from: mixed(from),
			agent: hashOf(rec.Agent), user: hashOf(rec.User), sender: hashOf(rec.Forwarded),
		})
	}
	return list
}

// handedOn is the value of the header that realip reads, as far as the line tells it.
func (n *needs) handedOn(rec *accesslog.Record) string {
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
