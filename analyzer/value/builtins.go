package value

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// builtin is a variable that nginx itself gives, or one that a template was bound to.
type builtin struct {
	get        func(r *Request) Value
	reason     string       // why it is unknown, where there is no get; the variable's name goes before it
	volatile   bool         // nginx computes it again for every use
	changeable bool         // a configuration may set or define it
	of         *Definitions // that define it; nil for nginx's own
}

func (b *builtin) value(r *Request, name string) (v Value, keep bool) {
	if b.get == nil {
		return Unknown("$" + name + " " + b.reason), true
	}
	return b.get(r), !b.volatile
}

// fixed returns nginx's variable of a name where no configuration may define it, else nil.
func fixed(name string) *builtin {
	if b := builtins[name]; b != nil && !b.changeable {
		return b
	}
	return nil
}

type prefixed struct {
	prefix   string
	get      func(r *Request, name string) Value
	reason   string
	volatile bool
}

// Why variables are unknown.
const (
	afterUpstream = "is known only after the upstream answered"
	afterAnswer   = "is known only when the answer is sent"
	ofClock       = "is a time"
	ofConnection  = "is known only on a running connection"
	ofProcess     = "is known only in a running nginx"
	ofGeoIP       = "comes from a GeoIP database"
	ofConfig      = "is not known from the configuration"
)

// prefixes are the families of variables whose names go on freely.
var prefixes = []prefixed{
	{prefix: "http_", get: (*Request).header},
	{prefix: "arg_", get: (*Request).argument, volatile: true},
	{prefix: "cookie_", get: (*Request).cookie},
	{prefix: "sent_http_", reason: afterAnswer},
	{prefix: "sent_trailer_", reason: afterAnswer},
	{prefix: "upstream_http_", reason: afterUpstream},
	{prefix: "upstream_cookie_", reason: afterUpstream},
	{prefix: "upstream_trailer_", reason: afterUpstream},
	{prefix: "geoip_", reason: ofGeoIP},
	{prefix: "geoip2_", reason: ofGeoIP},
	{prefix: "jwt_", reason: ofConfig},
	{prefix: "proxy_protocol_tlv_", reason: ofConnection},
}

