package replay

import (
	"crypto/sha256"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

const (
	strangeBytes = "\xfdngx"      // with which the addresses begin that stand in for texts
	strangeText  = "fd6e:6778:"   // likewise, as text
	strangeQuote = `\xfdngx`      // likewise, in a key that is shown byte by byte
	noAddress    = "(no address)" // of which the text is not kept any more
	mostText     = 128            // bytes that are shown of such a text
)

// Strangers are clients that were logged as something else than an address. Each text gets an address of a private range
// that it shares with nobody, as what judges them asks for addresses; such an address is never shown.
type strangers map[netip.Addr]string

// address returns the one of a text.
func (s strangers) address(text string) netip.Addr {
	h := sha256.Sum256([]byte(text))
	copy(h[:], strangeBytes)
	a := netip.AddrFrom16([16]byte(h[:16]))
	if len(s) < mostWho {
		if len(text) > mostText {
			text = text[:mostText] + "..."
		}
		s[a] = strings.Clone(text)
	}
	return a
}

// shown puts the texts in the place of their addresses in a key.
func (s strangers) shown(key string) string {
	if len(s) == 0 {
		return key
	}
	var b strings.Builder
	for key != "" {
		text, quoted := strings.Index(key, strangeText), strings.Index(key, strangeQuote)
		at := text
		var length int
		var name string
		switch {
		case text < 0 && quoted < 0:
			b.WriteString(key)
			return b.String()
		case quoted >= 0 && (text < 0 || quoted < text):
			at = quoted
			length, name = s.quoted(key[at:])
		default:
			length, name = s.text(key[at:])
		}
		b.WriteString(key[:at])
		b.WriteString(pipeline.Readable(name))
		key = key[at+length:]
	}
	return b.String()
}

// text finds the address with which a text begins, and whose it is.
func (s strangers) text(key string) (length int, name string) {
	end := len(strangeText)
	for end < len(key) && strings.IndexByte("0123456789abcdef:", key[end]) >= 0 {
		end++
	}
	for n := end; n > len(strangeText); n-- { // what follows may be hexadecimal too
		if a, err := netip.ParseAddr(key[:n]); err == nil {
			if name, ok := s[a]; ok {
				return n, name
			}
		}
	}
	return end, noAddress
}

// quoted is text, of a key of bytes.
func (s strangers) quoted(key string) (length int, name string) {
	var raw []byte
	rest := key
	for len(raw) < 16 && rest != "" {
		r, several, tail, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			break
		}
		if rest = tail; several {
			raw = utf8.AppendRune(raw, r)
		} else {
			raw = append(raw, byte(r))
		}
	}
	if a, ok := netip.AddrFromSlice(raw); ok {
		if name, ok := s[a]; ok {
			return len(key) - len(rest), name
		}
	}
	return len(key) - len(rest), noAddress
}
