package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// TestLivePhases sends random requests to random configurations full of what can end a request, take it elsewhere, or let
// a limiter run or not: rewrites, ifs, error pages, subrequests, access rules, files. Status, verdicts, the URI reached
// and the Location header must be what the model says.
func TestLivePhases(t *testing.T) {
	nginxtest.Binary(t)
	rng := nginxtest.Random(t)
	const perConfiguration = 60
	seen := map[string]int{}
	for done, cases := 0, nginxtest.Cases(t, 600); done < cases && !t.Failed(); done += perConfiguration {
		port := nginxtest.Port(t)
		g := &phasesGenerator{Rand: rng, port: port, backend: nginxtest.Port(t), answer: []int{200, 403, 404, 500, 402, 401}[rng.IntN(6)]}
		conf := g.configuration()
		if !g.compare(t, conf, min(perConfiguration, cases-done), seen) {
			t.Logf("configuration:\n%s", conf)
		}
	}
	t.Logf("answers: %v", seen)
}

// A phasesGenerator writes configurations of locations /a/ to /h/, some named ones, and a site of a few files.
type phasesGenerator struct {
	*rand.Rand
	strings.Builder
	port    int
	backend int // the port of the server that stands for all upstreams
	answer  int // which it gives
}

const phaseLocations = "abcdefgh"

func (g *phasesGenerator) pick(from ...string) string { return pick(g.Rand, from...) }

// maybe writes a line with a chance of one in n.
func (g *phasesGenerator) maybe(n int, line func() string) {
	if g.IntN(n) == 0 {
		g.WriteString("            " + line() + "\n")
	}
}

func (g *phasesGenerator) configuration() string {
	fmt.Fprintf(g, "pid nginx.pid;\nevents {}\nhttp {\n    log_format seen \"$status|$limit_req_status|$limit_conn_status|$uri|$sent_http_location\";\n")
	g.WriteString("    access_log seen.log seen;\n    error_log error.log info;\n")
	for _, p := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(g, "    %s_temp_path tmp_%s;\n", p, p)
	}
	g.WriteString("    map $http_x_key $mapped { default $binary_remote_addr; k1 \"\"; k2 two; }\n")
	for i, key := range []string{"$binary_remote_addr", "$http_x_key", "$mapped", "$uri"} {
		fmt.Fprintf(g, "    limit_req_zone %s zone=z%d:1m rate=%s;\n", key, i, g.pick("1r/m", "1r/s", "10r/s"))
	}
	g.WriteString("    limit_conn_zone $http_x_key zone=c0:1m;\n    limit_conn_zone $uri zone=c1:1m;\n    root site;\n")
	g.limits(3)
	fmt.Fprintf(g, "    server {\n        listen 127.0.0.1:%d;\n        server_name phases.example other.example;\n", g.port)
	g.limits(3)
	g.maybe(3, func() string { return "absolute_redirect off;" })
	g.maybe(3, func() string { return "server_name_in_redirect on;" })
	g.maybe(3, func() string { return "port_in_redirect off;" })
	g.maybe(3, g.errorPage)
	g.maybe(4, func() string { return "recursive_error_pages on;" })
	g.maybe(2, func() string { return "proxy_intercept_errors on;" })
	g.maybe(5, g.rewriteCode)
	g.maybe(8, func() string { return "if ($arg_n) { " + g.rewriteCode() + " }" })
	g.maybe(4, g.accessRule)
	for i := range phaseLocations {
		g.location(fmt.Sprintf("/%c/", phaseLocations[i]))
	}
	for _, name := range []string{"@x", "@y"} {
		g.location(name)
	}
	g.WriteString("        location ~ \\.php$ { ")
	g.limits(2)
	g.WriteString(" return 200; }\n        location = /auth { internal; ")
	g.limits(3)
	fmt.Fprintf(g, "return %s; }\n    }\n", g.pick("200", "204", "401", "403", "404", "444"))
	fmt.Fprintf(g, "    server {\n        listen 127.0.0.1:%d;\n        access_log off;\n        "+
		"location / { return %d; }\n    }\n}\n", g.backend, g.answer)
	return g.String()
}

// limits writes limits of a level with a chance of one in n.
func (g *phasesGenerator) limits(n int) {
	if g.IntN(n) == 0 {
		for _, z := range g.Perm(4)[:1+g.IntN(2)] {
			fmt.Fprintf(g, "            limit_req zone=z%d%s;\n", z, g.pick("", " burst=1 nodelay", " burst=3 nodelay"))
		}
	}
	if g.IntN(2*n) == 0 {
		fmt.Fprintf(g, "            limit_conn c%d 1;\n", g.IntN(2))
	}
	g.maybe(4*n, func() string { return "limit_req_status " + g.pick("429", "444", "494", "404", "500") + ";" })
	g.maybe(6*n, func() string { return "limit_req_dry_run on;" })
}

