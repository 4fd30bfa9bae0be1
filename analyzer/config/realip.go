package config

import (
	"net/netip"
	"strings"
)

// setRealIPFrom reads set_real_ip_from.
func (r *resolver) setRealIPFrom(it Item, _ *visit, s *scope) {
	w := it.Word(0)
	t := &Trusted{Text: w.Value, Directive: it.Directive, Via: it.Via, Span: it.WordSpan(w)}
	switch prefix, low, ok := parseCIDR(w.Value); {
	case w.Value == "unix:":
		t.Unix = true
	case ok:
		t.Prefix, t.LowBits = prefix, low
		if low {
			r.refuse(s.level, Refusal{
				Kind: InvalidValue, Span: t.Span, Line: line(it.Directive), Warning: true,
				Text: "low address bits of " + w.Value + " are meaningless",
			})
		}
	case r.version < 1013001:
		r.refuseWord(it, w, s.level, UnsupportedVersion, "invalid parameter "+quoted(w.Value))
		return
	default:
		addr, known := hostAddress(w.Value)
		if !known && !mayBeHost(w.Value) {
			r.refuseWord(it, w, s.level, InvalidValue, "host not found in set_real_ip_from "+quoted(w.Value))
			return
		}
		if known {
			t.Prefix = netip.PrefixFrom(addr, 32)
		} else {
			t.HostName = w.Value
		}
	}
	appendTo(&s.level.own().RealIPFrom, it, s.level, t)
}

// parseCIDR reads an address or a network as nginx does (ngx_ptocidr), and says whether bits below the mask were set;
// they are cleared.
func parseCIDR(text string) (prefix netip.Prefix, low, ok bool) {
	address, mask, masked := strings.Cut(text, "/")
	addr, ok := parseAddress(address)
	if !ok {
		return netip.Prefix{}, false, false
	}
	bits := addr.BitLen()
	if masked {
		n, ok := atoi(mask)
		if !ok || n > int64(bits) {
			return netip.Prefix{}, false, false
		}
		bits = int(n)
	}
	prefix = netip.PrefixFrom(addr, bits).Masked()
	return prefix, prefix.Addr() != addr, true
}

// parseAddress reads an IPv4 or IPv6 address as nginx does.
func parseAddress(text string) (netip.Addr, bool) {
	if addr, ok := parseIPv4(text); ok {
		return addr, true
	}
	if !strings.Contains(text, ":") || strings.Contains(text, "%") {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(text)
	return addr, err == nil
}

// parseIPv4 reads a.b.c.d as nginx does (ngx_inet_addr), which minds neither leading zeros nor an empty part.
func parseIPv4(text string) (netip.Addr, bool) {
	var bytes [4]byte
	part, dots := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if part = part*10 + int(c-'0'); part > 255 {
				return netip.Addr{}, false
			}
		case c == '.' && dots < 3:
			bytes[dots] = byte(part)
			part, dots = 0, dots+1
		default:
			return netip.Addr{}, false
		}
	}
	bytes[3] = byte(part)
	return netip.AddrFrom4(bytes), dots == 3
}

// hostAddress reads the other spellings of an IPv4 address that the system's resolver takes for one (inet_aton): fewer
// than four parts, octal and hexadecimal numbers.
func hostAddress(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var n uint64
	for i, part := range parts {
		v, ok := cNumber(part)
		last := i == len(parts)-1
		if !ok || !last && v > 255 || last && v >= 1<<(8*(4-i)) {
			return netip.Addr{}, false
		}
		if last {
			n |= v
		} else {
			n |= v << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
}

// mayBeHost says whether a name could be found at all: what has a slash, or ends in a number, is in no name service.
func mayBeHost(text string) bool {
	if text == "" || len(text) > 255 || strings.ContainsAny(text, "/ \t\r\n:@[]\"'") {
		return false
	}
	last := strings.TrimSuffix(text, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") != ""
}
