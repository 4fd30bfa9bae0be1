package config

import (
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// setRealIPFrom reads set_real_ip_from.
func (r *resolver) setRealIPFrom(it Item, _ *visit, s *scope) {
	w := it.Word(0)
	t := &Trusted{Text: w.Value, Directive: it.Directive, Via: it.Via, Span: it.WordSpan(w)}
	switch prefix, low, ok := request.ParseNetwork(w.Value); {
	case w.Value == "unix:":
		t.Unix = true
	case ok:
		t.Prefix, t.LowBits = prefix, low
		if low {
			r.lowBits(it, w, s.level, RealIPLowBits)
		}
	case r.version < 1013001:
		r.refuseWord(it, w, s.level, UnsupportedVersion, "invalid parameter "+quoted(w.Value))
		return
	case lower(w.Value) == "localhost": // the one name whose addresses are the same everywhere; nginx takes both
		six := *t
		t.Prefix, six.Prefix = netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")
		appendTo(&s.level.ownRealIP().RealIPFrom, it, s.level, &six)
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
	appendTo(&s.level.ownRealIP().RealIPFrom, it, s.level, t)
}

// accessRule looks at the network of allow and deny.
func (r *resolver) accessRule(it Item, _ *visit, s *scope) {
	w := it.Word(0)
	_, low, ok := request.ParseNetwork(w.Value)
	switch {
	case w.Value == "all", w.Value == "unix:":
	case !ok:
		r.badParameter(it, w, s.level)
	case low:
		r.lowBits(it, w, s.level, InvalidValue)
	}
}

// lowBits warns of a network with bits below its mask.
func (r *resolver) lowBits(it Item, w syntax.Word, l *Level, kind RefusalKind) {
	r.refuse(l, Refusal{
		Kind: kind, Span: it.WordSpan(w), Line: line(it.Directive), Warning: true,
		Text: "low address bits of " + w.Value + " are meaningless",
	})
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

// mayBeHost says whether a name could be found at all: what has a slash, an empty part, a hyphen in front, or ends in a
// number, is in no name service.
func mayBeHost(text string) bool {
	if text == "" || len(text) > 255 || strings.ContainsAny(text, "/ \t\r\n:@[]\"'?#") || text[0] == '-' || text[0] == '.' || strings.Contains(text, "..") {
		return false
	}
	last := strings.TrimSuffix(text, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	return last != "" && strings.Trim(last, "0123456789") != ""
}
