package simulate

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Reach is how a client comes to a server: the scheme and address of one of its listeners, with TLS before without, and a
// host that leads to it. The address is not valid where only a unix socket listens, and the wildcard's for a wildcard.
func Reach(s *config.Server) (scheme, host string, at netip.AddrPort) {
	scheme, at = reached((&Options{}).listener(s))
	return scheme, hostFor(s), at
}
