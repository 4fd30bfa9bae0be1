package realip

import (
	"net/netip"
	"strconv"
)

// Text writes an address as nginx writes it into $remote_addr. It differs from the usual form in that an IPv6 address
// that begins with six words of zeros ends as an IPv4 address: ::0.1.0.2 where others write ::1:2.
func Text(addr netip.Addr) string {
	if addr.Is4() || !addr.IsValid() {
		return addr.String()
	}
	b := addr.As16()
	zero, run := longestZeros(b)
	words := 8
	if zero == 0 && (run == 5 && b[10] == 0xff && b[11] == 0xff || run == 6 || run == 7 && b[14] != 0 && b[15] != 1) {
		words = 6
	}
	text := make([]byte, 0, 45)
	if zero == 0 {
		text = append(text, ':')
	}
	for i := 0; i < words; i++ {
		if i == zero {
			text = append(text, ':')
			i += run - 1
			continue
		}
		text = strconv.AppendUint(text, uint64(b[2*i])<<8|uint64(b[2*i+1]), 16)
		if i < 7 {
			text = append(text, ':')
		}
	}
	if words == 6 {
		text = append(text, netip.AddrFrom4([4]byte(b[12:])).String()...)
	}
	return string(text)
}

// longestZeros returns the first of the longest runs of at least two words that are zero; -1 where there is none.
func longestZeros(b [16]byte) (start, length int) {
	start, length = -1, 1
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && b[2*(i+n)] == 0 && b[2*(i+n)+1] == 0 {
			n++
		}
		if n > length {
			start, length = i, n
		}
		i += n
	}
	return start, length
}
