package config

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// head stands before each case, on one line, so that the case starts on line 2.
const head = "pid nginx.pid; error_log error.log; events {} http { access_log off;\n"

// zonesHead has zones for the cases that need some.
const zonesHead = "pid nginx.pid; error_log error.log; events {} http { access_log off; limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s; limit_conn_zone $binary_remote_addr zone=c:1m;\n"

// said is what nginx -t said: its warnings, and the error at which it stopped.
type said struct {
	warnings []string
	refusal  string // "" where it accepts
	line     int
}

var (
	message  = regexp.MustCompile(`^nginx: \[(emerg|warn|crit)\] (.*)$`)
	location = regexp.MustCompile(`^(.*) in [^ ]*/nginx\.conf:(\d+)$`)
)

// ask runs nginx -t on a text in a folder of its own.
func ask(t *testing.T, binary, text string) said {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command(binary, "-t", "-q", "-e", filepath.Join(dir, "error.log"), "-p", dir, "-c", path).CombinedOutput()
	var s said
	for line := range bytes.Lines(out) {
		m := message.FindSubmatch(bytes.TrimSuffix(line, []byte("\n")))
		if m == nil {
			continue
		}
		text, at := string(m[2]), 0
		if l := location.FindStringSubmatch(text); l != nil {
			text = l[1]
			at, _ = strconv.Atoi(l[2])
		}
		if string(m[1]) == "warn" {
			if !slices.Contains(s.warnings, text) { // nginx says it of each table, as of geo's for both kinds of address
				s.warnings = append(s.warnings, text)
			}
			continue
		}
		if s.refusal == "" {
			s.refusal, s.line = text, at
		}
	}
	return s
}

// compare asks nginx and resolves the same text; it returns the difference, "" for none.
func compare(t *testing.T, binary, text string) string {
	t.Helper()
	theirs := ask(t, binary, text)
	tree := resolveFile(&source.File{Path: "nginx.conf", Text: text}, load.Tree, "1.22.1")
	ours := said{}
	for i := range tree.Refusals {
		r := &tree.Refusals[i]
		if !r.Warning {
			ours.refusal, ours.line = r.Text, r.Line
			break
		}
		if !slices.Contains(ours.warnings, r.Text) {
			ours.warnings = append(ours.warnings, r.Text)
		}
	}
	if ours.refusal != theirs.refusal || ours.line != theirs.line || strings.Join(ours.warnings, "\n") != strings.Join(theirs.warnings, "\n") {
		return "nginx: " + theirs.String() + "\n here: " + ours.String()
	}
	return ""
}

func (s said) String() string {
	return strings.Join(s.warnings, "; ") + " | " + strconv.Itoa(s.line) + " " + s.refusal
}

