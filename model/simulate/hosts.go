package simulate

import (
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// ask returns the server that takes a host at an address.
func ask(router *route.Router, host string, at netip.AddrPort) *config.Server {
	return router.Server(&request.Request{Host: host, Target: "/", Server: at})
}

// named says whether a server answers to a host by one of its names.
func named(s *config.Server, host string) bool {
	host = strings.ToLower(host)
	for _, n := range s.Names {
		if strings.ToLower(n.Text) == host {
			return true
		}
	}
	return false
}
