package rule

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A FrontSign is something in the configuration that says that a proxy stands between the clients and this nginx.
type FrontSign struct {
	Text       string // a clause: "listen takes the PROXY protocol"
	Span       source.Span
	Confidence Confidence
}

// Surer says whether s is a better sign than other; both may be nil.
func (s *FrontSign) Surer(other *FrontSign) bool {
	if s == nil || other == nil {
		return s != nil
	}
	return s.Confidence.weight() > other.Confidence.weight()
}

// FrontSign returns the best sign that holds for a place; nil where there is none.
func (f *Facts) FrontSign(p Place) *FrontSign {
	best := listenSign(p.Server)
	if h := p.Settings.RealIPHeader; h.From() != config.Default {
		header := &FrontSign{Text: "real_ip_header is set", Span: h.Origin.Head(), Confidence: High}
		if header.Surer(best) {
			best = header
		}
	}
	if best != nil && best.Confidence == High {
		return best
	}
	if !f.forwarding() {
		return best
	}
	for l := p.Level; l != nil; l = l.Parent {
		if s := f.usedHeader(l); s.Surer(best) {
			best = s
		}
	}
	if s := f.loggedHeader(p.Settings); s.Surer(best) {
		best = s
	}
	return best
}

// listenSign judges where a server listens. One public address is enough for clients to connect themselves.
func listenSign(s *config.Server) *FrontSign {
	var found *FrontSign
	for _, l := range s.Listens {
		if l.Directive == nil {
			return nil
		}
		sign := &FrontSign{Span: l.Directive.Head()}
		addr, err := netip.ParseAddr(l.Address)
		switch {
		case l.ProxyProtocol:
			sign.Text, sign.Confidence = "listen takes the PROXY protocol", High
			return sign
		case strings.HasPrefix(l.Address, "unix:"):
			sign.Text, sign.Confidence = "listen is a unix socket", High
		case err == nil && addr.IsLoopback():
			sign.Text, sign.Confidence = "only this machine can connect to "+l.Text, Medium
		case err == nil && (addr.IsPrivate() || addr.IsLinkLocalUnicast()):
			sign.Text, sign.Confidence = "only a private network can connect to "+l.Text, Low
		default:
			return nil
		}
		if found == nil {
			found = sign
		}
	}
	return found
}

// forwardingHeader matches the variables of headers in which proxies hand on what they know of the client.
var forwardingHeader = regexp.MustCompile(`\$\{?(?i:http_(?:x_forwarded_(?:for|proto|port|ssl)|x_real_ip|x_client_ip|x_original_forwarded_for|forwarded|cf_connecting_ip|cf_visitor|true_client_ip|fastly_client_ip|x_azure_(?:socketip|clientip)|cloudfront_\w+))\b`)

// findForwarding says whether any file names such a variable at all: most name none, and need not be searched word by
// word.
func (f *Facts) findForwarding() bool {
	for _, d := range f.Tree.Input.Documents {
		if strings.Contains(d.File.Text, "http_") && forwardingHeader.MatchString(d.File.Text) {
			return true
		}
	}
	return false
}

// usedHeader looks for a forwarding header among a level's own directives, log formats aside.
func (f *Facts) usedHeader(l *config.Level) *FrontSign {
	s, ok := f.signs.Load(l)
	if !ok {
		s, _ = f.signs.LoadOrStore(l, findUsedHeader(l))
	}
	return s.(*FrontSign)
}

func findUsedHeader(l *config.Level) *FrontSign {
	for _, item := range l.Items {
		switch item.Name().Value {
		case "log_format", "location", "server", "limit_req_zone", "limit_conn_zone":
			continue
		}
		for _, a := range item.Args() {
			if name := forwardingHeader.FindString(a.Value); name != "" {
				return &FrontSign{Text: name + " is used", Span: item.WordSpan(a), Confidence: Medium}
			}
		}
	}
	return nil
}

// stockFormat begins the log format "main" that nginx's own packages install, and most formats made from it. That it
// names a forwarding header says nothing about the machine.
const stockFormat = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for"`

// loggedHeader looks for a forwarding header in a log format that is in use.
func (f *Facts) loggedHeader(s *config.Settings) *FrontSign {
	for _, log := range s.AccessLogs.Value {
		format := f.Tree.HTTP.LogFormats[log.Format]
		if format == nil || format.Directive == nil || strings.HasPrefix(format.Text, stockFormat) {
			continue
		}
		for _, a := range format.Directive.Args() {
			if name := forwardingHeader.FindString(a.Value); name != "" {
				return &FrontSign{Text: name + " is logged", Span: format.Directive.WordSpan(a), Confidence: Low}
			}
		}
	}
	return nil
}

// OnlyNear says whether only this machine or a private network can connect to a server: to a unix socket, or to an address
// that is not a public one.
func OnlyNear(s *config.Server) bool {
	sign := listenSign(s)
	return sign != nil && !slices.ContainsFunc(s.Listens, func(l *config.Listen) bool { return l.ProxyProtocol })
}