var builtins = func() map[string]*builtin {
	m := map[string]*builtin{
		"args":           {get: func(r *Request) Value { return Of(r.Args) }, volatile: true, changeable: true},
		"query_string":   {get: func(r *Request) Value { return Of(r.Args) }, volatile: true},
		"is_args":        {get: isArgs, volatile: true},
		"uri":            {get: func(r *Request) Value { return Of(r.URI) }, volatile: true},
		"document_uri":   {get: func(r *Request) Value { return Of(r.URI) }, volatile: true},
		"request_uri":    {get: func(r *Request) Value { return Of(request.Unparsed(r.HTTP.Target)) }},
		"request_method": {get: func(r *Request) Value { return Of(orElse(r.Method, orElse(r.HTTP.Method, "GET"))) }, volatile: true},
		"request":        {get: requestLine},
		"scheme":         {get: func(r *Request) Value { return Of(orElse(r.HTTP.Scheme, "http")) }},
		"https":          {get: func(r *Request) Value { return when(r.HTTP.Scheme == "https", "on") }},
		"http2":          {get: http2},
		"http3": {get: func(r *Request) Value {
			return when(strings.HasPrefix(r.HTTP.Protocol, "HTTP/3"), "h3")
		}},
		"server_protocol": {get: func(r *Request) Value { return Of(protocol(r)) }},
		"server_name":     {get: func(r *Request) Value { return r.ServerName }},
		"host":            {get: host},
		"content_length":  {get: contentLength},
		"content_type":    {get: contentType},
		"remote_user":     {get: remoteUser},

		"binary_remote_addr":  {get: binaryAddr},
		"remote_addr":         {get: func(r *Request) Value { return Of(addrText(r.Client.Addr())) }},
		"remote_port":         {get: func(r *Request) Value { return Of(portText(r.Client.Port())) }},
		"realip_remote_addr":  {get: func(r *Request) Value { return Of(addrText(r.HTTP.Peer)) }},
		"realip_remote_port":  {get: func(r *Request) Value { return Of(portText(r.HTTP.PeerPort)) }},
		"proxy_protocol_addr": {get: proxyAddr},
		"proxy_protocol_port": {get: func(r *Request) Value { return Of(portText(r.HTTP.Proxy.Port())) }},
		"server_addr":         {get: serverAddr},
		"server_port":         {get: serverPort},

		"proxy_add_x_forwarded_for": {get: addForwarded},
		"document_root":             {get: func(r *Request) Value { return r.DocumentRoot }, volatile: true},
		"realpath_root":             {reason: "follows symbolic links on the server's disk"},
		"request_filename":          {get: func(r *Request) Value { return r.Filename }, volatile: true},
		"request_completion":        {get: func(*Request) Value { return Value{} }},
		"limit_req_status":          {get: func(r *Request) Value { return Of(r.LimitReqStatus) }, volatile: true},
		"limit_conn_status":         {get: func(r *Request) Value { return Of(r.LimitConn) }, volatile: true},
		"nginx_version":             {get: nginxVersion},
		"status":                    {get: status, volatile: true},

		"limit_rate": {reason: ofConfig, volatile: true, changeable: true},
		"hostname":   {reason: "is the name of the machine that nginx runs on"},

		// Since 1.29.3 only; before that a configuration may define them.
		"request_port":    {get: requestPort, volatile: true, changeable: true},
		"is_request_port": {get: isRequestPort, volatile: true, changeable: true},
	}
	unknown(m, ofClock, "msec", "time_iso8601", "time_local", "date_gmt", "date_local", "request_time", "connection_time")
	unknown(m, ofProcess, "pid", "connection", "connection_requests", "connections_active", "connections_reading",
		"connections_waiting", "connections_writing", "request_id", "pipe")
	unknown(m, ofConnection, "tcpinfo_rtt", "tcpinfo_rttvar", "tcpinfo_snd_cwnd", "tcpinfo_rcv_space", "request_length",
		"proxy_protocol_server_addr", "proxy_protocol_server_port")
	unknown(m, afterAnswer, "bytes_sent", "body_bytes_sent", "gzip_ratio")
	unknown(m, afterUpstream, "upstream_addr", "upstream_bytes_received", "upstream_bytes_sent", "upstream_cache_etag",
		"upstream_cache_last_modified", "upstream_cache_status", "upstream_connect_time", "upstream_header_time",
		"upstream_last_server_name", "upstream_queue_time", "upstream_response_length", "upstream_response_time", "upstream_status")
	unknown(m, "is known only once the body was read", "request_body", "request_body_file")
	unknown(m, ofConfig, "invalid_referer", "secure_link", "secure_link_expires", "slice_range", "uid_got", "uid_set", "uid_reset",
		"ancient_browser", "modern_browser", "msie", "fastcgi_path_info", "fastcgi_script_name", "proxy_host", "proxy_port",
		"proxy_add_via", "session_log_id", "session_log_binary_id", "auth_jwt_claims")
	for _, name := range []string{
		"alpn_protocol", "cipher", "ciphers", "client_cert", "client_escaped_cert", "client_fingerprint",
		"client_i_dn", "client_i_dn_legacy", "client_raw_cert", "client_s_dn", "client_s_dn_legacy", "client_serial",
		"client_sigalg", "client_v_end", "client_v_remain", "client_v_start", "client_verify", "curve", "curves", "early_data",
		"ech_outer_server_name", "ech_status", "protocol", "server_name", "session_id", "session_reused", "sigalg",
	} {
		m["ssl_"+name] = &builtin{get: ofTLS("ssl_" + name), changeable: true}
	}
	for _, name := range []string{"ancient_browser", "modern_browser", "msie", "invalid_referer", "uid_reset", "proxy_host", "proxy_port"} {
		m[name].changeable = true
	}
	return m
}()

// status is known while the answer is being sent: when a header is added to it.
func status(r *Request) Value {
	if r.Status == 0 {
		return Unknown("$status " + afterAnswer)
	}
	return Of(fmt.Sprintf("%03d", r.Status))
}

func unknown(m map[string]*builtin, reason string, names ...string) {
	for _, name := range names {
		m[name] = &builtin{reason: reason}
	}
}

