// Package request knows one HTTP request as nginx holds it before any configuration has been applied.
package request

import (
	"net/netip"
	"strings"
)

// A Request is what a client sent and where it arrived.
type Request struct {
	Method   string     // "" is GET
	Scheme   string     // "http" or "https"; "" is http
	Host     string     // the Host header as sent, port included; in HTTP/2 :authority
	NoHost   bool       // no Host header at all (HTTP/1.0)
	Target   string     // the request target as sent: path and query, not normalised
	Protocol string     // "HTTP/1.0", "HTTP/1.1", "HTTP/2.0"; "" is HTTP/1.1
	Headers  []Header   // in the order sent, Host left out
	Peer     netip.Addr // the address that connects; invalid for a unix socket
	PeerPort uint16
	Server   netip.AddrPort // the address that was connected to; invalid where it is not known
	Proxy    netip.AddrPort // the source in the PROXY protocol's line; invalid where there was none
	BodySize int64          // Content-Length; 0 where there is no body
}

// A Header is one header line as sent.
type Header struct{ Name, Value string }

// unique are the headers of which nginx takes one line only.
var unique = []string{
	"Authorization", "Content-Length", "Content-Range", "Expect", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
	"If-Unmodified-Since", "Transfer-Encoding",
}

// maybeUnique sorts out other names by their length and first letter.
func maybeUnique(name string) bool {
	switch len(name) {
	case 6: // Expect
		return name[0]|0x20 == 'e'
	case 8: // If-Match, If-Range
		return name[0]|0x20 == 'i'
	case 13: // Authorization, Content-Range, If-None-Match
		c := name[0] | 0x20
		return c == 'a' || c == 'c' || c == 'i'
	case 14: // Content-Length
		return name[0]|0x20 == 'c'
	case 17, 19: // If-Modified-Since, Transfer-Encoding, If-Unmodified-Since
		c := name[0] | 0x20
		return c == 'i' || c == 't'
	}
	return false
}

// Repeated returns the name of a header that the request has twice and of which nginx takes one line only: it answers 400
// to such a request. It is "" where there is none.
func (r *Request) Repeated() string {
	if len(r.Headers) < 2 {
		return ""
	}
	var seen [16]bool
	for i := range r.Headers {
		if !maybeUnique(r.Headers[i].Name) {
			continue
		}
		for k, name := range unique {
			if got := r.Headers[i].Name; len(got) != len(name) || got[0]|0x20 != name[0]|0x20 || !strings.EqualFold(got, name) {
				continue
			}
			if seen[k] {
				return name
			}
			seen[k] = true
		}
	}
	return ""
}
