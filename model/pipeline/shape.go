package pipeline

import (
	"encoding/binary"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Shape collects what decides how the limits treat a set of requests: which limits ask each of them, with which
// numbers, and which requests share a key. Names, addresses and files are left out, so that two servers have equal
// Shapes if and only if the same traffic would fare alike at both.
type Shape struct {
	Places []Place // where the requests count, in the order met

	text   []byte
	places map[*config.Level]int
	zones  map[int]int
	conns  map[int]int
	keys   map[zoneKey]int
}

type zoneKey struct {
	zone int
	conn bool
	key  string
}

// NewShape returns the Shape of no request.
func NewShape() *Shape {
	return &Shape{places: map[*config.Level]int{}, zones: map[int]int{}, conns: map[int]int{}, keys: map[zoneKey]int{}}
}

// String is equal for equal Shapes.
func (s *Shape) String() string { return string(s.text) }

// Place returns the number of a place in Places; -1 where no request counts there.
func (s *Shape) Place(p Place) int {
	if n, ok := s.places[p.Level]; ok {
		return n
	}
	return -1
}

// Add takes one more request.
func (s *Shape) Add(pl *Plan) {
	s.put(int64(s.place(pl.Place())))
	for n := pl.root; n.kind != finished; n = n.passed {
		if n.kind == askRequests {
			s.requests(n)
		} else {
			s.connections(n)
		}
		if leavesForErrorPage(n) || len(n.conf.retryAfter) > 0 {
			// What follows a refusal may meet further limits, or another try at another time. That is rare, and such servers
			// are compared with nobody.
			s.put(int64(s.own(n.conf)))
		}
	}
	s.put(-1)
}

func (s *Shape) requests(n *node) {
	s.put(int64(len(n.ask)), flag(n.conf.is(limitDry)), flag(n.background))
	for i := range n.ask {
		a := &n.ask[i]
		zone := number(s.zones, n.asked[i].id)
		s.put(int64(zone), a.Zone.Rate(), a.Burst, a.Delay, s.key(zoneKey{zone, false, a.Key}, len(a.Key) > limitreq.MaxKey))
	}
}

func (s *Shape) connections(n *node) {
	s.put(-2, int64(len(n.askConns)), flag(n.conf.is(connDry)))
	for i := range n.askConns {
		a := &n.askConns[i]
		zone := number(s.conns, n.askedConns[i].zone)
		s.put(int64(zone), a.Max, s.key(zoneKey{zone, true, a.Key}, false))
	}
}

// key numbers a key within its zone; -1 for one that is not counted.
func (s *Shape) key(k zoneKey, tooLong bool) int64 {
	if k.key == "" || tooLong {
		return -1
	}
	return int64(number(s.keys, k))
}

func (s *Shape) place(p Place) int {
	n := len(s.Places)
	if at := number(s.places, p.Level); at < n {
		return at
	}
	s.Places = append(s.Places, p)
	return n
}

// own yields a number that no other Shape of a configuration has at this point.
func (s *Shape) own(c *conf) uint32 {
	if d := c.level().Directive; d != nil {
		return d.Name().Start
	}
	return 0
}

func leavesForErrorPage(n *node) bool {
	for _, page := range n.conf.errorPages {
		for _, code := range page.Codes {
			if n.kind == askRequests && code == int(n.conf.limitCode) || n.kind == askConnections && code == int(n.conf.connCode) {
				return true
			}
		}
	}
	return false
}

func (s *Shape) put(numbers ...int64) {
	for _, n := range numbers {
		s.text = binary.AppendVarint(s.text, n)
	}
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// number returns a key's place in the order in which keys were first asked for.
func number[K comparable](m map[K]int, k K) int {
	n, ok := m[k]
	if !ok {
		n = len(m)
		m[k] = n
	}
	return n
}