// ofTLS is a variable of the TLS connection: empty where there is none.
func ofTLS(name string) func(*Request) Value {
	return func(r *Request) Value {
		if r.HTTP.Scheme != "https" {
			return Value{}
		}
		return Unknown("$" + name + " " + ofConfig)
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func when(is bool, s string) Value {
	if is {
		return Of(s)
	}
	return Value{}
}

func protocol(r *Request) string { return orElse(r.HTTP.Protocol, "HTTP/1.1") }

func isArgs(r *Request) Value { return when(r.Args != "", "?") }

func requestLine(r *Request) Value {
	return Of(orElse(r.HTTP.Method, "GET") + " " + r.HTTP.Target + " " + protocol(r))
}

func http2(r *Request) Value {
	switch {
	case !strings.HasPrefix(r.HTTP.Protocol, "HTTP/2"):
		return Value{}
	case r.HTTP.Scheme == "https":
		return Of("h2")
	}
	return Of("h2c")
}

// host is $host: from the request line, else from the Host header, else the server's name.
func host(r *Request) Value {
	if r.Host != "" {
		return Of(r.Host)
	}
	return r.ServerName
}

// requestPort is the port that the client names: in the request line where a host stands there, else in the Host header.
func requestPort(r *Request) Value {
	if !r.since(29, 3) {
		return Unknown("$request_port is nginx's own since 1.29.3 only")
	}
	authority := r.HTTP.Host
	if _, rest, ok := strings.Cut(r.HTTP.Target, "://"); ok && !strings.HasPrefix(r.HTTP.Target, "/") {
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			rest = rest[:i]
		}
		authority = rest
	}
	return Of(portText(request.HostPort(authority)))
}

// isRequestPort is ":" where there is such a port.
func isRequestPort(r *Request) Value {
	if !r.since(29, 3) {
		return Unknown("$is_request_port is nginx's own since 1.29.3 only")
	}
	v := requestPort(r)
	return when(v.text != "", ":")
}

func contentLength(r *Request) Value {
	if v, ok := r.first("Content-Length"); ok {
		return Of(v)
	}
	return when(r.HTTP.BodySize > 0, strconv.FormatInt(r.HTTP.BodySize, 10))
}

func contentType(r *Request) Value {
	if r.since(23, 0) {
		return Of(strings.Join(r.lines("Content-Type"), ", "))
	}
	v, _ := r.first("Content-Type")
	return Of(v)
}

// remoteUser is the name in an Authorization header of the Basic scheme.
func remoteUser(r *Request) Value {
	v, _ := r.first("Authorization")
	const scheme = "basic "
	if len(v) < len(scheme) || !strings.EqualFold(v[:len(scheme)], scheme) {
		return Value{}
	}
	coded := strings.TrimRight(strings.TrimLeft(v[len(scheme):], " "), "=")
	plain, err := base64.RawStdEncoding.DecodeString(coded)
	if err != nil {
		return Value{}
	}
	name, _, ok := strings.Cut(string(plain), ":")
	return when(ok, name)
}

func addrText(a netip.Addr) string {
	if !a.IsValid() {
		return "unix:"
	}
	return request.AddrText(a)
}

func portText(port uint16) string {
	if port == 0 {
		return ""
	}
	return strconv.Itoa(int(port))
}

// binaryAddr is $binary_remote_addr: 4 bytes of an IPv4 address, 16 of an IPv6 one.
func binaryAddr(r *Request) Value {
	a := r.Client.Addr()
	if !a.IsValid() {
		return Of("unix:")
	}
	if a.Is4() {
		b := a.As4()
		return Of(string(b[:]))
	}
	b := a.As16()
	return Of(string(b[:]))
}

func proxyAddr(r *Request) Value {
	if a := r.HTTP.Proxy.Addr(); a.IsValid() {
		return Of(request.AddrText(a))
	}
	return Value{}
}

func serverAddr(r *Request) Value {
	if a := r.Server.Addr(); a.IsValid() {
		return Of(request.AddrText(a))
	}
	return Unknown("$server_addr is known only where the address that was connected to is given")
}

func serverPort(r *Request) Value {
	if p := r.Server.Port(); p != 0 {
		return Of(portText(p))
	}
	return Unknown("$server_port is known only where the port that was connected to is given")
}

func addForwarded(r *Request) Value {
	client := addrText(r.Client.Addr())
	lines := r.lines("X-Forwarded-For")
	if len(lines) == 0 {
		return Of(client)
	}
	return Of(strings.Join(append(lines, client), ", "))
}

func nginxVersion(r *Request) Value {
	if r.Version == "" {
		return Unknown("$nginx_version is not known")
	}
	return Of(r.Version)
}
