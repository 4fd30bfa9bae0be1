package simulate

import (
	"encoding/binary"
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// request makes a request of a load: what its client sends, and what the proxies on its way make of it.
func (s *simulation) request(l *load, r int32) *request.Request {
	req := s.sent(l, r)
	if len(s.opts.Via) > 0 {
		s.opts.Via[s.wayOf(l)].Through(req)
	}
	return req
}

// sent makes a request of a load as its client sends it.
func (s *simulation) sent(l *load, r int32) *request.Request {
	t, q := &s.target, l.crowd.request(r)
	path, headers := q.Path, q.Headers
	if q.byClient || q.byNumber {
		path, headers = q.Expand(l.crowd.clientNumber(l), l.crowd.page.number(l, r))
	}
	req := &request.Request{
		Method: q.Method, Scheme: t.scheme, Host: t.host, Target: path, Protocol: "HTTP/2.0", Headers: headers,
		Peer: t.clients.address(l.address), Server: t.address, BodySize: int64(len(q.Body)),
	}
	if l.crowd.page.http1 {
		req.Protocol = "HTTP/1.1"
	}
	return req
}

// wayOf returns which way a load's requests come: clients take the ways in turn.
func (s *simulation) wayOf(l *load) int32 {
	return (l.crowd.firstClient + l.client) % int32(len(s.opts.Via))
}

// addressOf returns the address number n, from the ranges that are kept for documentation and for tests of networks, so
// that no real client is meant.
func addressOf(n int) netip.Addr {
	for _, base := range [...]uint32{0xcb007100, 0xc6336400, 0xc0000200} { // 203.0.113.0/24, 198.51.100.0/24, 192.0.2.0/24
		if n < 254 {
			return address4(base + 1 + uint32(n))
		}
		n -= 254
	}
	if n < 1<<17 {
		return address4(0xc6120000 + uint32(n)) // 198.18.0.0/15
	}
	var b [16]byte
	binary.BigEndian.PutUint32(b[:], 0x20010db8) // 2001:db8::/32
	binary.BigEndian.PutUint32(b[12:], uint32(n))
	return netip.AddrFrom16(b)
}

func address4(bits uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], bits)
	return netip.AddrFrom4(b)
}
