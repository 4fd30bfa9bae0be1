package replay

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

const start = int64(1772438400000) // 2026-03-02T08:00:00Z

// A sent request is one of a made-up log.
type sent struct {
	at     int64
	client string
	target string
}

// logOf writes the log of an nginx that decides the requests, which come in the order of their times. Lines stand in the
// order in which the requests end. emptied, where it is not 0, is when its zones forget their keys.
func logOf(tree *config.Tree, list []sent, emptied int64) []string {
	p := pipeline.New(tree, route.New(tree))
	type line struct {
		at   int64
		text string
	}
	var lines []line
	for _, q := range list {
		if emptied != 0 && q.at >= emptied {
			p.Empty()
			emptied = 0
		}
		t := p.Do(clock.Msec(q.at), &request.Request{Host: "portal.example", Target: q.target, Peer: netip.MustParseAddr(q.client)})
		rt := int64(t.Decision.Wait) + 5
		end := q.at + rt
		lines = append(lines, line{end, fmt.Sprintf(
			`{"msec":%d.%03d,"ip":"%s","request":"GET %s HTTP/1.1","status":200,"rt":%d.%03d,"limit":"%s"}`, end/1000, end%1000, q.client, q.target, rt/1000, rt%1000,
			strings.TrimPrefix(string(t.Decision.Verdict), "NONE"),
		)})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.at - b.at) })
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	return texts
}

const limited = `
events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:10m rate=10r/s;
    server {
        listen 80;
        server_name portal.example;
        location / { limit_req zone=ip burst=20; proxy_pass http://127.0.0.1:1; }
        location /api/ { limit_req zone=ip burst=5 nodelay; proxy_pass http://127.0.0.1:1; }
    }
}`

// crowd sends requests of several clients, in bursts that reach the limits.
func crowd(n int) []sent {
	r := rand.New(rand.NewPCG(3, 4))
	at := start
	list := make([]sent, n)
	for i := range list {
		at += int64(r.IntN(20))
		if r.IntN(40) == 0 {
			at += 2000
		}
		list[i] = sent{at, fmt.Sprintf("203.0.113.%d", r.IntN(6)), []string{"/", "/a?b=c", "/api/x"}[r.IntN(3)]}
	}
	return list
}

