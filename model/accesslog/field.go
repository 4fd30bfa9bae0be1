package accesslog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
)

// A field is what a part of a line means.
type field uint8

const (
	skipped  field = iota
	anyTime        // in any way of writing a time
	msecTime       // in seconds with milliseconds, or another number; stands above anyTime
	requestTime
	requestTimeMs
	upstreamTime
	upstreamTimeMs
	status
	limitReq
	limitConn
	client
	peer
	forwarded
	requestLine
	method
	target // as sent
	path   // without the query, or normalised; used where there is no target
	query
	host
	scheme
	serverName
	agent
	referer
	user
	nginxHost
	header // number n of Reader.Headers is header+n
)

// names are the words by which --fields and JSON lines call a field: ours first, nginx's variables, then what is usual
// elsewhere. Case does not matter, and "-" and "." count as "_".
var names = map[field][]string{
	anyTime:        {"time", "time_iso8601", "time_local", "ts", "timestamp", "@timestamp", "datetime", "date", "start_time", "time_date_iso8601"},
	msecTime:       {"msec", "time_msec", "epoch", "unix_time", "time_unix", "timestamp_ms", "ts_ms"},
	requestTime:    {"rt", "request_time", "duration", "req_time", "response_time", "latency", "elapsed"},
	requestTimeMs:  {"rt_ms", "request_time_ms", "duration_ms", "response_time_ms", "latency_ms", "elapsed_ms"},
	upstreamTime:   {"urt", "upstream_response_time", "upstream_time", "upstream_rt", "backend_time"},
	upstreamTimeMs: {"urt_ms", "upstream_response_time_ms", "upstream_time_ms"},
	status:         {"status", "status_code", "response_status", "http_status", "code", "response_code"},
	limitReq:       {"limit", "limit_req_status", "limit_req", "limit_status"},
	limitConn:      {"limit_conn", "limit_conn_status", "conn_limit"},
	client:         {"ip", "remote_addr", "client", "client_ip", "clientip", "remote_ip", "remoteip", "src_ip", "addr", "remote_address", "x_real_ip_used"},
	peer:           {"peer", "realip_remote_addr", "peer_ip", "proxy_addr"},
	forwarded:      {"forwarded", "http_x_forwarded_for", "x_forwarded_for", "xff", "forwarded_for"},
	requestLine:    {"request", "request_line", "req"},
	method:         {"method", "request_method", "verb", "http_method"},
	target:         {"target", "request_uri", "url", "uri_full", "request_url"},
	path:           {"uri", "path", "document_uri", "request_path", "url_path"},
	query:          {"query", "args", "query_string", "url_query"},
	host:           {"host", "http_host", "vhost", "domain", "authority"},
	scheme:         {"scheme", "protocol_scheme", "url_scheme"},
	serverName:     {"server", "server_name"},
	agent:          {"agent", "http_user_agent", "user_agent", "useragent", "ua"},
	referer:        {"referer", "http_referer", "referrer"},
	user:           {"user", "remote_user", "username", "user_id"},
	nginxHost:      {"nginx", "hostname", "node", "server_host", "pod", "instance"},
}

// fieldsByName leads from a plain name to its field.
var fieldsByName = func() map[string]field {
	all := map[string]field{}
	for f, list := range names {
		for _, name := range list {
			all[plainName(name)] = f
		}
	}
	return all
}()

// plainName is a name as it is looked up.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r | 0x20
		case r == '-' || r == '.':
			return '_'
		}
		return r
	}, s)
}

// Names lists the names that may stand on the left of --fields.
func Names() []string {
	all := make([]string, 0, len(names))
	for _, list := range names {
		all = append(all, list[0])
	}
	slices.Sort(all)
	return all
}

// Fields says which field of a JSON line means what: from the name of ours, or nginx's variable, to the name in the log.
type Fields map[string]string

// Check refuses names that nothing has.
func (f Fields) Check() error {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		plain := plainName(name)
		if _, ok := fieldsByName[plain]; ok || hasPrefix(plain, "http_", "cookie_", "sent_http_") {
			continue
		}
		if near := spelling.Nearest(plain, Names()); near != "" {
			return fmt.Errorf("unknown field %q: did you mean %q?", name, near)
		}
		return fmt.Errorf("unknown field %q: want one of %s, or http_NAME, cookie_NAME or sent_http_NAME for a header", name, strings.Join(Names(), ", "))
	}
	return nil
}

// A table leads from the names in lines to fields.
type nameTable struct {
	byName  map[string]field
	headers []string // names of variables: http_x_api_key, cookie_session

	timeless bool // see Options
}

// newTable returns the table for JSON lines: what was chosen stands above what is known. headers are the variables that
// are wanted beside the fields of their own.
func newTable(chosen Fields, headers []string) *nameTable {
	t := &nameTable{byName: map[string]field{}, headers: headers}
	taken := map[field]bool{}
	for ours, theirs := range chosen {
		if f, ok := t.variable(plainName(ours)); ok {
			t.byName[theirs] = f
			taken[f] = true
		}
	}
	if taken[anyTime] {
		taken[msecTime] = true // what was chosen is the time
	}
	for name, f := range fieldsByName {
		if _, is := t.byName[name]; !is && !taken[f] {
			t.byName[name] = f
		}
	}
	for n, name := range headers {
		if _, is := t.byName[name]; !is && !taken[header+field(n)] {
			t.byName[name] = header + field(n)
		}
	}
	return t
}

// variable returns the field that a variable of nginx fills.
func (t *nameTable) variable(name string) (field, bool) {
	if f, ok := fieldsByName[name]; ok {
		return f, true
	}
	if n := slices.Index(t.headers, name); n >= 0 && n < 200 {
		return header + field(n), true
	}
	return skipped, false
}

// of returns the field of a name in a line.
func (t *nameTable) of(name string) field {
	if f, ok := t.byName[name]; ok {
		return f
	}
	return t.byName[plainName(name)]
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