// What nginx refuses and warns of, and what it takes although one would not think so. Each case is the inside of http.
var nginxCases = []string{
	// names of a single server: nginx looks at them only where the last regex has groups
	`server { listen 127.0.0.1:18801; server_name a a ~(b); }`, `server { listen 127.0.0.1:18801; server_name a a ~(b) ~c; }`,
	`server { listen 127.0.0.1:18801; server_name a a ~(?:b) ~(?<c>d); }`, `server { listen 127.0.0.1:18801; server_name a*b ~(c); }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn ~(b); }`,
	`server { listen 127.0.0.1:18801; listen 127.0.0.1:18802; server_name a A ~(b); } server { listen 127.0.0.1:18802; }`,
	// letters are those from A to Z
	"server { listen 127.0.0.1:18801; server_name \xff; } server { listen 127.0.0.1:18801; server_name \xfe É é Ⅷ; }",
	// names too long for nginx's tables
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; }`,
	`server { listen 127.0.0.1:18801; server_name *.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.example; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name *.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.example; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name .nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.example; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name www.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.*; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server_names_hash_bucket_size 65; server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server_names_hash_bucket_size 128; server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; server_name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn; } server { listen 127.0.0.1:18801; server_name b; } server_names_hash_bucket_size 128;`,
	`map $host $x { nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map $host $x { nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map $host $x { hostnames; *.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map $host $x { *.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map $host $x { hostnames; .nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map $host $x { hostnames; .nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map_hash_bucket_size 128; map $host $x { nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map_hash_bucket_size 128; map $host $x { nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	`map $host $x { ~nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn 1; }`,
	// limit_req_zone
	`limit_req_zone $remote_addr zone=a:1m rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:1m rate=1;`,
	`limit_req_zone $remote_addr zone=a:1m rate=;`,
	`limit_req_zone $remote_addr zone=a:1m rate=r/s;`,
	`limit_req_zone $remote_addr zone=a:1m rate=-1r/s;`,
	`limit_req_zone $remote_addr zone=a:1m rate=0r/m;`,
	`limit_req_zone $remote_addr zone=a:1m rate=99999999999999999999r/s;`,
	`limit_req_zone $remote_addr zone=a:1m rate=1r/s` + "\n;",
	`limit_req_zone $remote_addr zone=a rate=1r/s;`,
	`limit_req_zone $remote_addr zone=:1m rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:b:1m rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:1K rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:32K rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:1M rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:m rate=1r/s;`,
	`limit_req_zone $remote_addr rate=1r/s rate=2r/s;`,
	`limit_req_zone $remote_addr zone=a:1m burst=2;`,
	`limit_req_zone $remote_addr zone=a:1m zone=b:1m;`,
	`limit_req_zone $ zone=a:1m rate=1r/s;`,
	`limit_req_zone ${remote_addr zone=a:1m rate=1r/s;`,
	`limit_req_zone ${remote_addr} zone=a:1m rate=1r/s;`,
	`limit_req_zone $1 zone=a:1m rate=1r/s;`,
	`limit_req_zone $nothing$else zone=a:1m rate=1r/s;`,
	`limit_req_zone $http_x$arg_y$cookie_z$sent_http_x$upstream_http_x zone=a:1m rate=1r/s;`,
	`limit_req_zone "" zone=a:1m rate=1r/s;`,
	`limit_req_zone $a zone=a:1m rate=1r/s; map $b $a { default 1; } map $host $b { default 1; }`,
	`limit_req_zone $a zone=a:1m rate=1r/s; map $b $a { default 1; }`,
	`limit_req_zone $a zone=a:1m rate=1r/s; map $host $a { default $c; }`,
	`limit_req_zone $a zone=a:1m rate=1r/s; server { listen 127.0.0.1:18801; set $a 1; }`,
	`limit_req_zone $w zone=a:1m rate=1r/s; server { listen 127.0.0.1:18801; server_name ~^(?<w>.+)$; }`,
	`limit_req_zone $w zone=a:1m rate=1r/s; server { listen 127.0.0.1:18801; location ~ ^/(?P<w>.+)$ { } }`,
	`limit_req_zone $w zone=a:1m rate=1r/s; server { listen 127.0.0.1:18801; rewrite ^/(?'w'.+)$ /x; }`,
	`limit_req_zone $w zone=a:1m rate=1r/s; server { listen 127.0.0.1:18801; if ($host ~ ^(?<w>.+)$) { } }`,
	`limit_req_zone $w zone=a:1m rate=1r/s; map $host $x { ~^(?<w>.+)$ 1; }`,
	`limit_req_zone $a zone=a:1m rate=1r/s; limit_req_zone $a zone=a:1m rate=1r/s; `,
	`limit_req_zone $remote_addr zone=a:1m rate=1r/s; limit_req_zone $remote_addr zone=a:2m rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:1m rate=1r/s; limit_conn_zone $remote_addr zone=a:1m;`,
	`limit_conn_zone $remote_addr zone=a:1m; limit_conn_zone $remote_addr zone=a:1m;`,
	`limit_conn_zone $remote_addr zone=a;`,
	`limit_conn_zone $remote_addr rate=1;`,
	`limit_conn_zone $remote_addr zone=a:1m rate=1r/s;`,
	`limit_req_zone; `,
	`limit_req_zone $remote_addr zone=a:1m rate=1r/s { }`,
	// limits
	`limit_req zone=nope;`,
	`limit_req zone=; `,
	`limit_conn nope 1;`,
	`limit_req zone=one zone=two;`,
	`server { listen 127.0.0.1:18801; limit_req_status 399; }`,
	`server { listen 127.0.0.1:18801; limit_req_status 4x; }`,
	`server { listen 127.0.0.1:18801; limit_req_status 429; limit_req_status 430; }`,
	`server { listen 127.0.0.1:18801; limit_req_log_level debug; }`,
	`server { listen 127.0.0.1:18801; limit_req_log_level WARN; }`,
	`server { listen 127.0.0.1:18801; limit_req_log_level warn error; }`,
	`server { listen 127.0.0.1:18801; limit_conn_dry_run ON; limit_conn_log_level x; }`,
	`server { listen 127.0.0.1:18801; limit_conn_status 600; }`,
	`server { listen 127.0.0.1:18801; limit_conn_dry_run on; limit_conn_dry_run on; }`,
	// real_ip
	`set_real_ip_from 10.0.0.0/33;`,
	`set_real_ip_from 10.0.0.1/0;`,
	`set_real_ip_from 0.0.0.0/0;`,
	`set_real_ip_from ::/0; set_real_ip_from 2001:db8::1/32; set_real_ip_from ::ffff:10.0.0.1;`,
	`set_real_ip_from 2001:db8::/129;`,
	`set_real_ip_from 10.1;`,
	`set_real_ip_from 010.0.0.1;`,
	`set_real_ip_from 10.0.0;`,
	`set_real_ip_from 0x7f000001;`,
	`set_real_ip_from 10.0.0.0/;`,
	`set_real_ip_from 10.0.0.0/8/8;`,
	`set_real_ip_from 256.0.0.1;`,
	`set_real_ip_from [::1];`,
	`set_real_ip_from unix:/x;`,
	`set_real_ip_from localhost;`,
	`set_real_ip_from "";`,
	`real_ip_header X-Forwarded-For; real_ip_header X-Real-IP;`,
	`real_ip_header;`,
	`real_ip_recursive 1;`,
	// logs
	`log_format a x; log_format a y;`,
	`log_format combined x;`,
	`log_format a;`,
	`log_format a escape=xml x;`,
	`log_format a escape=json;`,
	`access_log x.log nope;`,
	`server { listen 127.0.0.1:18801; access_log x.log later; } log_format later x;`,
	`server { listen 127.0.0.1:18801; access_log off x; }`,
	`log_format a '$nothing'; server { listen 127.0.0.1:18801; access_log x.log a; }`,
	`log_format a '$request_time $limit_req_status $pipe $msec';`,
	`error_log x.log warn; error_log y.log debug_http debug_core; error_log z.log;`,
	`error_log x.log WARN;`, `error_log x.log warn error;`, `error_log x.log debug_http warn;`, `error_log x.log warn debug_http;`,
	`error_log x.log debug debug_http;`, `error_log x.log debug_http debug_http;`, `error_log x.log loud;`,
	`add_header X $nothing;`, `add_header X "" always;`, `add_header X y never;`, `add_header X y ALWAYS;`, `add_header X;`,
	// error_page
	`error_page 404 /x; error_page 404 =200 /y; error_page 404 = @z; error_page 500 502 503 504 /50x.html;`,
	`error_page 299 /x;`, `error_page 600 /x;`, `error_page 499 /x;`, `error_page x /x;`, `error_page = /x;`,
	`error_page 404 =x /y;`, `error_page 404;`,
	// servers
	`server { listen 127.0.0.1:18801 default_server; } server { listen 127.0.0.1:18801 default_server; }`,
	`server { listen 127.0.0.1:18801; listen 127.0.0.1:18801; }`,
	`server { listen 127.0.0.1:18801 backlog=5; } server { listen 127.0.0.1:18801 backlog=6; }`,
	`server { listen 127.0.0.1:18801 backlog=0; }`,
	`server { listen 127.0.0.1:18801 rcvbuf=1q; }`,
	`server { listen 127.0.0.1:18801 so_keepalive=x; }`,
	`server { listen 127.0.0.1:18801 so_keepalive=30m::10; }`,
	`server { listen [::1]:18801 ipv6only=x; }`,
	`server { listen [::1]:18801 ipv6only=ox; }`,
	`server { listen 127.0.0.1:18801 nonsense; }`,
	// regexes
	`server { listen 127.0.0.1:18801; location ~ (?1) { } }`, `server { listen 127.0.0.1:18801; location ~ "(?<=a+)b" { } }`,
	`server { listen 127.0.0.1:18801; location ~ "\\p{Xx}" { } }`, `server { listen 127.0.0.1:18801; location ~* "(?(1)a|b)" { } }`,
	`server { listen 127.0.0.1:18801; server_name "~(?<n>a)(?&m)"; }`, `map $uri $m { "~(?<=a|b*)c" 1; }`, `map $uri $m { "~*[\\y]" 1; }`,
	`server { listen 127.0.0.1:18801; rewrite "a{2}{3}" /b; }`, `server { listen 127.0.0.1:18801; if ($uri ~ "\\g{2}(a)") { } }`,
	`server { listen 127.0.0.1:18801; location ~ "(?<=(a|bb))c" { } location ~ "(?<=a|bb)c" { } }`,
	`server { listen 127.0.0.1:18801; location ~ "(?<a>x)(?(a)b|c)(?&a)(?R)?\\X\\p{Greek}(?(DEFINE)a)" { } }`,
	`server { listen 127.0.0.1:18801; valid_referers none ~a(b; }`, `valid_referers ~; server { listen 127.0.0.1:18801; valid_referers ~ ; }`,
	`server { listen 127.0.0.1:18801; location / { valid_referers server_names ~\.a\. ~*b; if ($invalid_referer) { return 403; } } }`,
	`gzip_disable msie6 "a(";`, `gzip_disable msie6 "MSIE [1-6]\." ""; gzip_disable degradation;`,
	`server { listen 127.0.0.1:18801; fastcgi_split_path_info ^(.+\.php)(/.+)$; location / { fastcgi_split_path_info ^(.+); } }`,
	`fastcgi_split_path_info "^(.+)((/.+)$";`, `fastcgi_split_path_info "^(?<a>.+)(?<b>/.+)$"; server { listen 127.0.0.1:18801; return 200 $a; }`,
	`proxy_redirect ~^(?<x>a(b) /$x;`, `proxy_redirect ~*^(?<x>a) /$x; server { listen 127.0.0.1:18801; return 200 $x; }`,
	`proxy_redirect ~^(?<host>a) /;`, `proxy_redirect ~ /; proxy_cookie_path ~* /; proxy_cookie_domain ~*a b;`, `proxy_cookie_domain ~a** b;`,
	`proxy_cookie_path ~*[ /;`, `proxy_cookie_flags ~(a secure;`, `proxy_cookie_flags ~(?<y>a) secure; server { listen 127.0.0.1:18801; return 200 $y; }`,
	`server { listen 127.0.0.1:18801 setfib=9; }`, `server { listen 127.0.0.1:18801 setfib=x; }`, `server { listen 127.0.0.1:18801 setfib; }`,
	`server { listen "18801 "; }`, `server { listen "127.0.0.1 "; }`, `server { listen "a b:18801"; }`, `server { listen -1; }`,
	`server { listen a..b; }`, `server { listen 1.2.3.4.5; }`, `server { listen 300.1.1.1:18801; }`, `server { listen ""; }`,
	`server { listen 127.1:18801; }`, `server { listen 0x7f.1:18801; } server { listen 127.0.0.1:18801 backlog=5; listen 127.1:18801; }`,
	`server { listen 2130706433; }`, `set_real_ip_from -1;`, `set_real_ip_from a..b;`, `set_real_ip_from .a;`,
	`server { listen 127.0.0.1:18801 ssl=on; }`,
	`server { listen 127.0.0.1:0; }`, `server { listen 127.0.0.1:65536; }`, `server { listen 127.0.0.1:x; }`,
	`server { listen 127.0.0.1:18803-18801; }`, `server { listen 127.0.0.1:18801-18802; }`,
	`server { listen 127.0.0.1/x; }`, `server { listen [::1; }`, `server { listen [xyz]:18801; }`, `server { listen [::1]x; }`,
	`server { listen unix:; }`, `server { listen :18801; }`, `server { listen 70000; }`,
	`server { listen 127.0.0.1:18801; server_name a A; } server { listen 127.0.0.1:18801; server_name b; }`,
	`server { listen 127.0.0.1:18801; } server { listen 127.0.0.1:18801; }`,
	`server { listen 127.0.0.1:18801; server_name *.a .a; } server { listen 127.0.0.1:18801; server_name a; }`,
	`server { listen 127.0.0.1:18801; server_name a; } server { listen 127.0.0.1:18801; server_name .a; }`,
	`server { listen 127.0.0.1:18801; server_name a.* ~^a; } server { listen 127.0.0.1:18801; server_name a.* ~^a; }`,
	`server { listen 127.0.0.1:18801; server_name a..b; }`,
	`server { listen 127.0.0.1:18801; server_name a..b; } server { listen 127.0.0.1:18801; server_name x; }`,
	`server { listen 127.0.0.1:18801; server_name a*b; } server { listen 127.0.0.1:18801; server_name x; }`,
	`server { listen 127.0.0.1:18801; server_name *.a.*; } server { listen 127.0.0.1:18801; server_name x; }`,
	`server { listen 127.0.0.1:18801; server_name *; }`, `server { listen 127.0.0.1:18801; server_name *a; }`,
	`server { listen 127.0.0.1:18801; server_name .; }`, `server { listen 127.0.0.1:18801; server_name ~; }`,
	`server { listen 127.0.0.1:18801; server_name http://a; }`,
	`server { listen 127.0.0.1:18801; server_name; }`,
	`server { listen 127.0.0.1:18801; server_name ~^(; }`,
	`server x { }`, `server;`, `upstream u { } `, `upstream u { server 127.0.0.1; } upstream u { server 127.0.0.1; }`,
	`upstream u { server 127.0.0.1 weight=0; }`, `upstream u { server 127.0.0.1 fail_timeout=; }`, `upstream u { server 127.0.0.1 max_fail=3; }`,
	`upstream u { server 127.0.0.1 down backup weight=2 max_conns=3 max_fails=0 fail_timeout=1m; server 127.0.0.2; }`,
	`upstream u { zone a 1m; server 127.0.0.1; } upstream v { zone a; server 127.0.0.1; } limit_req_zone $remote_addr zone=a:1m rate=1r/s;`,
	`upstream u { zone a 1k; server 127.0.0.1; }`, `upstream u { zone a x; server 127.0.0.1; }`, `upstream u { zone a; server 127.0.0.1; }`,
	`ssl_session_cache shared:a:1m; limit_conn_zone $remote_addr zone=a:1m;`,
	`server { listen 127.0.0.1:18801; ssl off; http2_push_preload on; http2_recv_timeout 1s; }`,
	// locations
	`server { listen 127.0.0.1:18801; location { } }`,
	`server { listen 127.0.0.1:18801; location ~= /x { } }`,
	`server { listen 127.0.0.1:18801; location = /x y { } }`,
	`server { listen 127.0.0.1:18801; location /x { } location /x { } }`,
	`server { listen 127.0.0.1:18801; location /x { } location ^~ /x { } }`,
	`server { listen 127.0.0.1:18801; location /x { } location = /x { } location ~ /x { } location ~ /x { } location ~* /x { } }`,
	`server { listen 127.0.0.1:18801; location @x { } location @x { } }`,
	`server { listen 127.0.0.1:18801; location /x { location /x/a { } location /x/a { } } }`,
	`server { listen 127.0.0.1:18801; location /x { location /y { } } }`,
	`server { listen 127.0.0.1:18801; location /x { location ~ y { location /z { } } } }`,
	`server { listen 127.0.0.1:18801; location ~ ^/y { location ^~ /z { } } }`,
	`server { listen 127.0.0.1:18801; location = /x { location ~ y { } } }`,
	`server { listen 127.0.0.1:18801; location @x { location ~ y { } } }`,
	`server { listen 127.0.0.1:18801; location /x { location @y { } } }`,
	`server { listen 127.0.0.1:18801; location ~ "a{2" { } location ~ (?<=a)b { } location ~ ( { } }`,
	`server { listen 127.0.0.1:18801; location /x { root a; root b; } }`,
	`server { listen 127.0.0.1:18801; location /x { root a; alias b; } }`,
	`server { listen 127.0.0.1:18801; location /x { alias b; root a; } }`,
	`server { listen 127.0.0.1:18801; location @x { alias b; } }`,
	`server { listen 127.0.0.1:18801; location /x { internal; internal; } }`,
	`server { listen 127.0.0.1:18801; location /x { limit_except GET { deny all; } limit_except POST { deny all; } } }`,
	`server { listen 127.0.0.1:18801; location /x { limit_except FOO { deny all; } } }`,
	// rewrite
	`server { listen 127.0.0.1:18801; if $x { } }`, `server { listen 127.0.0.1:18801; if ( { } }`,
	`server { listen 127.0.0.1:18801; if () { } }`, `server { listen 127.0.0.1:18801; if ( ) { } }`,
	`server { listen 127.0.0.1:18801; if ($host { } }`, `server { listen 127.0.0.1:18801; if ($host = x) { } }`,
	`server { listen 127.0.0.1:18801; if ( $host != x ) { } }`, `server { listen 127.0.0.1:18801; if ($host == x) { } }`,
	`server { listen 127.0.0.1:18801; if ($host = x y) { } }`, `server { listen 127.0.0.1:18801; if ($host ~ "(") { } }`,
	`server { listen 127.0.0.1:18801; if (-f $uri) { } if (!-d $uri) { } if (-e $uri) { } if (!-x x) { } }`,
	`server { listen 127.0.0.1:18801; if (-q $uri) { } }`, `server { listen 127.0.0.1:18801; if (-f) { } }`,
	`server { listen 127.0.0.1:18801; if ($) { } }`, `server { listen 127.0.0.1:18801; if (host) { } }`,
	`server { listen 127.0.0.1:18801; if ($nothing) { } }`,
	`server { listen 127.0.0.1:18801; set x 1; }`, `server { listen 127.0.0.1:18801; set $x $; }`,
	`server { listen 127.0.0.1:18801; set $ 1; }`, `server { listen 127.0.0.1:18801; set $host 1; }`,
	`server { listen 127.0.0.1:18801; set $limit_rate 1; set $args 1; set $x 1; set $x 2; }`,
	`server { listen 127.0.0.1:18801; set $http_x 1; set $arg_y 2; }`,
	`server { listen 127.0.0.1:18801; rewrite ^ ""; }`, `server { listen 127.0.0.1:18801; rewrite ^ /x forever; }`,
	`server { listen 127.0.0.1:18801; rewrite ( /x; }`, `server { listen 127.0.0.1:18801; rewrite ^(.)$ /$1$2$host last; }`,
	`server { listen 127.0.0.1:18801; rewrite ^(.)$ /$nothing; }`,
	`server { listen 127.0.0.1:18801; return x; }`, `server { listen 127.0.0.1:18801; return 1000; }`,
	`server { listen 127.0.0.1:18801; return http://x; }`, `server { listen 127.0.0.1:18801; return $scheme://x; }`,
	`server { listen 127.0.0.1:18801; return 200 $nothing; }`, `server { listen 127.0.0.1:18801; return 200 "a$"; }`,
	// maps
	`map $host { }`, `map $host x { }`, `map $host $x { a b c; }`, `map $host $x { a { b c; } }`, `map $host $host { a b; }`,
	`geo $x { default 1; 10.0.0.0/99 2; }`, `geo x { default 1; }`, `split_clients $host $x { 60% a; 50% b; }`,
	`split_clients $host $x { 0.001% a; * b; }`,
	// values
	`gzip maybe;`, `gzip on; gzip off;`, `client_max_body_size 1x;`, `client_max_body_size 1g;`, `keepalive_requests -1;`,
	`client_body_timeout 1y;`, `client_body_timeout 1s1m;`, `client_body_timeout 1M;`, `client_body_timeout 1h 5;`,
	`send_timeout "1m 30s";`, `send_timeout "30s 1m";`, `send_timeout 5ms;`, `send_timeout x;`, `send_timeout;`,
	`client_header_buffer_size 1g;`, `server_tokens build;`, `satisfy none;`, `satisfy ALL;`,
	`proxy_cache_path x keys_zone=a:1m; limit_req_zone $remote_addr zone=a:1m rate=1r/s;`,
	`limit_req_zone $remote_addr zone=a:1m rate=1r/s; proxy_cache_path x keys_zone=a:1m;`,
	// places
	`http { }`, `location / { }`, `events { }`, `nonsense;`, `nonsense { a b; }`, `proxy_pass http://x;`,
	`server { server { } }`, `server { listen 127.0.0.1:18801; location / { server_name x; } }`,
	`server { listen 127.0.0.1:18801; location / { if ($host) { limit_conn c 1; } } }`,
	`server { listen 127.0.0.1:18801; if ($host) { limit_req zone=z; } }`,
	`server { listen 127.0.0.1:18801; location / { limit_except GET { limit_req zone=z; } } }`,
	`server { listen 127.0.0.1:18801; location / { if ($host) { if ($uri) { } } } }`,
	`proxy_set_header X ${host; server { listen 127.0.0.1:18801; } ` + "\n", `proxy_set_header X $nothing; server { listen 127.0.0.1:18801; }`,
	`server { listen 127.0.0.1:18801; location / { fastcgi_param X $; } } `, `server { listen 127.0.0.1:1-x; }`,
	`server { listen 99999-100000; }`, `server { listen 5-99999; }`,
	`add_header X $nothing;`, `add_header X "$";`, `proxy_set_header X ${host;`, `add_header X;`,
}

// Cases that need zones.
var zoneCases = []string{
	`limit_req zone=z;`, `limit_req zone=z burst=0;`, `limit_req zone=z burst=;`, `limit_req zone=z burst=99999999999999999999;`,
	`limit_req zone=z delay=0;`, `limit_req zone=z delay;`, `limit_req zone=z nodelay=1;`, `limit_req zone=z nodelay nodelay;`,
	`limit_req zone=z burst=5 nodelay delay=3;`, `limit_req burst=5;`, `limit_req z;`, `limit_req;`,
	`limit_req zone=z; limit_req zone=z;`, `limit_req zone=z; server { listen 127.0.0.1:18801; limit_req zone=z; }`,
	`limit_req zone=c;`, `limit_conn z 1;`, `limit_conn c 0;`, `limit_conn c -1;`, `limit_conn c 65535;`, `limit_conn c 65536;`,
	`limit_conn c;`, `limit_conn c 1 2;`, `limit_conn c 1; limit_conn c x;`, `limit_conn c x; limit_conn c 1;`,
	`limit_req zone=y; limit_req zone=z burst=0;`,
}

// Cases of TLS: of certificates that are not there, whose files nginx would look for, only those that it refuses before.
var certificateCases = []string{
	`server { listen 127.0.0.1:18801 ssl; }`, "server\n{\nlisten 127.0.0.1:18801 ssl;\n}", "server { listen 127.0.0.1:18801; }\nserver { listen 127.0.0.1:18801 ssl; }",
	"server { listen 127.0.0.1:18801 ssl; }\nserver { listen 127.0.0.1:18801 ssl default_server; }",
	"server { listen 127.0.0.1:18802; listen 127.0.0.1:18801-18803 ssl; }",
	`server { listen 127.0.0.1:18801 ssl; ssl_reject_handshake on; }`, `ssl_reject_handshake on; server { listen 127.0.0.1:18801 ssl; }`,
	"server { listen 127.0.0.1:18801 ssl; ssl_reject_handshake on; }\nserver { listen 127.0.0.1:18801 ssl; server_name a; }",
	"server { listen 127.0.0.1:18801 ssl; ssl_reject_handshake on; }\nserver { listen 127.0.0.1:18801; server_name a; }",
	"server { listen 127.0.0.1:18801 ssl; }\nserver { listen 127.0.0.1:18801 ssl; server_name a; ssl_reject_handshake on; }",
	"ssl_reject_handshake on; server { listen 127.0.0.1:18801 ssl; ssl_reject_handshake off; }",
	`server { listen 127.0.0.1:18801 ssl; ssl_certificate a.pem; }`, `server { listen 127.0.0.1:18801; ssl_certificate a.pem; }`,
	`ssl_certificate a.pem; server { listen 127.0.0.1:18801; }`, `server { listen 127.0.0.1:18801; ssl_certificate_key a.key; }`,
	`server { listen 127.0.0.1:18801 ssl; ssl_certificate_key a.key; }`,
	`server { listen 127.0.0.1:18801; ssl_certificate a.pem; ssl_certificate b.pem; ssl_certificate_key a.key; }`,
	"server { listen 127.0.0.1:18801;\nssl on;\n}", "ssl on;\nserver { listen 127.0.0.1:18801; }", `ssl on; server { listen 127.0.0.1:18801; ssl off; }`,
	"server { listen 127.0.0.1:18801;\nssl on;\nssl_certificate a.pem; }",
	"server { listen 127.0.0.1:18801; ssl on; ssl_certificate a.pem;\nssl_certificate b.pem; ssl_certificate_key a.key; }",
	`server { listen 127.0.0.1:18801; ssl on; ssl_reject_handshake on; }`,
	`server { listen 127.0.0.1:18801 ssl; location /a { } location /a { } }`, `server { listen 127.0.0.1:18801 ssl; add_header X $nothing; }`,
	"server { listen 127.0.0.1:18801 ssl; server_name a; }\nserver { listen 127.0.0.1:18801 ssl; server_name a; }",
	"server { listen 127.0.0.1:18801; location /a { } location /a { } }\nserver { listen 127.0.0.1:18802; ssl_certificate a.pem; }",
}

func TestAgainstNginx(t *testing.T) {
	binary := nginxtest.Binary(t)
	run := func(head, text string) {
		if diff := compare(t, binary, head+text+"\n}\n"); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
	for _, text := range nginxCases {
		run(head, text)
	}
	for _, text := range certificateCases {
		run(head, text)
	}
	for _, text := range zoneCases {
		run(zonesHead, text)
	}
	t.Logf("%d cases", len(nginxCases)+len(certificateCases)+len(zoneCases))
}
