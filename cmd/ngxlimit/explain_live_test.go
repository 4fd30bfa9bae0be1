package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// TestExplainLive asks nginx whatever the scripts explain_*.txtar ask: the same fixture, the same requests. Each is sent
// again and again within one millisecond to a fresh nginx. The first answer must be what explain says. The others must
// be what the model says then, until nginx's log names the zone that has enough: it must be one of those explained.
func TestExplainLive(t *testing.T) {
	nginxtest.Binary(t)
	root := nginxtest.Root(t)
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "explain_*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(backendStatus) }))
	t.Cleanup(backend.Close)
	asked := 0
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(archive.Comment)) {
			line, ok := strings.CutPrefix(strings.TrimSpace(line), "exec ngxlimit explain ")
			if !ok {
				continue
			}
			for _, e := range explained(t, root, splitWords(line), archive) {
				asked++
				t.Run(fmt.Sprintf("%s/%s%s", filepath.Base(e.path), e.Method, e.event.Request.Target), func(t *testing.T) { e.compare(t, backend.Listener.Addr().String()) })
			}
		}
	}
	if asked == 0 {
		t.Error("no request was found in the scripts")
	}
	t.Logf("%d requests of %d scripts", asked, len(scripts))
}

// backendStatus is what every upstream answers; nginx itself never does.
const backendStatus = 299

// An explainedRequest is a request of a script, and what the command says of it.
type explainedRequest struct {
	report.Explanation
	path  string // of the configuration
	event traffic.Event
}

