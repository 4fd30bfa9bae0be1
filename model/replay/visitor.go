package replay

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// A Visit is one request that was replayed, and what the limits did to it.
type Visit struct {
	At      int64            // arrival, in milliseconds since 1970
	Client  netip.Addr       // as the limits see it
	Request *request.Request // to be read during the call only; what no key and no route rests on is left out
	Nginx   string
	Status  int    // as logged; 0 where it is not known
	Agent   uint32 // hashes; 0 for none
	User    uint32

	Delayed, Refused bool
}

// tellVisit tells whoever wants to know of a request.
func (e *engine) tellVisit(n *entry, f *pipeline.Flight) {
	r := n.class.request()
	r.Peer = n.who.peer
	r.Scheme, r.Server = e.reach(n.class.server)
	if n.who.header != "" && e.header != "" {
		r.Headers = append(append([]request.Header{}, r.Headers...), request.Header{Name: e.header, Value: n.who.header})
	}
	o := outcomeOf(f)
	e.r.o.Visit(&Visit{
		At: n.at, Client: n.who.addr, Request: &r, Nginx: e.name, Status: int(n.status), Agent: n.agent, User: n.user,
		Delayed: o == delayed, Refused: o == rejected,
	})
}

// A door is how clients come to a server.
type door struct {
	scheme string
	at     netip.AddrPort
}

// reach is how clients come to a server: where a log says neither scheme nor port, the request is to lead there all the same.
func (e *engine) reach(s *config.Server) (scheme string, at netip.AddrPort) {
	d, ok := e.doors[s]
	if !ok {
		d.scheme, _, d.at = simulate.Reach(s)
		if e.doors == nil {
			e.doors = make(map[*config.Server]door)
		}
		e.doors[s] = d
	}
	return d.scheme, d.at
}
