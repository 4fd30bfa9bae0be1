package config

import (
	"fmt"
	"strings"
)

// sslOf is what decides whether a server may speak TLS: its own directives, else those of http.
type sslOf struct {
	certificates, keys []Item
	rejects            bool // every handshake, for which no certificate is needed
}

func (s *Server) ssl() sslOf {
	list := func(name string) []Item {
		_, at, ok := s.EffectiveAt(name)
		if !ok {
			return nil
		}
		return at.FindAll(name)
	}
	rejects, ok := s.Effective("ssl_reject_handshake")
	return sslOf{list("ssl_certificate"), list("ssl_certificate_key"), ok && isOn(rejects.Arg(0))}
}

// certificates refuses servers whose certificates lack keys, and those with "ssl on" that have no certificate
// (ngx_http_ssl_merge_srv_conf). Whether the files are there and fit cannot be known here.
func (r *resolver) certificates() {
	if r.partial() {
		return
	}
	for _, s := range r.http.Servers {
		ssl := s.ssl()
		on, enabled := s.Effective("ssl")
		enabled = enabled && isOn(on.Arg(0)) && r.version < sslGone
		if text := ssl.refusal(enabled); text == "" {
			continue
		} else if enabled {
			r.refuseHead(on, &s.Level, InvalidValue, text+`the "ssl" directive`)
		} else if s.Directive != nil { // without a line
			span := ssl.certificates[len(ssl.certificates)-1].Head()
			r.refuse(&s.Level, Refusal{Kind: InvalidValue, Span: span, Text: text})
		}
	}
}

// Versions of nginx: since the first a listener needs a certificate when nginx starts, not only when somebody connects; the
// second knows no "ssl on".
const (
	listenNeedsCertificate = 1015000
	sslGone                = 1025001
)

// refusal returns nginx's words, with enabled those before the directive's name; "" where nothing is wrong.
func (s sslOf) refusal(enabled bool) string {
	switch n := len(s.certificates); {
	case n == 0 && enabled && !s.rejects:
		return `no "ssl_certificate" is defined for `
	case len(s.keys) >= n:
		return ""
	case !enabled:
		return fmt.Sprintf(`no "ssl_certificate_key" is defined for certificate "%s"`, s.certificates[n-1].Arg(0))
	case len(s.keys) == 0:
		return `no "ssl_certificate_key" is defined for `
	default:
		return fmt.Sprintf(`no "ssl_certificate_key" is defined for certificate "%s" and `, s.certificates[n-1].Arg(0))
	}
}

// listenersWithoutCertificate refuses addresses with TLS, or QUIC, which has no other, whose default server has no certificate, and any server of one whose
// default server rejects handshakes (ngx_http_ssl_init).
func (r *resolver) listenersWithoutCertificate() {
	if r.partial() || r.version < listenNeedsCertificate {
		return
	}
	for _, at := range r.ports.order {
		if !at.ssl && !at.key.quic {
			continue
		}
		parameter := "ssl"
		if at.key.quic {
			parameter = "quic"
		}
		asked := at.servers[:1]
		if at.defaultOf != nil {
			asked = []*Server{at.defaultOf}
		}
		switch ssl := asked[0].ssl(); {
		case len(ssl.certificates) > 0:
			if s := asked[0]; at.key.quic && s.withoutTLS13() && s.Directive != nil {
				r.refuseHead(Item{Directive: s.Directive, Via: s.Via}, &s.Level, InvalidValue,
					`"ssl_protocols" must enable TLSv1.3 for the "listen ... quic" directive`)
			}
			continue
		case ssl.rejects:
			asked = at.servers
		}
		for _, s := range asked {
			if ssl := s.ssl(); len(ssl.certificates) == 0 && !ssl.rejects && s.Directive != nil {
				r.refuseHead(Item{Directive: s.Directive, Via: s.Via}, &s.Level, InvalidValue,
					fmt.Sprintf(`no "ssl_certificate" is defined for the "listen ... %s" directive`, parameter))
				break
			}
		}
	}
}

// withoutTLS13 says that the server's ssl_protocols leave out the only version that QUIC knows; it is among those that every nginx
// with QUIC takes by default.
func (s *Server) withoutTLS13() bool {
	it, ok := s.Effective("ssl_protocols")
	if !ok {
		return false
	}
	for _, w := range it.ArgsFrom(0) {
		if strings.EqualFold(w.Value, "TLSv1.3") {
			return false
		}
	}
	return true
}
