package value_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// block is a random map, geo or split_clients block.
type block struct {
	kind    string
	args    []string
	entries [][]string
}

func quote(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`)
	}
	return b.String()
}

func (b block) String() string {
	s := b.kind + quote(b.args) + " {\n"
	for _, e := range b.entries {
		s += quote(e) + ";\n"
	}
	return s + "}\n"
}

func (b block) define(d *value.Definitions) []value.Problem {
	switch b.kind {
	case "map":
		return d.Map(b.args, b.entries)
	case "geo":
		return d.Geo(b.args, b.entries)
	}
	return d.SplitClients(b.args, b.entries)
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func randomMap(r *rand.Rand, name string) block {
	b := block{kind: "map", args: []string{oneOf(r, "$arg_k", "$arg_k$arg_z", "$http_x_host", "x$arg_k", "$uri", "$arg_k"), name}}
	taken := map[string]bool{}
	for range r.IntN(12) {
		key := oneOf(r, "a", "b", "", "ab", "a.example", "*.example", ".example.com", "www.*", "www.example.*", "*.b.example", "example", "www",
			"Example.COM", "*.A.example", "*.com", "a.*", ".a.example", "*.c.b.example", `\hostnames`, `\volatile`, `\include`, strings.Repeat("k", 300), "a b", `\\x`,
			"~^a", "~*B(.)", "~(?<cap>x+)", "~(a)(b)?", "~^$", "~*^WWW", "default", `\default`, `\~a`, "xa", "/a", "~a(?=b)")
		if r.IntN(200) == 0 {
			key = oneOf(r, "..", "*", "a..b", "A", "~(", "~[z-a]", "~*a**", "~a)", `~\`)
		}
		if taken[key] && r.IntN(100) > 0 {
			continue
		}
		taken[key] = true
		v := oneOf(r, "1", "2", "", "$1", "$cap", "[$1|$2]", "$arg_z", "v${arg_z}w", "$http_x_host", "$m0")
		if r.IntN(300) == 0 {
			v = oneOf(r, "$", "${a", "${", "$-")
		}
		switch r.IntN(16) {
		case 0:
			b.entries = append(b.entries, []string{"hostnames"})
		case 1:
			b.entries = append(b.entries, []string{"volatile"})
		}
		b.entries = append(b.entries, []string{key, v})
	}
	return b
}

// low is an address of 10.0.0.0/22, where spans and networks lie across each other.
func low(n uint32) string { return netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}).String() }

func network(r *rand.Rand) string { return fmt.Sprintf("%s/%d", low(r.Uint32N(1024)), 20+r.IntN(13)) }

func span(r *rand.Rand) string {
	from := r.Uint32N(1024)
	return low(from) + "-" + low(min(from+uint32(manyOr(r, 40, 1024)), 1023))
}

// manyOr is a small number, and now and then a large one.
func manyOr(r *rand.Rand, few, many int) int {
	if r.IntN(20) == 0 {
		return r.IntN(many)
	}
	return r.IntN(few)
}

func randomGeo(r *rand.Rand, name string) block {
	b := block{kind: "geo", args: []string{name}}
	if r.IntN(2) == 0 {
		b.args = []string{"$arg_ip", name}
	}
	ranges := r.IntN(2) == 0
	if ranges {
		b.entries = append(b.entries, []string{"ranges"})
	}
	for range manyOr(r, 9, 60) {
		key := oneOf(r, "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3", "10.1.2.0/24", "0.0.0.0/0", "127.0.0.0/8", "127.0.0.1", "default", "default", "2001:db8::/32",
			"2001:db8::1", "::/0", "255.255.255.255", "128.0.0.0/1", "10.1.2.4/30", "::ffff:10.0.0.0/104",
			"10.1.2.3/24", "10.1.2.3/31", "2001:db8::1/127", "2001:db8::2/33", "192.0.2.1/0", "127.0.0.1/32", "::1/128", "::ffff:10.1.2.3", network(r), network(r))
		if r.IntN(100) == 0 {
			key = oneOf(r, "255.255.255.255/32", "10.0.0.0/33", "x")
		}
		if ranges {
			key = oneOf(r, "10.0.0.0-10.255.255.255", "10.1.0.0-10.1.255.255", "10.1.2.3-10.1.2.3", "default", "127.0.0.1-127.0.0.1", "10.1.2.0-10.1.2.255",
				"0.0.0.0-9.255.255.255", "127.0.0.0-127.1.0.0", "255.255.255.0-255.255.255.254", "default")
			if r.IntN(2) == 0 {
				key = span(r)
			}
			if r.IntN(60) == 0 {
				key = oneOf(r, "10.1.2.200-10.1.4.20", "10.1.2.4-10.1.2.3", "10.1.2.4", "x")
			}
		}
		switch r.IntN(12) {
		case 0:
			b.entries = append(b.entries, []string{"proxy", oneOf(r, "127.0.0.1", "10.0.0.0/8", "127.0.0.0/8", "::1")})
		case 1:
			b.entries = append(b.entries, []string{"proxy_recursive"})
		case 2:
			if key != "default" {
				b.entries = append(b.entries, []string{"delete", key})
			}
		}
		b.entries = append(b.entries, []string{key, fmt.Sprint("v", r.IntN(9))})
	}
	return b
}

func randomSplit(r *rand.Rand, name string) block {
	b := block{kind: "split_clients", args: []string{oneOf(r, "$arg_k", "$arg_ip$arg_k", "x"), name}}
	if r.IntN(100) == 0 {
		b.entries = append(b.entries, []string{oneOf(r, "0%", "5", "1.234%", "100.01%", "%"), "x"})
	}
	for range r.IntN(4) {
		b.entries = append(b.entries, []string{oneOf(r, "10%", "0.5%", "33.33%", "25%", "0.01%", "20.%", ".5%", "5%"), fmt.Sprint("s", r.IntN(4))})
	}
	if r.IntN(2) == 0 {
		b.entries = append(b.entries, []string{"*", "rest"})
	}
	return b
}

// shown are the variables that are compared; the captures come last, since they change while the others are computed.
var shown = []string{
	"m0", "m1", "m2", "m3", "g1", "g2", "s1", "cap", "host", "http_host", "http_x_host", "http_user_agent", "http_cookie", "cookie_a", "cookie_B",
	"arg_k", "arg_Z", "args", "query_string", "is_args", "uri", "document_uri", "request_uri", "request_method", "scheme", "https", "server_protocol",
	"server_name", "server_addr", "server_port", "remote_addr", "realip_remote_addr", "http_x_forwarded_for", "proxy_add_x_forwarded_for", "content_length",
	"content_type", "remote_user", "request", "nginx_version", "http2", "limit_req_status", "binary_remote_addr", "request_completion", "http_a_b",
	"proxy_protocol_addr", "ssl_protocol", "m1", "1", "2",
}

func randomRequest(r *rand.Rand) *request.Request {
	key := func() string {
		return oneOf(r, "a", "b", "A", "ab", "AB", "", "xx", "aBc", "default", "~a", "www.example.com", "www.example.", "a.example", "c.b.example", "example.com", "x.example.com",
			".example", "Example.COM", "hostnames", "volatile", "include", strings.Repeat("k", 300), strings.Repeat("k", 301), "x.a.example", "a%20b", "a.com", `\x`, "WWW.x", "example", "www", "a.b.c.example")
	}
	ip := oneOf(r, "10.1.2.3", "10.1.2.5", "10.2.0.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "::1", "::ffff:10.1.2.3", "255.255.255.255", "x", "", "010.1.2.3", "127.0.0.1",
		low(r.Uint32N(1024)), low(r.Uint32N(1024)), low(r.Uint32N(1024)), low(255), low(256), "10.1.2.3%00", "[2001:db8::1]", "10.1.2.3:80", "::ffff:10.0.1.1")
	q := &request.Request{
		Target: fmt.Sprintf("/%s?%s=%s&ip=%s&z=%s", oneOf(r, "", "a", "a/b", "x"), oneOf(r, "k", "K", "kk=1&k", "ak=2&k"), key(), ip, oneOf(r, "", "1", "z")),
		Host:   oneOf(r, "a.example", "A.Example:80", "b"), Peer: netip.MustParseAddr("127.0.0.1"),
	}
	if r.IntN(8) == 0 {
		q.Target = "/"
	}
	for range r.IntN(7) {
		name := oneOf(r, "X-Host", "x-host", "Cookie", "Cookie", "User-Agent", "X-Forwarded-For", "X-Forwarded-For", "A-B", "A_B", "A-b", "Authorization")
		v := key()
		switch strings.ToLower(name) {
		case "cookie":
			v = oneOf(r, "a=1", "a=1; b=2", "b = 3 ;a=4", "B=x", "ab=1; a=2", "a", "a=", "x=1,a=2", "b;a=9", "a =5;")
		case "x-forwarded-for":
			v = oneOf(r, "10.1.2.3", low(r.Uint32N(1024)), low(r.Uint32N(1024))+", 127.0.0.1", strings.Repeat("10.0.0.1, ", r.IntN(300))+"10.1.2.3",
				strings.Repeat("9", 600), "[2001:db8::1]:80", "10.1.2.3:80,", ", 10.0.0.9 ,", "192.0.2.1, 10.0.0.1", "10.1.2.3, 127.0.0.1", "x", "2001:db8::1", "")
		case "authorization":
			if slices.ContainsFunc(q.Headers, func(h request.Header) bool { return h.Name == name }) {
				continue // nginx answers 400 to a second one
			}
			v = oneOf(r, "Basic "+base64.StdEncoding.EncodeToString([]byte("user:pass")), "basic dXNlcg==", "Bearer x", "Basic !")
		}
		q.Headers = append(q.Headers, request.Header{Name: name, Value: v})
	}
	return q
}

// TestLiveVariables asks nginx for its variables, over random maps, geo and split_clients blocks and random requests,
// and for what it refuses of such blocks.
func TestLiveVariables(t *testing.T) {
	r := nginxtest.Random(t)
	const perConfiguration = 40
	refused := 0
	for asked := 0; asked < nginxtest.Cases(t, 400); {
		blocks := []block{
			{kind: "map", args: []string{"$arg_z", "$m0"}, entries: [][]string{{"~(?<cap>z)", "0"}, {"default", "d"}}},
			randomMap(r, "$m1"), randomMap(r, "$m2"), randomMap(r, "$m3"), randomGeo(r, "$g1"), randomGeo(r, "$g2"), randomSplit(r, "$s1"),
		}
		defs := &value.Definitions{}
		var ours []string
		text := ""
		for _, b := range blocks {
			text += b.String()
			for _, p := range b.define(defs) {
				if !p.Warning {
					ours = append(ours, p.Text)
				}
			}
		}
		port := nginxtest.Port(t)
		conf := configuration(text, port)
		folder := t.TempDir()
		path := filepath.Join(folder, "nginx.conf")
		if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
			t.Fatal(err)
		}
		verdict := nginxtest.Check(t, folder, path)
		asked++
		if !verdict.Accepted || len(ours) > 0 {
			refused++
			if len(ours) == 0 || verdict.Message != ours[0] {
				t.Errorf("we say %q, nginx %q of\n%s", ours, verdict.Message, text)
			}
			continue
		}
		ok := t.Run("", func(t *testing.T) {
			nginxtest.Start(t, conf, port, nil)
			client := nginxtest.NewClient(t, port)
			for range perConfiguration {
				compare(t, defs, client, randomRequest(r), port)
				asked++
			}
		})
		if !ok {
			t.Logf("definitions:\n%s", text)
			break
		}
	}
	t.Logf("%d configurations were refused", refused)
}

func configuration(definitions string, port int) string {
	conf := "events {}\npid nginx.pid;\nhttp {\naccess_log off;\nmap_hash_bucket_size 2048;\n"
	for _, p := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += p + "_temp_path " + p + ";\n"
	}
	conf += definitions + fmt.Sprintf("server {\nlisten 127.0.0.1:%d;\nserver_name .S.example;\nlocation / {\nproxy_pass http://127.0.0.1:1;\nreturn 200 \"", port)
	for _, name := range shown {
		conf += name + "=$" + name + "\n"
	}
	return conf + "\";\n}\n}\n}\n"
}

func compare(t *testing.T, defs *value.Definitions, client *nginxtest.Client, q *request.Request, port int) {
	t.Helper()
	head := "GET " + q.Target + " HTTP/1.1\r\nHost: " + q.Host
	for _, h := range q.Headers {
		head += "\r\n" + h.Name + ": " + h.Value
	}
	response := client.Send(t, head)
	if response.Status != 200 {
		t.Fatalf("%q: status %d", head, response.Status)
	}
	uri, args, err := request.Normalize(q.Target, true)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := request.ParseHost(q.Host)
	v := &value.Request{
		HTTP: q, Definitions: defs, Version: "1.22.1", URI: uri, Args: args, Host: host, ServerName: value.Of("s.example"),
		Client: netip.AddrPortFrom(q.Peer, 1), Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)),
	}
	text := ""
	for _, name := range shown {
		text += name + "=$" + name + "\n"
	}
	template, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got, known := template.Eval(v).Known()
	if !known {
		t.Fatalf("%q: %s", head, template.Eval(v).Reason())
	}
	if got == response.Body {
		return
	}
	theirs := strings.Split(response.Body, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(theirs) || line != theirs[i] {
			t.Errorf("%q: we %q, nginx %q", head, line, theirs[min(i, len(theirs)-1)])
		}
	}
}
