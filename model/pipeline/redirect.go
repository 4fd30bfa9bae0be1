package pipeline

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A redirection says how a Location header that begins with "/" is completed (ngx_http_header_filter). The zero one is
// nginx's default: the client's own host, with the port.
type redirection struct {
	relative bool // absolute_redirect off: it stays as it is
	byName   bool // server_name_in_redirect on: the server's name goes before the client's host
	portless bool // port_in_redirect off
}

func readRedirection(level *config.Level) redirection {
	return redirection{
		relative: text(level, "absolute_redirect", "on") == "off",
		byName:   text(level, "server_name_in_redirect", "off") == "on",
		portless: text(level, "port_in_redirect", "on") == "off",
	}
}

// completed returns the Location header of a redirect by the settings of a conf. An address within the server stays
// without scheme and host where nobody knows which nginx would write.
func (r *run) completed(to string, c *conf) string {
	if !strings.HasPrefix(to, "/") || c == nil || c.redirects.relative {
		return to
	}
	host := r.vars.Host
	if c.redirects.byName {
		host, _ = r.vars.ServerName.Known()
		if host == "" && r.vars.ServerName.Reason() != "" {
			return to
		}
	} else if host == "" {
		if host = literal(r.vars.Server.Addr()); host == "" {
			return to
		}
	}
	scheme, usual := "http", uint16(80)
	if r.req.Scheme == "https" {
		scheme, usual = "https", 443
	}
	if port := r.vars.Server.Port(); !c.redirects.portless && port != usual && port != 0 {
		host += ":" + strconv.Itoa(int(port))
	}
	return scheme + "://" + host + to
}

// literal writes an address as the host of a URL; "" where it is not known.
func literal(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return ""
	case a.Is4():
		return a.String()
	}
	return "[" + request.AddrText(a) + "]"
}
