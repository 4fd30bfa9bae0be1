package request

import "net/netip"

// Forwarded follows a chain of proxies from the connection's address from back through X-Forwarded-For header lines, as
// nginx does for realip and geo. lines are the header's values in order, trusted says whether an address is a proxy that
// is believed. Without recursion it takes the last address of the last line; with it, it goes on to the left while the
// address found is trusted. The port is 0 where none was written. ok is false where from stands unchanged.
func Forwarded(from netip.Addr, lines []string, trusted func(netip.Addr) bool, recursive, bareBrackets bool) (addr netip.AddrPort, ok bool) {
	w := walk{addr: netip.AddrPortFrom(from, 0), recursive: recursive, bare: bareBrackets}
	for i := len(lines) - 1; i >= 0; i-- { // slices.Backward would put trusted on the heap
		if more := w.line(lines[i], trusted); !more || !recursive {
			break
		}
	}
	return w.addr, w.found
}

type walk struct {
	addr            netip.AddrPort
	found           bool
	recursive, bare bool
}

// line walks one header line from its end, and says whether the line before it is to be looked at.
func (w *walk) line(s string, trusted func(netip.Addr) bool) bool {
	for {
		if !trusted(w.addr.Addr()) {
			return false
		}
		end := len(s)
		for end > 1 && (s[end-1] == ' ' || s[end-1] == ',') {
			end--
		}
		start := max(end-1, 0)
		for start > 0 && s[start] != ' ' && s[start] != ',' {
			start--
		}
		rest := start > 0
		if rest {
			start++
		}
		a, ok := ParseAddrPort(s[start:end], w.bare)
		if !ok {
			return false
		}
		w.addr, w.found = a, true
		if !w.recursive || !rest {
			return true
		}
		s = s[:start-1]
	}
}
