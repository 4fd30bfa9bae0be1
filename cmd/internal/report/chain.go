package report

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// An ExplainedChain is the way of a request through the proxies in front, and what nginx makes of what arrives.
type ExplainedChain struct {
	Hops        []ExplainedHop   `json:"hops"`
	Peer        string           `json:"peer"`    // that connects to nginx
	PeerOf      string           `json:"peer_of"` // a proxy's name, or "client"
	PeerTrusted bool             `json:"peer_trusted"`
	Header      string           `json:"real_ip_header"`
	Recursive   bool             `json:"real_ip_recursive"`
	Entries     []ExplainedEntry `json:"entries"` // of the header that is read, in its order
	Addr        string           `json:"remote_addr"`
	Of          string           `json:"remote_addr_of"` // "client", "claimed" by the client, or a proxy's name
	Ways        []ExplainedWay   `json:"ways"`           // all that requests may take, this one among them
}

// An ExplainedHop is a request as one proxy sends it on.
type ExplainedHop struct {
	Name    string           `json:"name"`
	Title   string           `json:"title"`
	Addr    string           `json:"address"`
	Network string           `json:"network,omitempty"` // in which that is; "" where it is known by itself alone
	From    string           `json:"connected_from"`
	Sends   []ExplainedField `json:"sends"` // the headers that it writes
	Proxy   *string          `json:"proxy_protocol"`
}

// An ExplainedField is a header as it is sent.
type ExplainedField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// An ExplainedEntry is one address in the header that nginx reads.
type ExplainedEntry struct {
	Text    string `json:"address"`
	By      string `json:"written_by"` // a proxy's name, or "client"
	Of      string `json:"of"`         // as remote_addr_of
	Read    bool   `json:"read"`
	Trusted bool   `json:"trusted"`
	Taken   bool   `json:"taken"`
}

// An ExplainedWay is what comes of a request on one way.
type ExplainedWay struct {
	Through []string `json:"through"`
	Addr    string   `json:"remote_addr"`
	Of      string   `json:"remote_addr_of"`
}

// ExplainChain words a way through a chain.
func ExplainChain(c chain.Chain, w chain.Way, cfg *realip.Config, r *chain.Reading) *ExplainedChain {
	e := &ExplainedChain{
		Hops: []ExplainedHop{}, Peer: addrText(r.Peer), PeerOf: Owner(w, len(w)-1), PeerTrusted: r.Trusted,
		Header: cfg.Header, Recursive: cfg.Recursive, Entries: []ExplainedEntry{}, Addr: addrText(r.Addr), Of: Owner(w, r.Of), Ways: []ExplainedWay{},
	}
	if e.Header == "" {
		e.Header = realip.XRealIP
	}
	for i, step := range r.Steps {
		h := ExplainedHop{
			Name: c[i].Name, Title: c[i].Title, Addr: addrText(step.Hop.Node.Addr()), From: addrText(step.From), Sends: []ExplainedField{},
		}
		if node := step.Hop.Node; node.IsValid() && !node.IsSingleIP() {
			h.Network = node.Masked().String()
		}
		for _, s := range step.Sent {
			h.Sends = append(h.Sends, ExplainedField(s))
		}
		if step.Proxy.IsValid() {
			text := request.AddrText(step.Proxy.Addr())
			h.Proxy = &text
		}
		e.Hops = append(e.Hops, h)
	}
	for _, n := range r.Entries {
		e.Entries = append(e.Entries, ExplainedEntry{
			Text: n.Text, By: Owner(w, n.By), Of: Owner(w, n.Of), Read: n.Read, Trusted: n.Trusted, Taken: n.Taken,
		})
	}
	return e
}

// Add adds what comes of a request on one of the ways.
func (e *ExplainedChain) Add(w chain.Way, addr netip.Addr, of int) {
	way := ExplainedWay{Through: []string{}, Addr: addrText(addr), Of: Owner(w, of)}
	for i := range w {
		way.Through = append(way.Through, addrText(w[i].Node.Addr()))
	}
	e.Ways = append(e.Ways, way)
}

// Owner names whose an address is.
func Owner(w chain.Way, of int) string {
	switch {
	case of == chain.Claimed:
		return "claimed"
	case of < 0:
		return "client"
	}
	return w[of].Name
}
