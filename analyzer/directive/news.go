package directive

import "strings"

// Newest is the newest nginx whose change log went into the tables.
const Newest Version = 1031006 // 1.31.6

// A parameter came later than the directive that has it.
type parameter struct {
	of, name string
	since    Version
}

// AnyVariable stands for a value that has variables, in questions to ParameterSince.
const AnyVariable = "$"

// newer are parameters that came after the nginx that the generated list was made from.
var newer = []parameter{
	{"listen", "quic", 1025000},
	{"listen", "multipath", 1029007},
	{"resolver", "ipv4=off", 1023001},
	{"resolver", "ipv4=on", 1023001},
	{"geo", "volatile", 1029003},
	{"keepalive", "local", 1029007},
	{"server", "resolve", 1027003},
	{"server", "service", 1027003},
	{"server", "route", 1029006},
	{"server", "drain", 1029006},
	{"proxy_http_version", "2", 1029004},
	{"proxy_limit_rate", AnyVariable, 1027000},
	{"fastcgi_limit_rate", AnyVariable, 1027000},
	{"scgi_limit_rate", AnyVariable, 1027000},
	{"uwsgi_limit_rate", AnyVariable, 1027000},
	// In older change logs in words of other kinds.
	{"limit_req", "delay", 1015007},
	{"listen", "http2", 1009005},
	{"access_log", "if", 1007000},
}

// ParameterSince returns the version in which a directive learned a parameter: "delay" for delay=5, "quic". It is 0
// where that is not known, and for what has been there since 1.0.
func ParameterSince(directive, name string) Version {
	var since Version
	bare, _, _ := strings.Cut(name, "=")
	for _, list := range [][]parameter{parameters, newer} {
		for _, p := range list {
			if p.of == directive && (p.name == name || p.name == bare) && (since == 0 || p.since < since) {
				since = p.since
			}
		}
	}
	return since
}

// A variable came in a version.
type variable struct {
	name  string
	since Version
}

// newerVariables came after the nginx that the generated list was made from, or stand in its change log in words of
// other kinds.
var newerVariables = []variable{
	{"realip_remote_addr", 1009007},
	{"realip_remote_port", 1011000},
	{"http3", 1025000},
	{"request_port", 1029003},
	{"is_request_port", 1029003},
	{"ssl_sigalg", 1029003},
	{"ssl_client_sigalg", 1029003},
	{"ssl_sigalgs", 1031002},
}

// VariableSince returns the version in which a variable came, named without its "$". It is 0 where that is not known,
// and for what has been there since 1.0.
func VariableSince(name string) Version {
	for _, list := range [][]variable{variables, newerVariables} {
		for _, v := range list {
			if v.name == name {
				return v.since
			}
		}
	}
	return 0
}
