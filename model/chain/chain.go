// Package chain knows the proxies between a client and nginx, one behind the other: what each makes of the headers in
// which the client's address is handed on, and which request arrives at nginx in the end. It refuses to know whom nginx
// believes; given that, it tells what nginx makes of the request.
package chain

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// A Way is the proxies that one request passes, in their order: the last one connects to nginx.
type Way []Hop

// A Hop is a proxy on the way.
type Hop struct {
	Name    string          // for people: "cloudflare"
	Node    netip.Prefix    // the address from which it connects, and in which network that is
	Own     netip.Addr      // what it adds behind the address that connected to it; invalid for its Node's
	Headers []fronts.Header // that it writes; every other header it hands on as it came
	Speaks  bool            // it tells who connected to it in the PROXY protocol
}

// Adding makes a hop that adds the address that connected to it to one header, as most proxies do.
func Adding(node netip.Prefix, header string) Hop {
	return Hop{Name: node.Addr().String(), Node: node, Headers: []fronts.Header{{Name: header, Adds: 1}}}
}

// Through sends a request through the proxies. They speak HTTP/1.1 to each other and to nginx.
func (w Way) Through(req *request.Request) {
	if len(w) == 0 {
		return
	}
	req.Headers = slices.Clone(req.Headers)
	for i := range w {
		w[i].pass(req)
	}
}

// pass makes of a request what the proxy hands on.
func (h *Hop) pass(req *request.Request) {
	from := request.AddrText(req.Peer)
	for _, header := range h.Headers {
		h.write(req, header, from)
	}
	req.Proxy = netip.AddrPort{}
	if h.Speaks {
		req.Proxy = netip.AddrPortFrom(req.Peer, req.PeerPort)
	}
	if len(h.Headers) > 0 {
		req.Protocol = "HTTP/1.1" // else it copies bytes, and speaks no HTTP
	}
	req.Peer, req.PeerPort = h.Node.Addr(), 0
}

// write writes one header, from what came of it and the address that connected.
func (h *Hop) write(req *request.Request, header fronts.Header, from string) {
	var came []string
	kept := req.Headers[:0]
	for _, line := range req.Headers {
		if strings.EqualFold(line.Name, header.Name) {
			came = append(came, line.Value)
			continue
		}
		kept = append(kept, line)
	}
	switch {
	case header.Open && len(came) > 0:
		kept = append(kept, request.Header{Name: header.Name, Value: came[0]})
	case header.Adds > 0:
		came = append(came, h.added(header, from)...)
		kept = append(kept, request.Header{Name: header.Name, Value: strings.Join(came, ", ")})
	default:
		kept = append(kept, request.Header{Name: header.Name, Value: from})
	}
	req.Headers = kept
}

// added is what the proxy adds to a header.
func (h *Hop) added(header fronts.Header, from string) []string {
	if header.Adds < 2 {
		return []string{from}
	}
	own := h.Own
	if !own.IsValid() {
		own = h.Node.Addr()
	}
	return []string{from, request.AddrText(own)}
}

// Header returns what the hop does to the header of a name; the case of letters does not matter. ok is false where it
// hands on what came.
func (h *Hop) Header(name string) (header fronts.Header, ok bool) {
	i := slices.IndexFunc(h.Headers, func(f fronts.Header) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return fronts.Header{}, false
	}
	return h.Headers[i], true
}
