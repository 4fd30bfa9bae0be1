package cloudflare

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// A keyset is characteristics that several rules count by. Which combination a request has is found out once for all of
// them.
type keyset struct {
	keys  []*lang.Key
	ids   map[string]int32 // of the combinations that some rule has a counter for
	scope lang.Scope

	asked uint64 // the request that the rest is about
	key   []byte
	id    int32  // -1 for none yet
	why   string // what cannot be known; "" for nothing
}

// keysetOf returns the keyset of characteristics, the same one for the same. The data centre is part of each.
func (l *Layer) keysetOf(list []Characteristic) *keyset {
	var names []string
	k := &keyset{ids: map[string]int32{}}
	for i := range list {
		if name := list[i].String(); name != "cf.colo.id" {
			names = append(names, name)
			k.keys = append(k.keys, list[i].Key)
		}
	}
	name := strings.Join(names, "\x00")
	if known := l.keysets[name]; known != nil {
		return known
	}
	l.keysets[name] = k
	return k
}

// find returns the number of a request's combination; make gives it one where it has none yet.
func (k *keyset) find(request uint64, req *edge.Request, make bool) int32 {
	if k.asked != request {
		k.ask(request, req)
	}
	if k.id < 0 && make && k.why == "" {
		k.id = int32(len(k.ids))
		k.ids[string(k.key)] = k.id
	}
	return k.id
}

func (k *keyset) ask(request uint64, req *edge.Request) {
	k.asked, k.id, k.why = request, -1, ""
	k.scope.Request = req
	k.key = append(append(k.key[:0], req.Colo...), 0)
	for _, key := range k.keys {
		var ok bool
		if k.key, ok = key.Append(&k.scope, k.key); !ok {
			k.why = "characteristic " + k.scope.Why()
			return
		}
	}
	if id, ok := k.ids[string(k.key)]; ok {
		k.id = id
	}
}
