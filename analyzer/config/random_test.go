package config

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// words are arguments for directives at random: good ones, and those that go wrong in each way.
var words = map[string][]string{
	"limit_req_zone": {
		"$binary_remote_addr", "$remote_addr$uri", "x", "${host}", "$nope", "zone=a:1m", "zone=b:32k", "zone=a:2m", "zone=c:31k", "zone=a",
		"zone=:1m", "rate=1r/s", "rate=10r/m", "rate=5", "rate=0r/s", "rate=1r/h", "rate=1.5r/s", "burst=5", "sync",
	},
	"limit_conn_zone": {"$binary_remote_addr", "$server_name", "$nope", "zone=a:1m", "zone=d:1m", "zone=d:1k", "zone=d", "rate=1r/s"},
	"limit_req": {
		"zone=a", "zone=b", "zone=d", "zone=nope", "zone=", "burst=5", "burst=0", "burst=x", "burst=", "nodelay", "delay=3", "delay=0", "x",
	},
	"limit_conn":           {"a", "d", "nope", "1", "0", "65535", "65536", "x", "-1"},
	"limit_req_status":     {"429", "503", "399", "400", "599", "600", "x", ""},
	"limit_conn_status":    {"429", "444", "399", "4294967296000000000000"},
	"limit_req_log_level":  {"info", "notice", "warn", "error", "debug", "WARN", "crit"},
	"limit_conn_log_level": {"info", "x"},
	"limit_req_dry_run":    {"on", "off", "ON", "yes", "1"},
	"limit_conn_dry_run":   {"on", "off", "true"},
	"set_real_ip_from": {
		"10.0.0.0/8", "10.0.0.1/8", "10.0.0.1", "::1", "2001:db8::/32", "2001:db8::1/32", "10.0.0.0/33", "10.0.0.0/x", "unix:", "300.0.0.1", "10.1",
		"1.2.3.4.5", "::1/129", "0.0.0.0/0",
	},
	"real_ip_header":    {"X-Real-IP", "X-Forwarded-For", "proxy_protocol", "x"},
	"real_ip_recursive": {"on", "off", "x"},
	"access_log":        {"off", "a.log", "combined", "f", "nope", "if=$x1"},
	"error_log":         {"e.log", "stderr", "error", "warn", "debug", "debug_http", "debug_core", "WARN", "x"},
	"add_header":        {"X", "Retry-After", "$x1", "always", "never", "$nope6", ""},
	"log_format":        {"f", "g", "combined", "escape=json", "escape=x", "$remote_addr", "a$", "$nope2", "${host"},
	"error_page":        {"404", "503", "299", "499", "=200", "=", "=x", "/x", "@y"},
	"listen": {
		"127.0.0.1:18801", "127.0.0.1:18802", "18803", "[::1]:18804", "127.0.0.1:0", "127.0.0.1:x", "18805-18806", "default_server", "ssl",
		"backlog=5", "backlog=0", "x", "proxy_protocol", "http2", "reuseport",
	},
	"server_name": {"a", "A", "*.a", ".a", "a.*", "*", "~^a", "~", "a..b", "a/b", "~(", "_", ""},
	"set":         {"$x1", "$x2", "$host", "x", "1", "$x1$x2", "$", "$limit_rate"},
	"return":      {"200", "301", "999", "1000", "x", "http://x", "$scheme://x", "$nope3"},
	"rewrite":     {"^", "^(.*)$", "(", "/x", "/$1", "", "last", "break", "forever", "(?<x1>.)"},
	"root":        {"/srv", "x", "$nope4", "$document_root"},
	"alias":       {"/srv", "y"},
	"internal":    {"x"},
	"proxy_pass":  {"http://127.0.0.1", "http://127.0.0.1/", "http://$host", "x"},
	"gzip":        {"on", "off", "x"},
	"if":          {"($host)", "($host", "=", "a)", "(", ")", "$x1", "!~", "(-f", "x)", "($nope5)"},
	"location":    {"/", "/a", "/b", "=", "^~", "~", "~*", "@n", "=/a", "~(", "~/a", "^~/a"},
	"nonsense":    {"x"},
}

var blocks = map[string]bool{"if": true, "location": true}

// A writer writes a random configuration.
type writer struct {
	*rand.Rand
	strings.Builder
}

func (w *writer) directive(name string, depth int) {
	args := words[name]
	w.WriteString(strings.Repeat(" ", depth) + name)
	n := 1 + w.IntN(3)
	if name == "limit_req_zone" {
		n = 3
	}
	for i := range n {
		word := args[w.IntN(len(args))]
		if name == "listen" && i == 0 {
			word = args[w.IntN(7)] // a word without a port may be the name of a host
		}
		if word == "" || strings.ContainsAny(word, "{;") && !strings.HasPrefix(word, "${") {
			word = `"` + word + `"`
		}
		w.WriteString(" " + word)
		if w.IntN(20) == 0 {
			w.WriteString("\n")
		}
	}
	if blocks[name] {
		w.block(depth)
		return
	}
	w.WriteString(";\n")
}

func (w *writer) block(depth int) {
	w.WriteString(" {\n")
	if depth < 5 {
		w.some(depth+1, w.IntN(4))
	}
	w.WriteString(strings.Repeat(" ", depth) + "}\n")
}

func (w *writer) some(depth, n int) {
	for range n {
		w.directive(names[w.IntN(len(names))], depth)
	}
}

var names = sorted(words)

// http writes the inside of http, likely to be right at the start so that nginx comes far.
func (w *writer) http() string {
	w.WriteString("limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;\nlimit_conn_zone $server_name zone=d:1m;\n")
	w.some(0, w.IntN(3))
	for i := range 1 + w.IntN(2) {
		fmt.Fprintf(w, "server {\n listen 127.0.0.1:%d;\n", 18810+i)
		w.some(1, w.IntN(5))
		w.WriteString("}\n")
	}
	return w.String()
}

// Random configurations, most of them wrong in several ways: we come upon the same fault first as nginx does, or upon
// none.
func TestRandomAgainstNginx(t *testing.T) {
	binary := nginxtest.Binary(t)
	random := nginxtest.Random(t)
	failed := 0
	for i := range nginxtest.Cases(t, 100) {
		w := &writer{Rand: random}
		text := head + w.http() + "}\n"
		if diff := compare(t, binary, text); diff != "" {
			t.Errorf("case %d:\n%s\n%s", i, text, diff)
			if failed++; failed == 5 {
				break
			}
		}
	}
}
