package traffic

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// longestTarget bounds a request target: nginx reads a request line of up to 8 KiB unless large_client_header_buffers
// says otherwise, and nobody is known to go beyond this.
const longestTarget = 64 << 10

// SetURL lets a request go to a URL: scheme, host and target. The target is what stands behind the host, as written,
// without a fragment (no client sends one); an empty path is "/". Request.Server gets the port, and the address where the
// host is one. A URL that is a path only leaves scheme, host and port as they are; one that begins with "//" is such a
// path, as it would be in a request, and names no host.
func SetURL(r *request.Request, url string) error {
	url, _, _ = strings.Cut(url, "#")
	if strings.HasPrefix(url, "/") {
		return setTarget(r, url)
	}
	scheme, rest, ok := strings.Cut(url, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return fmt.Errorf("URL %s begins neither with http:// nor https:// nor with a path", quoted(url))
	}
	authority, target := rest, "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, target = rest[:i], rest[i:]
		if target[0] == '?' {
			target = "/" + target
		}
	}
	server, err := serverOf(authority, scheme)
	if err != nil {
		return fmt.Errorf("URL %s: %w", quoted(url), err)
	}
	r.Scheme, r.Host, r.Server = scheme, authority, server
	return setTarget(r, target)
}

func setTarget(r *request.Request, target string) error {
	if len(target) > longestTarget {
		return fmt.Errorf("request target of %d bytes is longer than %d", len(target), longestTarget)
	}
	for i := range len(target) {
		if c := target[i]; c <= ' ' || c == 0x7f {
			return fmt.Errorf("request target %s holds a space or a control character", quoted(target))
		}
	}
	r.Target = target
	return nil
}

// serverOf reads the host and port of a URL. Where the host is a name the address is not valid, and the port is known
// all the same.
func serverOf(authority, scheme string) (netip.AddrPort, error) {
	if strings.Contains(authority, "@") {
		return netip.AddrPort{}, errors.New("a user name in front of the host is not sent to a server")
	}
	var host, digits string
	found := false
	if end := strings.IndexByte(authority, ']'); strings.HasPrefix(authority, "[") && end > 0 {
		host, digits = authority[1:end], authority[end+1:]
		if digits != "" {
			if digits, found = strings.CutPrefix(digits, ":"); !found {
				return netip.AddrPort{}, fmt.Errorf("%s follows the address in brackets", quoted(digits))
			}
		}
		if a, err := netip.ParseAddr(host); err != nil || !a.Is6() || a.Zone() != "" {
			return netip.AddrPort{}, fmt.Errorf("%s is no IPv6 address", quoted(host))
		}
	} else {
		host, digits, found = strings.Cut(authority, ":")
	}
	if host == "" {
		return netip.AddrPort{}, errors.New("it has no host")
	}
	for i := range len(host) {
		if c := host[i]; c <= ' ' || c == 0x7f || c == '\\' {
			return netip.AddrPort{}, fmt.Errorf("host %s holds a character that no host has", quoted(host))
		}
	}
	port := uint64(80)
	if scheme == "https" {
		port = 443
	}
	if found {
		var err error
		if port, err = strconv.ParseUint(digits, 10, 16); err != nil || port == 0 {
			return netip.AddrPort{}, fmt.Errorf("%s is no port", quoted(digits))
		}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		addr = netip.Addr{}
	}
	return netip.AddrPortFrom(addr, uint16(port)), nil
}