func (g *phasesGenerator) location(name string) {
	fmt.Fprintf(g, "        location %s {\n", name)
	named := name[0] == '@'
	g.limits(2)
	if !named {
		g.maybe(10, func() string { return "internal;" })
		g.maybe(8, func() string { return "alias site" + g.pick("/a/", "/b/", "/") + ";" })
	}
	for range g.IntN(3) {
		g.maybe(3, g.rewriteCode)
		g.maybe(4, g.condition)
	}
	g.maybe(3, g.errorPage)
	g.maybe(8, func() string { return "recursive_error_pages on;" })
	g.maybe(4, g.accessRule)
	g.maybe(6, func() string { return "satisfy " + g.pick("any", "all") + ";" })
	g.maybe(6, func() string { return "auth_request /auth;" })
	g.maybe(8, func() string { return "auth_basic r; auth_basic_user_file users;" })
	g.maybe(10, func() string {
		return "limit_except " + g.pick("GET", "POST", "HEAD PUT") + " { " + g.pick("deny all;", "allow all;", "auth_basic r; auth_basic_user_file users;",
			fmt.Sprintf("deny 127.0.1.1; proxy_pass http://127.0.0.1:%d;", g.backend)) + " }"
	})
	g.maybe(5, g.tryFiles)
	g.maybe(8, func() string { return "index " + g.pick("none.html i.html", "/c/f.txt", "none") + ";" })
	g.maybe(8, func() string { return "client_max_body_size 2;" })
	g.maybe(10, func() string { return "absolute_redirect " + g.pick("on", "off") + ";" })
	g.maybe(10, func() string { return "autoindex on;" })
	g.maybe(12, func() string { return "mirror /" + g.letter() + "/f.txt;" })
	g.maybe(8, g.handler)
	if !named && len(name) == 3 && g.IntN(3) == 0 {
		g.location(name + g.pick("sub", "f.txt", "sub/"))
	}
	if !named && g.IntN(8) == 0 {
		g.location("~ " + g.pick("f$", "sub", "n"))
	}
	g.WriteString("        }\n")
}

// handler writes what answers in place of a file.
func (g *phasesGenerator) handler() string {
	if g.IntN(3) == 0 {
		return "empty_gif;"
	}
	return fmt.Sprintf("proxy_pass http://127.0.0.1:%d;", g.backend)
}

func (g *phasesGenerator) letter() string { return string(phaseLocations[g.IntN(len(phaseLocations))]) }

func (g *phasesGenerator) uri() string {
	return "/" + g.letter() + "/" + g.pick("", "f.txt", "sub/", "sub", "none", "x.php") + g.pick("", "", "", "?n=1", "?")
}

func (g *phasesGenerator) errorPage() string {
	return "error_page " + g.pick("403", "404", "503 429", "401 403 500", "502 504", "301", "405 413", "494", "400 404 405 503") +
		g.pick("", "", " =", " =200", " =301", " =404") + " " + g.pick(g.uri(), g.uri(), "@x", "@y", "http://away.example/", "$uri.php") + ";"
}

func (g *phasesGenerator) rewriteCode() string {
	return g.pick(
		"return "+g.pick("403", "404", "204", "444", "500", "301 /f/", "302 http://e.example/$uri", "200 text", "503", "429", "http://e.example/", "307 //x/y", "301 rel")+";",
		"rewrite "+g.pick("^/(.)/(.*)$", "f", "^", "sub", "(?<n>[a-d])/")+" "+g.pick(g.uri(), "/"+g.letter()+"/$2", "/$1$1/$2?x=$1", "http://e.example/$1")+" "+
			g.pick("last", "break", "redirect", "permanent", "")+";",
		"set $v "+g.pick("1", "$uri", "$args", "a$http_x_key")+";", "break;",
	)
}

func (g *phasesGenerator) condition() string {
	return "if (" + g.pick("$request_method = POST", "$uri ~ f", "$arg_n", "$http_x_key = k1", "$http_x_key != k2", "$uri ~* ^/(.)/(.*)$", "$args !~ n") + ") { " + g.rewriteCode() + g.pick("", "", "", fmt.Sprintf(" proxy_pass http://127.0.0.1:%d;", g.backend), " error_page 404 403 = /c/;", " root site/a;") + " }"
}

func (g *phasesGenerator) accessRule() string {
	return g.pick("deny", "allow") + " " + g.pick("127.0.1.1", "127.0.1.0/30", "all") + ";" + g.pick("", " deny all;", " allow all;")
}

