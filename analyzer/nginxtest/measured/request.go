package measured

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// PeerPort is the port from which requests are taken to come; the measured ones came from any.
const PeerPort = 40000

// Headers are header lines in order. They are written as pairs, or as an object where there is one of each name.
type Headers []request.Header

// UnmarshalJSON reads either form.
func (h *Headers) UnmarshalJSON(data []byte) error {
	var pairs [][2]string
	if json.Unmarshal(data, &pairs) == nil {
		for _, p := range pairs {
			*h = append(*h, request.Header{Name: p[0], Value: p[1]})
		}
		return nil
	}
	var object map[string]string
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		*h = append(*h, request.Header{Name: name, Value: object[name]})
	}
	return nil
}

// Get returns a request for a path of the server that listens on port 80. A peer "" is 127.0.0.1, "unix:" a unix socket.
func Get(t testing.TB, target, peer string, headers Headers) *request.Request {
	t.Helper()
	r := &request.Request{
		Host: "localhost", Target: target, Headers: headers, PeerPort: PeerPort,
		Server: netip.AddrPortFrom(netip.Addr{}, 80),
	}
	switch {
	case peer == "":
		peer = "127.0.0.1"
	case strings.HasPrefix(peer, "unix:"):
		r.PeerPort = 0
		return r
	}
	addr, err := netip.ParseAddr(peer)
	if err != nil {
		t.Fatalf("peer: %v", err)
	}
	r.Peer = addr
	return r
}
