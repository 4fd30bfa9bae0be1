package main

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// maxAsked bounds how many hosts, and how many of its addresses, are tried to come to the first server.
const maxAsked = 20

// toFirst lets a request that names no host come to the first server: by one of its names, or by a host that no server
// knows where it is the default. The assumption says what was made of the request, and where that does not come there.
func toFirst(r *request.Request, tree *config.Tree, p *pipeline.Pipeline) (assumption string) {
	first := tree.HTTP.Servers[0]
	var asked *request.Request
	for _, host := range hostsOf(first) {
		for _, l := range first.Listens[:min(len(first.Listens), maxAsked)] {
			try := *r
			try.Host, try.NoHost = host, host == ""
			if l.Port != 0 { // no unix socket
				try.Scheme, try.Server = "http", netip.AddrPortFrom(addressOf(l), uint16(l.Port))
				if l.SSL {
					try.Scheme = "https"
				}
			}
			if asked == nil {
				asked = &try
			}
			trial := try
			if p.Fresh().Do(clock.Up, &trial).Server != first {
				continue
			}
			*r = try
			if host == "" {
				return "no host was given: the first server takes requests without one"
			}
			return "no host was given: " + host + " is asked"
		}
	}
	*r = *asked
	return "no host was given: " + asked.Host + " is asked, which does not come to the first server: name a host in the URL"
}

// hostsOf are hosts by which a server may be asked, the plainest first.
func hostsOf(s *config.Server) []string {
	var plain, made []string
	for _, n := range s.Names[:min(len(s.Names), maxAsked)] {
		switch n.Kind {
		case config.NameExact:
			if n.Text != "" {
				plain = append(plain, n.Text)
			}
		case config.NameDot:
			made = append(made, strings.TrimPrefix(n.Text, "."))
		case config.NameLeading:
			made = append(made, "www"+strings.TrimPrefix(n.Text, "*"))
		case config.NameTrailing:
			made = append(made, strings.TrimSuffix(n.Text, "*")+"example")
		case config.NameRegex: // which host it matches is not worked out
		}
	}
	return slices.Concat(plain, made, []string{"localhost", "nobody.invalid", ""})
}

// addressOf is the address that a server listens on, where it is a single one.
func addressOf(l *config.Listen) netip.Addr {
	addr, err := netip.ParseAddr(l.Address)
	if err != nil || addr.IsUnspecified() {
		return netip.Addr{}
	}
	return addr
}
