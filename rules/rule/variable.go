package rule

import (
	"regexp"
	"strings"
	"unicode"
)

// OfURI says whether a variable, named without "$", changes with the address that is asked for.
func OfURI(name string) bool {
	switch name {
	case "uri", "document_uri", "request_uri", "request", "args", "query_string", "request_filename", "is_args":
		return true
	}
	return strings.HasPrefix(name, "arg_")
}

// OfServer says whether a variable tells the servers of one nginx apart.
func OfServer(name string) bool {
	switch name {
	case "server_name", "host", "http_host", "server_port", "server_addr", "ssl_server_name", "scheme", "https":
		return true
	}
	return false
}

// addressHeader matches the variables of request headers in which proxies hand on a client's address.
var addressHeader = regexp.MustCompile(`^http_(?:.*_)?(?:forwarded|forwarded_for|(?:client|real|connecting|user|cluster|viewer|src|source|remote)_?(?:ip|ipv6|addr|address)|client|socketip|clientip|external_address|viewer_address)$`)

// AddressHeader says whether a variable holds an address that a header names: whoever sends the request writes it.
func AddressHeader(name string) bool {
	return name == "proxy_add_x_forwarded_for" || addressHeader.MatchString(name)
}

// Chain says whether a variable of AddressHeader is a list to which each proxy on the way adds, so that what a client wrote
// stays in it.
func Chain(name string) bool {
	return name == "proxy_add_x_forwarded_for" || strings.HasSuffix(name, "forwarded_for") || strings.HasSuffix(name, "_forwarded")
}

// Chosen says whether a client may give a variable any text it likes, address headers and the URI aside.
func Chosen(name string) bool {
	switch name {
	case "remote_user", "content_type", "content_length", "http_host":
		return true
	}
	switch {
	case strings.HasPrefix(name, "cookie_"), strings.HasPrefix(name, "arg_"):
		return true
	case strings.HasPrefix(name, "http_"):
		return !AddressHeader(name)
	}
	return false
}

// Credential says whether a variable of Chosen is meant to tell customers apart: a key, a token, a session. A client may
// invent one all the same, and the limiters run before anybody looks whether it is good.
func Credential(name string) bool {
	if name == "remote_user" || name == "http_authorization" {
		return true
	}
	for _, word := range [...]string{"key", "token", "session", "sess", "sid", "auth", "jwt", "user", "client", "tenant", "account", "customer"} {
		if strings.Contains(name, word) && name != "http_user_agent" {
			return true
		}
	}
	return false
}

// Fresh says whether a variable is new for each request or each connection, so that no two requests of a client share a
// bucket.
func Fresh(name string) bool {
	switch name {
	case "request_id", "connection", "connection_requests", "connection_time", "msec", "time_iso8601", "time_local", "date_gmt", "date_local",
		"remote_port", "realip_remote_port", "proxy_protocol_port", "session_log_id", "session_log_binary_id",
		"tcpinfo_rtt", "tcpinfo_rttvar", "tcpinfo_snd_cwnd", "tcpinfo_rcv_space":
		return true
	}
	return false
}

// NamesTotal says whether a name tells that what it names is for all clients together.
func NamesTotal(name string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "total", "global", "globally", "all", "overall", "sum", "server", "servers", "perserver", "site", "host", "vhost", "backend", "backends",
			"upstream", "service", "app", "application", "shared", "common", "everyone", "everybody", "everything", "whole", "cluster", "node", "max":
			return true
		}
	}
	return false
}

var writtenVariable = regexp.MustCompile(`\$\{?[A-Za-z_]\w*`)

// WrittenVariable returns the first variable that a text writes, with its "$"; "" where it writes none.
func WrittenVariable(text string) string { return writtenVariable.FindString(text) }

// MeansNo says whether people write a text for a flag that is off.
func MeansNo(text string) bool {
	switch strings.ToLower(text) {
	case "0", "off", "no", "none", "false", "-":
		return true
	}
	return false
}