func run(t *testing.T, conf string, o Options, sources ...Source) *Result {
	t.Helper()
	tree := treeOf(t, conf)
	o.Workers = 2
	r, err := Run(tree, route.New(tree), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func lines(list []string) string { return strings.Join(list, "\n") + "\n" }

func TestAgrees(t *testing.T) {
	log := logOf(treeOf(t, limited), crowd(20_000), 0)
	r := run(t, limited, Options{}, sourceOf(t, "log", lines(log), accesslog.JSON))
	if a := r.Agreement; a.Logged != 20_000 || a.Same != a.Logged || r.Requests != 20_000 {
		t.Errorf("%+v", a)
	}
	held := 0
	for _, l := range r.Locations {
		held += l.Delayed + l.Rejected
	}
	if held == 0 {
		t.Error("nothing was delayed or refused")
	}
}

// How a log is cut into files changes nothing.
func TestSeveralLogs(t *testing.T) {
	log := logOf(treeOf(t, limited), crowd(9_000), 0)
	whole := run(t, limited, Options{}, sourceOf(t, "log", lines(log), accesslog.JSON))
	first := func(l string) int64 {
		var b accesslog.Batch
		r, _ := accesslog.NewReader(accesslog.JSON, accesslog.Options{})
		r.Parser().Parse(accesslog.Block{Text: l}, &b)
		return b.Records[0].Time
	}
	part := func(name string, list []string) Source {
		s := sourceOf(t, name, lines(list), accesslog.JSON)
		s.First = first(list[0])
		return s
	}
	var even, odd []string
	for _, l := range log {
		if first(l)%2 == 0 { // the order of lines of one time is that within a file
			even = append(even, l)
		} else {
			odd = append(odd, l)
		}
	}
	for name, parts := range map[string][]Source{
		"rotated": {part("log", log[6000:]), part("log.1", log[3000:6000]), part("log.2", log[:3000])},
		"of two":  {part("even", even), part("odd", odd)},
	} {
		r := run(t, limited, Options{}, parts...)
		r.Logs, r.URIs = whole.Logs, whole.URIs // they name the files
		if diff := cmp.Diff(asJSON(t, whole), asJSON(t, r)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func asJSON(t *testing.T, r *Result) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestHostsApart(t *testing.T) {
	var a, b []sent
	for n := range int64(10) {
		a = append(a, sent{start + n, "203.0.113.1", "/api/x"})
		b = append(b, sent{start + n, "203.0.113.1", "/api/x"})
	}
	tree := treeOf(t, limited)
	one := sourceOf(t, "one", lines(logOf(tree, a, 0)), accesslog.JSON)
	two := sourceOf(t, "two", lines(logOf(tree, b, 0)), accesslog.JSON)
	one.Nginx, two.Nginx = "one", "two"
	r := run(t, limited, Options{}, one, two)
	if r.Agreement.Same != 20 || len(r.Locations) != 2 || r.Locations[0].Rejected != 4 || r.Locations[1].Nginx != "two" {
		t.Errorf("%+v %+v", r.Agreement, r.Locations)
	}
	one.Nginx, two.Nginx = "", ""
	if r := run(t, limited, Options{}, one, two); r.Locations[0].Rejected != 14 {
		t.Errorf("together: %+v", r.Locations)
	}
}

// A zone that is emptied in the middle is noticed, and then the decisions agree again.
func TestZoneEmptied(t *testing.T) {
	list := crowd(4000)
	at := list[2000].at
	for n := range 60 { // so that the zone has something to forget
		list = append(list, sent{at - 3 + int64(n/20), fmt.Sprintf("203.0.113.%d", n%3), "/api/x"})
	}
	slices.SortStableFunc(list, func(a, b sent) int { return int(a.at - b.at) })
	r := run(t, limited, Options{}, sourceOf(t, "log", lines(logOf(treeOf(t, limited), list, at)), accesslog.JSON))
	found := map[string]int64{}
	for _, k := range r.Agreement.Kinds {
		found[k.Kind] = k.N
	}
	if found[kindRestart] == 0 || r.Agreement.Logged-r.Agreement.Same > 40 {
		t.Errorf("%+v", r.Agreement)
	}
	if !slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.Contains(s, "zones were emptied") }) {
		t.Errorf("it is not said: %v", r.Assumptions)
	}
}

func TestKindsOfDisagreement(t *testing.T) {
	dry := strings.Replace(limited, "nodelay;", "nodelay; limit_req_dry_run on;", 1)
	api := strings.Replace(limited, "$binary_remote_addr zone=ip", "$http_x_api_key zone=ip", 1)
	open := strings.ReplaceAll(strings.Replace(limited, "limit_req zone=ip burst=20;", "", 1), "limit_req zone=ip burst=5 nodelay;", "")
	list := crowd(2000)
	for name, c := range map[string]struct{ log, replay, kind string }{
		"a dry run":            {dry, limited, kindDryRun},
		"an unknown key":       {limited, api, kindUnknownKey},
		"no limit here":        {limited, open, kindNotHere},
		"no limit there":       {open, limited, kindNotThere},
		"a smaller burst here": {limited, strings.Replace(limited, "burst=5 nodelay", "burst=1 nodelay", 1), kindLooser},
		"a larger burst here":  {limited, strings.Replace(limited, "burst=5 nodelay", "burst=50 nodelay", 1), kindStricter},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c.replay, Options{}, sourceOf(t, "log", lines(logOf(treeOf(t, c.log), list, 0)), accesslog.JSON))
			a := r.Agreement
			sum := a.Same
			found := false
			for _, k := range a.Kinds {
				sum += k.N
				found = found || k.Kind == c.kind && k.Line > 0 && k.File == "log"
			}
			if !found || sum != a.Logged {
				t.Errorf("%+v", a)
			}
		})
	}
}

