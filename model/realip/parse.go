package realip

import (
	"net/netip"
	"strings"
)

// parseEntry reads one entry of a list as nginx does: an address, a.b.c.d:port, or [address]:port. Port 0 and ports
// above 65535 are no ports. With bare an address in brackets may stand without one.
func parseEntry(text string, bare bool) (addr netip.Addr, port uint16, ok bool) {
	if addr, ok = parseAddr(text); ok {
		return addr, 0, true
	}
	host, digits, found := strings.Cut(text, ":")
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return netip.Addr{}, 0, false
		}
		host, digits = text[1:end], text[end+1:]
		if digits == "" && bare {
			addr, ok = parseAddr(host)
			return addr, 0, ok
		}
		digits, found = strings.CutPrefix(digits, ":")
	}
	if !found {
		return netip.Addr{}, 0, false
	}
	if port, ok = parsePort(digits); !ok {
		return netip.Addr{}, 0, false
	}
	if addr, ok = parseAddr(host); !ok {
		return netip.Addr{}, 0, false
	}
	return addr, port, true
}

func parsePort(digits string) (uint16, bool) {
	n := 0
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > 65535 {
			return 0, false
		}
	}
	return uint16(n), n > 0
}

func parseAddr(text string) (netip.Addr, bool) {
	if a, ok := parse4(text); ok {
		return netip.AddrFrom4(a), true
	}
	if a, ok := parse6(text); ok {
		return netip.AddrFrom16(a), true
	}
	return netip.Addr{}, false
}

// parse4 reads a dotted address as nginx does, which is laxer than others: leading zeros are decimal, and an empty
// part is 0. The address 255.255.255.255 is its mark of failure and so none.
func parse4(text string) (addr [4]byte, ok bool) {
	part, octet := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if octet = octet*10 + int(c-'0'); octet > 255 {
				return addr, false
			}
		case c == '.' && part < 3:
			addr[part] = byte(octet)
			part, octet = part+1, 0
		default:
			return addr, false
		}
	}
	addr[part] = byte(octet)
	return addr, part == 3 && addr != [4]byte{255, 255, 255, 255}
}

// A reader6 holds what has been read of an IPv6 address.
type reader6 struct {
	words  [8]uint16
	n      int // words read
	gap    int // where "::" stood, in words; -1 before it
	digits int // of the word being read
	word   uint16
	start  int // where the text behind the last colon begins; -1 before it
}

// parse6 reads an IPv6 address as nginx does. It takes some spellings that others refuse: one colon in front of
// anything, and one behind an address with "::".
func parse6(text string) (addr [16]byte, ok bool) {
	if text == "" {
		return addr, false
	}
	r := reader6{gap: -1, start: -1}
	i := 0
	if text[0] == ':' {
		i = 1
	}
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && r.digits > 0 {
			if !r.dotted(text) {
				return addr, false
			}
			break
		}
		if c == ':' {
			ok = r.colon(i + 1)
		} else {
			ok = r.digit(c)
		}
		if !ok {
			return addr, false
		}
	}
	return r.finish()
}

func (r *reader6) colon(next int) bool {
	switch {
	case r.digits > 0:
		if r.n == 7 {
			return false
		}
		r.push(r.word)
		r.digits, r.word = 0, 0
	case r.gap < 0:
		r.gap = r.n
	default:
		return false
	}
	r.start = next
	return true
}

func (r *reader6) digit(c byte) bool {
	if r.digits++; r.digits > 4 {
		return false
	}
	switch lower := c | 0x20; {
	case c >= '0' && c <= '9':
		r.word = r.word<<4 | uint16(c-'0')
	case lower >= 'a' && lower <= 'f':
		r.word = r.word<<4 | uint16(lower-'a'+10)
	default:
		return false
	}
	return true
}

// dotted reads an IPv4 address at the end: the text behind the last colon. Its second half becomes the last word.
func (r *reader6) dotted(text string) bool {
	if r.n > 6 || r.start < 0 {
		return false
	}
	a, ok := parse4(text[r.start:])
	if !ok {
		return false
	}
	r.push(uint16(a[0])<<8 | uint16(a[1]))
	r.word = uint16(a[2])<<8 | uint16(a[3])
	return true
}

func (r *reader6) push(word uint16) {
	r.words[r.n] = word
	r.n++
}

// finish takes the last word, which may be empty behind "::", and opens the gap.
func (r *reader6) finish() (addr [16]byte, ok bool) {
	if r.digits == 0 && r.gap < 0 {
		return addr, false
	}
	r.push(r.word)
	if (r.n < 8) != (r.gap >= 0) {
		return addr, false
	}
	for i := range r.n {
		to := i
		if r.gap >= 0 && i >= r.gap {
			to += 8 - r.n
		}
		addr[2*to], addr[2*to+1] = byte(r.words[i]>>8), byte(r.words[i])
	}
	return addr, true
}