func (g *phasesGenerator) tryFiles() string {
	return "try_files " + g.pick("$uri", "$uri $uri/", "/none", "/a/f.txt", "$uri/ $uri.txt", "sub/f.txt") + " " +
		g.pick(g.uri(), "@x", "@y", "=404", "=403", "=204", "=503", "/$1/f.txt", "$uri") + ";"
}

// writePhasesSite puts the files of the site below the prefix: in some folders, and not in others.
func writePhasesSite(t *testing.T, prefix string) {
	t.Helper()
	for _, name := range []string{"site/a/f.txt", "site/a/sub/i.html", "site/b/f.txt", "site/b/i.html", "site/c/f.txt", "site/d/sub/index.html", "users"} {
		path := filepath.Join(prefix, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x:{PLAIN}y\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *phasesGenerator) compare(t *testing.T, conf string, requests int, seen map[string]int) bool {
	t.Helper()
	held := nginxtest.NewClock(t, liveStart)
	server := nginxtest.Start(t, conf, g.port, held)
	writePhasesSite(t, server.Prefix)
	tree := resolveText(t, conf)
	model := pipeline.New(tree, route.New(tree))
	model.Explain = true
	model.Files = filesBelow(server.Prefix)
	now := int64(liveStart)
	for i := range requests {
		now += int64(g.IntN(3)) * 400
		held.Set(t, now)
		r := phaseRequest{
			client: fmt.Sprintf("127.0.1.%d", 1+g.IntN(4)), target: g.uri(), header: g.pick("", "k1", "k2"), method: g.pick("GET", "GET", "GET", "POST", "HEAD", "PUT"),
			password: g.IntN(6) == 0, host: g.pick("phases.example", "Phases.example:80", "what"),
		}
		want := r.ask(t, server, g.port, i+1)
		if got, path := r.model(model, clock.Msec(now), g.port, g.answer); got != want {
			t.Errorf("request %d, %+v:\n the model says %s\n nginx says     %s\n path %s", i, r, got, want, path)
			return false
		}
		seen[want[:3]]++
	}
	return true
}

func filesBelow(prefix string) pipeline.Files {
	return func(path string) pipeline.FileKind {
		info, err := os.Stat(filepath.Join(prefix, path))
		switch {
		case err != nil || strings.HasSuffix(path, "/") && !info.IsDir():
			return pipeline.FileAbsent
		case info.IsDir():
			return pipeline.FileDir
		}
		return pipeline.FileRegular
	}
}

type phaseRequest struct {
	client, target, header, method, host string
	password                             bool
}

func (r phaseRequest) headers() []request.Header {
	var list []request.Header
	if r.header != "" {
		list = append(list, request.Header{Name: "X-Key", Value: r.header})
	}
	if r.password {
		list = append(list, request.Header{Name: "Authorization", Value: "Basic eDp5"}) // x:y
	}
	if r.method == "POST" || r.method == "PUT" {
		list = append(list, request.Header{Name: "Content-Length", Value: "3"})
	}
	return list
}

// model decides the request, and returns the decision as ask does, and the way to it.
func (r phaseRequest) model(p *pipeline.Pipeline, now clock.Msec, port, upstream int) (decided, path string) {
	req := &request.Request{
		Method: r.method, Host: r.host, Target: r.target, Headers: r.headers(), Peer: netip.MustParseAddr(r.client),
		Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)),
	}
	if r.method == "POST" || r.method == "PUT" {
		req.BodySize = 3
	}
	f := p.PlanAnswered(req, nil, upstream).Start(now)
	f.Finish()
	t := f.Trace()
	path = strings.Join(t.Path(), "; ") + fmt.Sprintf(" %q", t.Assumptions)
	fields := []string{strconv.Itoa(t.Status), string(t.Decision.Verdict), string(t.ConnVerdict), t.URI, t.Redirect}
	for i, f := range fields {
		if f == "NONE" || f == "" && i == 4 {
			fields[i] = "-"
		}
	}
	return strings.Join(fields, "|"), path
}

// ask sends the request to nginx, as the n-th one, and returns what it logs of it.
func (r phaseRequest) ask(t *testing.T, server *nginxtest.Server, port, n int) string {
	t.Helper()
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close", r.method, r.target, r.host)
	body := ""
	for _, h := range r.headers() {
		head += "\r\n" + h.Name + ": " + h.Value
		if h.Name == "Content-Length" {
			body = "\r\n\r\nabc"
		}
	}
	got, logged := server.Ask(t, r.client, port, head+body), server.Logged(t, "seen.log", n)
	if got.Status < 300 || got.Status >= 400 { // a redirect that an error page took away leaves its Location behind
		logged = logged[:strings.LastIndexByte(logged, '|')] + "|-"
	}
	return logged
}