// With realip the key is the client's address as the configuration at hand finds it, and a balancer that is not trusted
// is named.
func TestBehindBalancer(t *testing.T) {
	const balanced = `
events {}
http {
    set_real_ip_from 10.0.0.0/22;%s
    real_ip_header X-Forwarded-For;
    limit_req_zone $binary_remote_addr zone=ip:10m rate=10r/s;
    limit_req_status 429;
    server { listen 80; server_name portal.example; location / { limit_req zone=ip burst=10 nodelay; proxy_pass http://127.0.0.1:1; } }
}`
	var b strings.Builder
	for n := range 600 {
		fmt.Fprintf(&b, `{"msec":%d.%03d,"ip":"10.0.4.7","xff":"203.0.113.%d","request":"GET /p HTTP/1.1","status":200,"rt":0}`+"\n", start/1000+int64(n/100), n%100*10, n%60)
	}
	before := run(t, fmt.Sprintf(balanced, ""), Options{}, sourceOf(t, "log", b.String(), accesslog.JSON))
	if l := before.Locations[0]; l.Rejected < 400 {
		t.Errorf("the node is not one key: %+v", l)
	}
	if d := kinds(before)[diagProxy]; len(d) != 1 || !strings.Contains(d[0].Message, "10.0.4.7") || d[0].Evidence["private"] != true {
		t.Errorf("%+v", before.Diagnosis)
	}
	after := run(t, fmt.Sprintf(balanced, " set_real_ip_from 10.0.4.0/22;"), Options{}, sourceOf(t, "log", b.String(), accesslog.JSON))
	if l := after.Locations[0]; l.Rejected != 0 || after.Zones[0].Keys != 60 {
		t.Errorf("%+v, %d keys", l, after.Zones[0].Keys)
	}
}

func TestRedact(t *testing.T) {
	conf := strings.Replace(limited, "$binary_remote_addr zone=ip", "$remote_addr$request_uri zone=ip", 1)
	r := run(t, conf, Options{Redact: func(string) string { return "#hash" }}, sourceOf(t, "log", lines(logOf(treeOf(t, limited), crowd(3000), 0)), accesslog.JSON))
	text := asJSON(t, r)
	if strings.Contains(text, "203.0.113") || strings.Contains(text, "b=c") || !strings.Contains(text, "#hash") {
		t.Error(text)
	}
}

func TestFromTo(t *testing.T) {
	list := crowd(1000)
	r := run(t, limited, Options{From: list[200].at, To: list[700].at}, sourceOf(t, "log", lines(logOf(treeOf(t, limited), list, 0)), accesslog.JSON))
	if r.Requests+r.Outside != 1000 || r.FromMs < list[200].at || r.ToMs >= list[700].at || r.Requests < 490 {
		t.Errorf("%d requests, %d outside, %d to %d", r.Requests, r.Outside, r.FromMs, r.ToMs)
	}
}

func TestBounded(t *testing.T) {
	r := newRanking[int](100, func(v *int64) int64 { return *v })
	for n := range 10_000 {
		*r.of(n)++
		*r.of(-1)++
	}
	if len(r.all) > 101 || *r.of(-1) < 9000 || r.gone == 0 {
		t.Errorf("%d keys, %d of the busiest, %d gone", len(r.all), *r.of(-1), r.gone)
	}
	c := newCache[int, int](10)
	for n := range 1000 {
		c.put(n, &n)
		c.get(0)
	}
	if len(c.young)+len(c.old) > 21 || c.get(0) == nil || c.get(500) != nil {
		t.Errorf("%d and %d kept", len(c.young), len(c.old))
	}
}

// What another configuration made of the requests says nothing of when they came: it does not move their arrivals.
func TestAnotherConfiguration(t *testing.T) {
	conf := strings.NewReplacer("rate=10r/s", "rate=1000r/s", "burst=5 nodelay", "burst=3 nodelay").Replace(limited)
	var b strings.Builder
	const rounds = 500
	for n := range int64(rounds) {
		for _, ms := range []int64{0, 0, 0, 0, 1} { // the bucket is filled to the brim, and over it where the last comes with the others
			at := start + 10*n + ms
			fmt.Fprintf(&b, `{"msec":%d.%03d,"ip":"203.0.113.1","request":"GET /api/x HTTP/1.1","status":503,"rt":0,"limit":"REJECTED"}`+"\n", at/1000, at%1000)
		}
	}
	r := run(t, conf, Options{}, sourceOf(t, "log", b.String(), accesslog.JSON))
	if l := r.Locations[0]; l.Rejected > enoughLogged/5+1 {
		t.Errorf("%d of %d requests refused, which would all pass", l.Rejected, l.Requests)
	}
}
