package replay

import (
	"net/netip"
	"strings"
)

// shownPath is a path as the tables show it. Where addresses are not shown, none stands in the place of a host either: GET
// http://192.0.2.1/, CONNECT 192.0.2.1:443, GET //192.0.2.1/.
func (e *engine) shownPath(path string) string {
	if e.r.o.Redact == nil {
		return path
	}
	scheme, rest, absolute := strings.Cut(path, "://")
	if absolute && !strings.Contains(scheme, "/") {
		scheme += "://"
	} else {
		scheme, rest, absolute = "", path, false
	}
	inner := strings.TrimLeft(rest, "/")
	slashes := rest[:len(rest)-len(inner)]
	host, below, more := strings.Cut(inner, "/")
	if host == "" || !absolute && !isAddress(host) {
		return path
	}
	if more {
		below = "/" + below
	}
	return scheme + slashes + e.redact(host) + below
}

// isAddress says whether a text is an address, with or without a port and a user.
func isAddress(text string) bool {
	text = text[strings.LastIndexByte(text, '@')+1:]
	if _, err := netip.ParseAddrPort(text); err == nil {
		return true
	}
	_, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(text, ":"), "["), "]"))
	return err == nil
}