// explained runs the command of a script, and takes its requests apart.
func explained(t *testing.T, root string, words []string, archive *txtar.Archive) (list []explainedRequest) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(words[0]))
	for i, w := range words {
		if name, ok := strings.CutPrefix(w, "$WORK/"); ok {
			words[i] = filepath.Join(t.TempDir(), name)
			at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
			if err := os.WriteFile(words[i], archive.Files[at].Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	args := append([]string{"explain", path}, words[1:]...)
	var out, errs bytes.Buffer
	if status := Main(args, strings.NewReader(""), &out, &errs); status != exitOK {
		t.Fatalf("ngxlimit %q: status %d, %s", args, status, &errs)
	}
	f := &explainFlags{format: oneOf("text", "text", "json")}
	flags := pflag.NewFlagSet("explain", pflag.ContinueOnError)
	f.add(flags)
	if err := flags.Parse(words[1:]); err != nil {
		t.Fatal(err)
	}
	if f.requests == "" {
		e, err := f.event(flags.Arg(0))
		if err != nil {
			t.Fatal(err)
		}
		list = []explainedRequest{{path: path, event: e}}
		decode(t, out.Bytes(), &list[0].Explanation)
		return list
	}
	var all []report.Explanation
	decode(t, out.Bytes(), &all)
	file, err := os.Open(f.requests)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	for e, err := range traffic.ReadRequests(file, "") {
		if err != nil || len(list) == len(all) {
			t.Fatalf("%d explanations for more requests: %v", len(all), err)
		}
		list = append(list, explainedRequest{Explanation: all[len(list)], path: path, event: e})
	}
	return list
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// splitWords cuts a line of a script at spaces outside single quotes.
func splitWords(line string) (words []string) {
	quoted := false
	for piece := range strings.SplitSeq(line, "'") {
		if quoted {
			words = append(words, piece)
		} else {
			words = append(words, strings.Fields(piece)...)
		}
		quoted = !quoted
	}
	return words
}

// onLoopback replaces the networks of the fixtures by parts of the loopback interface, which a test may send from.
var onLoopback = strings.NewReplacer("203.0.113.", "127.1.113.", "198.51.100.", "127.1.100.", "192.0.2.", "127.1.2.", "10.20.0.", "127.2.0.",
	"2001:db8:7::/48", "::1/128", "2001:db8:7::12", "::1")

// A decided is what nginx and the model are compared in. A delayed request has no status yet.
type decided struct {
	Status       int
	Req, Conn    string // $limit_req_status, $limit_conn_status
	Addr, Realip string
	Zone         string // that limit_req logged
	Excess       int64
}

// compare sends the request until a limit speaks up.
func (e *explainedRequest) compare(t *testing.T, backend string) {
	text, err := os.ReadFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	peer := onLoopback.Replace(e.event.Request.Peer.String())
	port := nginxtest.Port(t)
	listen := fmt.Sprintf("listen 127.0.0.1:%d;", port)
	if strings.Contains(peer, ":") {
		if !hasIPv6() {
			t.Skip("there is no IPv6 on the loopback interface")
		}
		listen += fmt.Sprintf(" listen [::1]:%d;", port)
	}
	conf := strings.ReplaceAll(onLoopback.Replace(string(text)), "listen 80;", listen)
	for _, upstream := range []string{"127.0.0.1:8080", "127.0.0.1:8081"} {
		conf = strings.ReplaceAll(conf, upstream, backend)
	}
	conf = "pid nginx.pid;\nerror_log error.log info;\n" + strings.Replace(conf, "http {", `http {
    log_format seen "$status|$limit_req_status|$limit_conn_status|$remote_addr|$realip_remote_addr";
    access_log seen.log seen;
    client_body_temp_path tmp_body; proxy_temp_path tmp_proxy; fastcgi_temp_path tmp_fastcgi; uwsgi_temp_path tmp_uwsgi; scgi_temp_path tmp_scgi;`, 1)
	server := nginxtest.Start(t, conf, port, nginxtest.NewClock(t, int64(clock.Up)))
	writeSite(t, server.Prefix)

	model := e.model(t)
	for i := range e.enough() {
		got := server.Ask(t, peer, port, onLoopback.Replace(e.head()))
		want, said := model(), seenBy(t, server, &got)
		if i == 0 {
			e.check(t, said)
		}
		if said != want {
			t.Errorf("%s %s, sent the %d. time: nginx %+v, the model %+v", e.Method, e.URL, i+1, said, want)
		}
		if said.Zone == "" {
			continue
		}
		if !slices.ContainsFunc(e.Limits, func(l report.ExplainedLimit) bool { return l.Zone == said.Zone && l.Counted }) {
			t.Errorf("nginx limits by zone %s, which no explained limit counts in: %+v", said.Zone, e.Limits)
		}
		return
	}
	if e.LimiterRuns != nil && *e.LimiterRuns {
		t.Errorf("%s %s: no limit speaks up after %d requests", e.Method, e.URL, e.enough())
	}
}

// enough is how many requests at once every limit is to let pass that does so at all, and two more.
func (e *explainedRequest) enough() int {
	n := int64(0)
	for _, l := range e.Limits {
		if l.Counted {
			n = max(n, l.Burst)
		}
	}
	return int(n) + 2
}

func hasIPv6() bool {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

// writeSite puts there what explanations assume to be there: an index in the folder of the site.
func writeSite(t *testing.T, prefix string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(prefix, "html"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(prefix, "html", "index.php"), []byte("<?php\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// head is the request as it is sent.
func (e *explainedRequest) head() string {
	r := &e.event.Request
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close", e.Method, r.Target, r.Host)
	for _, h := range r.Headers {
		head += "\r\n" + h.Name + ": " + h.Value
	}
	return head
}

// model returns what decides the request again and again, at one time.
func (e *explainedRequest) model(t *testing.T) func() decided {
	t.Helper()
	in, err := load.Load([]string{e.path}, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(in[0], config.Options{})
	plan := pipeline.New(tree, route.New(tree)).PlanAnswered(&e.event.Request, nil, backendStatus)
	return func() decided {
		f := plan.Start(clock.Up)
		d := decided{Req: string(f.Decision.Verdict), Conn: string(f.Conn.Verdict)}
		if f.Zone != nil && f.Decision.Verdict != limitreq.Passed {
			d.Zone, d.Excess = f.Zone.Name, f.Decision.Excess
		}
		if f.Wait > 0 {
			return d
		}
		f.Finish()
		tr := f.Trace()
		d.Status = tr.Status
		d.Addr, d.Realip = onLoopback.Replace(tr.Client.Addr.String()), onLoopback.Replace(tr.Client.Peer.String())
		return d
	}
}

// seenBy reads what nginx logged of a request that it has answered.
func seenBy(t *testing.T, server *nginxtest.Server, got *nginxtest.Limited) decided {
	t.Helper()
	d := decided{Status: got.Status, Req: string(limitreq.Delayed), Conn: string(limitreq.None), Zone: got.Zone, Excess: got.Excess}
	if got.Delayed {
		return d
	}
	f := strings.Split(server.AccessLog(t, "seen.log"), "|")
	if len(f) != 5 || f[0] != strconv.Itoa(got.Status) {
		t.Fatalf("nginx logs %q of an answer with %d", f, got.Status)
	}
	for i := range f {
		if f[i] == "-" {
			f[i] = string(limitreq.None)
		}
	}
	d.Req, d.Conn, d.Addr, d.Realip = f[1], f[2], f[3], f[4]
	return d
}

// check holds the explanation itself to what nginx did at first.
func (e *explainedRequest) check(t *testing.T, said decided) {
	t.Helper()
	status := backendStatus
	if e.Status != nil {
		status = *e.Status
	}
	if said.Status != status {
		t.Errorf("nginx answers %d, explained is %d", said.Status, status)
	}
	runs := e.LimiterRuns != nil && *e.LimiterRuns
	if ran := said.Req != string(limitreq.None); ran != runs {
		t.Errorf("nginx's $limit_req_status is %s, explained is that the limiter runs: %t", said.Req, runs)
	}
	client := [2]string{onLoopback.Replace(e.Client.RemoteAddr), onLoopback.Replace(e.Client.RealipRemoteAddr)}
	if client != [2]string{said.Addr, said.Realip} {
		t.Errorf("nginx sees the client %s, connected from %s; explained are %v", said.Addr, said.Realip, client)
	}
	if runs && said.Req != string(limitreq.Passed) {
		t.Errorf("nginx's $limit_req_status of a first request is %s", said.Req)
	}
}
