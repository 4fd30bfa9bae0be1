package rule

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// NeverEqual says why no value of the block's source can be what an entry compares it with; "" where one can, and where that
// is not known.
func (b *Block) NeverEqual(e *Entry) string {
	if len(b.Source.Parts) != 1 || b.Source.Parts[0].Variable == "" {
		return ""
	}
	name := b.Source.Parts[0].Variable
	switch kind := b.Item.Name().Value; {
	case kind == "geo" && name == "binary_remote_addr":
		return "geo reads an address from text, and $binary_remote_addr holds raw bytes"
	case kind != "map" || e.Key == "" || e.Key[0] == '~':
		return ""
	}
	text := strings.ToLower(strings.TrimPrefix(e.Key, `\`))
	if text == "" {
		return ""
	}
	return neverEqual(name, text, b.hostnames)
}

var method = regexp.MustCompile(`^[a-z_-]+$`)

// neverEqual says why no value of a variable is a text, in lower case.
func neverEqual(name, text string, hostnames bool) string {
	wildcard := strings.HasPrefix(text, "*.") || strings.HasSuffix(text, ".*") || len(text) > 1 && text[0] == '.'
	switch name {
	case "remote_addr", "realip_remote_addr", "proxy_protocol_addr":
		if !hostnames || !wildcard {
			return noAddress(name, text)
		}
	case "binary_remote_addr":
		if n := len(text); n != 4 && n != 16 && text != "unix:" {
			return "$binary_remote_addr is 4 or 16 raw bytes"
		}
	case "uri", "document_uri", "request_uri":
		if text[0] != '/' && text != "*" {
			return fmt.Sprintf("$%s begins with a slash", name)
		}
	case "host", "http_host":
		switch {
		case strings.Contains(text, "/"):
			return fmt.Sprintf("$%s is a name without scheme and path", name)
		case name == "host" && strings.Contains(text, ":") && !strings.HasPrefix(text, "["):
			return "$host has no port"
		case wildcard && !hostnames:
			return "without hostnames the map compares it as it stands"
		}
	case "scheme":
		if text != "http" && text != "https" {
			return "$scheme is http or https"
		}
	case "request_method":
		if !method.MatchString(text) {
			return "it is no method"
		}
	}
	return ""
}

// noAddress says why no address is spelt like a text.
func noAddress(name, text string) string {
	if text == "unix:" {
		return ""
	}
	if strings.Contains(text, "/") {
		return "a map knows no networks, it compares the text of the address"
	}
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return fmt.Sprintf("$%s is an address, and that is none", name)
	case request.AddrText(addr) != text:
		return fmt.Sprintf("nginx writes the address as %q", request.AddrText(addr))
	}
	return ""
}

// MatchesAnything says whether an entry of a map is a regex that every text but the empty one matches.
func MatchesAnything(key string) bool {
	pattern, ok := strings.CutPrefix(key, "~")
	if !ok {
		return false
	}
	switch strings.TrimPrefix(pattern, "*") {
	case "", "^", "$", ".", ".*", ".+", "^.", "^.*", "^.+", ".*$", ".+$", "^.*$", "^.+$", "(.*)", "(.+)", "^(.*)$", "^(.+)$":
		return true
	}
	return false
}
