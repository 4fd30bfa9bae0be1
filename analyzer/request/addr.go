package request

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"
)

// ParseAddr reads an address as nginx does, which takes some that the standard library does not: 010.0.0.01, 10..0.1.
// As to nginx, 255.255.255.255 is no address.
func ParseAddr(text string) (netip.Addr, bool) {
	if v4, ok := parse4(text); ok {
		return v4, true
	}
	return parse6(text)
}

func parse4(text string) (netip.Addr, bool) {
	var addr, octet uint32
	dots := 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			if octet = octet*10 + uint32(c-'0'); octet > 255 {
				return netip.Addr{}, false
			}
		case c == '.':
			addr, octet = addr<<8+octet, 0
			dots++
		default:
			return netip.Addr{}, false
		}
	}
	addr = addr<<8 + octet
	if dots != 3 || addr == 0xffffffff {
		return netip.Addr{}, false
	}
	return Addr4(addr), true
}

// Addr4 is the IPv4 address with the given bits.
func Addr4(bits uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], bits)
	return netip.AddrFrom4(b)
}

// parse6 reads an IPv6 address. nginx takes more than the standard library: a superfluous colon in front, one behind.
func parse6(text string) (netip.Addr, bool) {
	var p parser6
	if text == "" || !p.read(strings.TrimPrefix(text, ":")) {
		return netip.Addr{}, false
	}
	return p.addr()
}

// parser6 collects the eight words of an IPv6 address.
type parser6 struct {
	words  [8]uint16
	n      int // words so far
	zeroes int // 1 + the index of the word before which "::" stands; 0 where it does not
}

// read reads all words but one that has no digits at the very end: nginx counts a zero for it.
func (p *parser6) read(s string) bool {
	word, nibbles, start := uint32(0), 0, -1
	for i := range len(s) {
		c := s[i]
		if c == ':' {
			switch {
			case nibbles > 0:
				if !p.put(word) || p.n == len(p.words) {
					return false
				}
				word, nibbles, start = 0, 0, i+1
			case p.zeroes == 0:
				p.zeroes, start = p.n+1, i+1
			default:
				return false
			}
			continue
		}
		if c == '.' && nibbles > 0 {
			v4, ok := parse4(s[max(start, 0):])
			if !ok || start < 0 || p.n > len(p.words)-2 {
				return false
			}
			b := v4.As4()
			return p.put(uint32(b[0])<<8|uint32(b[1])) && p.put(uint32(b[2])<<8|uint32(b[3]))
		}
		d, ok := hex(c)
		if nibbles++; !ok || nibbles > 4 {
			return false
		}
		word = word<<4 | uint32(d)
	}
	return (nibbles > 0 || p.zeroes > 0) && p.put(word)
}

func (p *parser6) put(word uint32) bool {
	if p.n == len(p.words) {
		return false
	}
	p.words[p.n] = uint16(word)
	p.n++
	return true
}

// addr fills in the zeroes that "::" stands for: at least one word.
func (p *parser6) addr() (netip.Addr, bool) {
	missing := len(p.words) - p.n
	if (missing > 0) != (p.zeroes > 0) {
		return netip.Addr{}, false
	}
	if missing > 0 {
		at := p.zeroes - 1
		copy(p.words[at+missing:], p.words[at:p.n])
		clear(p.words[at : at+missing])
	}
	var b [16]byte
	for i, w := range p.words {
		binary.BigEndian.PutUint16(b[2*i:], w)
	}
	return netip.AddrFrom16(b), true
}

// ParseAddrPort reads an address that may carry a port, as in X-Forwarded-For: 192.0.2.1:443, [2001:db8::1]:443. The
// port is 0 where there is none. An address in brackets without a port is taken only where bare is true: nginx takes
// it since 1.27.3.
func ParseAddrPort(text string, bare bool) (netip.AddrPort, bool) {
	if a, ok := ParseAddr(text); ok {
		return netip.AddrPortFrom(a, 0), true
	}
	host, port := "", ""
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return netip.AddrPort{}, false
		}
		host, port = text[1:end], text[end+1:]
		if port == "" && bare {
			a, ok := ParseAddr(host)
			return netip.AddrPortFrom(a, 0), ok
		}
	} else if i := strings.IndexByte(text, ':'); i >= 0 {
		host, port = text[:i], text[i:]
	}
	if len(port) < 2 || port[0] != ':' {
		return netip.AddrPort{}, false
	}
	n, ok := digits(port[1:])
	if !ok || n < 1 || n > 65535 {
		return netip.AddrPort{}, false
	}
	a, ok := ParseAddr(host)
	return netip.AddrPortFrom(a, uint16(n)), ok
}

func digits(s string) (int, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// ParseNetwork reads an address or a network in CIDR notation as nginx does. Where bits are set below the mask, lowBits
// is true and they are cleared: nginx warns of them. An IPv4-mapped IPv6 network stays an IPv6 one.
func ParseNetwork(text string) (network netip.Prefix, lowBits, ok bool) {
	host, mask, cut := strings.Cut(text, "/")
	a, ok := ParseAddr(host)
	if !ok {
		return netip.Prefix{}, false, false
	}
	bits := a.BitLen()
	if cut {
		n, isNumber := digits(mask)
		if !isNumber || mask == "" || n > bits {
			return netip.Prefix{}, false, false
		}
		bits = n
	}
	masked := netip.PrefixFrom(a, bits).Masked()
	return masked, masked.Addr() != a, true
}

// Contains says whether an address lies in one of the networks, as nginx compares them: an IPv4-mapped IPv6 address
// counts as IPv4, and matches no IPv6 network.
func Contains(networks []netip.Prefix, a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, n := range networks {
		if n.Addr().Is4() == a.Is4() && n.Contains(a) {
			return true
		}
	}
	return false
}

// AddrText writes an address as nginx does: IPv6 in the short form, with the last four bytes in decimals where they are
// an IPv4 address.
func AddrText(a netip.Addr) string {
	if !a.Is6() || a.Is4In6() {
		return a.String()
	}
	b := a.As16()
	for _, c := range b[:12] {
		if c != 0 {
			return a.String()
		}
	}
	if b[12] == 0 && b[13] == 0 && (b[14] == 0 || b[15] == 1) {
		return a.String()
	}
	return "::" + netip.AddrFrom4([4]byte(b[12:])).String()
}
