package route

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// generator makes random configurations in which every server and location says what it is.
type generator struct {
	*rand.Rand
	strings.Builder
	labels int
	addrs  []string
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// says is what a level returns: its number, and variables that depend on how the request came there.
func (g *generator) says() string {
	g.labels++
	return fmt.Sprintf("return 200 \"L%d|$host|$server_name|$server_port|$1|$2|$x|$args|$uri\";", g.labels)
}

func (g *generator) configuration() string {
	g.WriteString("events {}\npid nginx.pid;\nhttp {\naccess_log off;\nmap '' $x { default ''; }\nserver_names_hash_bucket_size 128;\n")
	for _, p := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(g, "%s_temp_path %s;\n", p, p)
	}
	standard := map[string]bool{}
	for range 1 + g.IntN(6) {
		g.WriteString("server {\n")
		for i, addr := range g.addrs {
			if i > 0 && g.IntN(2) == 0 {
				continue
			}
			g.WriteString("listen " + addr)
			if !standard[addr] && g.IntN(4) == 0 {
				standard[addr] = true
				g.WriteString(" default_server")
			}
			g.WriteString(";\n")
		}
		g.names()
		if g.IntN(4) == 0 {
			g.WriteString("merge_slashes off;\n")
		}
		if g.IntN(10) == 0 {
			g.WriteString(g.says())
		}
		g.locations("", 0)
		g.WriteString("}\n")
	}
	g.WriteString("}\n")
	return g.String()
}

func (g *generator) names() {
	for range g.IntN(3) {
		name := oneOf(g.Rand, `a.example`, `b.example`, `A.Example`, `c.b.example`, `*.example`, `*.b.example`, `.b.example`, `a.*`, `c.b.*`,
			`.example`, `""`, `_`, `~^(?<x>\w+)\.example$`, `~^a`, `~^[A-C]\.(.*)$`, `"~^(c|d)\.(\w{1,9})\."`, `~example$`, `*.c.example`)
		g.WriteString("server_name " + name + ";\n")
	}
}

func (g *generator) host() string {
	parts := []string{"a", "b", "c", "example", "A", "Example", "com", "x_y"}
	var b strings.Builder
	for i := range 1 + g.IntN(4) {
		if i > 0 {
			b.WriteString(".")
		}
		b.WriteString(oneOf(g.Rand, parts...))
	}
	if g.IntN(2) == 0 {
		b.WriteString(".example")
	}
	return b.String() + oneOf(g.Rand, "", "", "", "", "", "", "", "", "", "", ":8080", ".", ".:80", "..", " x", ":x")
}

var (
	segments = []string{"/", "/a", "/b", "/ab", "/a/", "/b/", "/A", "/x.php", "/img/", "/a-b", "/a.b", "/a+b"}
	regexes  = []string{
		`^/a`, `^/(a|b)`, `\.php$`, `/(?<x>[a-z]+)/?$`, `^/a/(.*)/(.*)$`, `(?i)IMG`, `b$`, `^/[^/]*$`, `^/a(?!/)`, `(a)?b`, `^//`,
		`/b\b`, `^/(\w+)(?:/(\w+))?`, `[A-Z]`, `\.(?:php|png)$`, `^/a.b$`,
	}
)

// locations writes the locations of one level; all start with prefix, unless they are regexes.
func (g *generator) locations(prefix string, depth int) {
	taken := map[string]bool{}
	for range 1 + g.IntN(7) {
		modifier := oneOf(g.Rand, "", "", "", "=", "^~", "~", "~*")
		pattern := prefix + oneOf(g.Rand, segments...)
		if depth > 0 && g.IntN(4) == 0 {
			pattern = prefix
		}
		regex := strings.HasPrefix(modifier, "~")
		if regex {
			pattern = oneOf(g.Rand, regexes...)
		}
		kind := modifier
		if kind == "^~" {
			kind = ""
		}
		if pattern == "" || !regex && taken[kind+pattern] {
			continue
		}
		taken[kind+pattern] = true
		fmt.Fprintf(g, "location %s \"%s\" {\n", modifier, strings.ReplaceAll(pattern, `\`, `\\`))
		if !regex && g.IntN(4) == 0 {
			g.WriteString("proxy_pass http://127.0.0.1:1;\n")
		}
		switch {
		case depth >= 2 || modifier == "=":
		case regex:
			g.nestedRegexes()
		case g.IntN(2) == 0:
			g.locations(pattern, depth+1)
		}
		g.WriteString(g.says() + "\n}\n")
	}
}

// nestedRegexes writes regexes within a regex: nginx takes no prefix there.
func (g *generator) nestedRegexes() {
	for range g.IntN(2) {
		fmt.Fprintf(g, "location ~ \"%s\" {\n%s\n}\n", strings.ReplaceAll(oneOf(g.Rand, regexes...), `\`, `\\`), g.says())
	}
}

func (g *generator) target() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(oneOf(g.Rand, append(segments, "/%61", "/.", "/..", "//", "/b%0a", "/%C3%A9", "/a%2fb", "/foo/bar", ".php", "x")...))
	}
	return b.String() + oneOf(g.Rand, "", "", "", "?a=b", "?", "#f")
}

// TestLiveRoutes asks nginx for the server and the location of random requests in random configurations.
func TestLiveRoutes(t *testing.T) {
	r := nginxtest.Random(t)
	const perConfiguration = 50
	outcomes := map[int]int{}
	enough := func() bool { return outcomes[200] > 0 && outcomes[404] > 0 && outcomes[400] > 0 }
	for i := range nginxtest.CasesUntil(t, 500, enough) {
		if i%perConfiguration != 0 {
			continue
		}
		ports := []int{nginxtest.Port(t), nginxtest.Port(t)}
		g := &generator{Rand: r, addrs: []string{
			fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("*:%d", ports[1]), fmt.Sprintf("127.0.0.1:%d", ports[1]),
		}}
		conf := g.configuration()
		folder := t.TempDir()
		path := filepath.Join(folder, "nginx.conf")
		if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
			t.Fatal(err)
		}
		if v := nginxtest.Check(t, folder, path); !v.Accepted {
			t.Fatalf("nginx refuses: %s\n%s", v.Message, conf)
		}
		ok := t.Run("", func(t *testing.T) {
			nginxtest.Start(t, conf, ports[0], nil)
			router := New(resolveFile(t, path))
			clients := map[int]*nginxtest.Client{ports[0]: nginxtest.NewClient(t, ports[0])}
			if strings.Contains(conf, fmt.Sprintf(":%d", ports[1])) {
				clients[ports[1]] = nginxtest.NewClient(t, ports[1])
			}
			for range perConfiguration {
				port := ports[r.IntN(2)]
				if clients[port] == nil {
					port = ports[0]
				}
				outcomes[compare(t, g, router, clients[port], port)]++
			}
		})
		if !ok {
			t.Logf("configuration:\n%s", conf)
			break
		}
	}
	t.Logf("answers: %v", outcomes)
	if !enough() {
		t.Errorf("too few kinds of answer: %v", outcomes)
	}
}

func compare(t *testing.T, g *generator, router *Router, client *nginxtest.Client, port int) int {
	t.Helper()
	req := &request.Request{
		Host: g.host(), Target: g.target(), Peer: netip.MustParseAddr("127.0.0.1"),
		Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)),
	}
	head := "GET " + req.Target + " HTTP/1.1\r\nHost: " + req.Host
	switch g.IntN(20) {
	case 0:
		req.Target = "http://" + g.host() + req.Target
		if strings.Contains(req.Target, " ") {
			req.Target = "http://b.example/a"
		}
		head = "GET " + req.Target + " HTTP/1.1\r\nHost: " + req.Host
	case 1:
		req.Host, req.NoHost, req.Protocol = "", true, "HTTP/1.0"
		head = "GET " + req.Target + " HTTP/1.0"
	case 2:
		req.Host, req.NoHost = "", true
		head = "GET " + req.Target + " HTTP/1.1"
	}
	nginx := client.Send(t, head)
	want := answer{nginx.Status, nginx.Body}
	switch nginx.Status {
	case 301:
		want.text = nginx.Header.Get("Location")
		if _, path, ok := strings.Cut(want.text, fmt.Sprintf(":%d", port)); ok {
			want.text = path
		}
	case 200:
	default:
		want.text = ""
	}
	if got := ask(t, router, &value.Request{}, req); got != want {
		t.Errorf("%q: got %v, nginx %v", head, got, want)
	}
	return nginx.Status
}
