package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

const diagnosed = `
events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:10m rate=10r/s;
    limit_req_zone $server_name zone=all:10m rate=10r/s;
    server {
        listen 80;
        server_name portal.example;
        location / { limit_req zone=ip burst=20; proxy_pass http://127.0.0.1:1; }
        location /api/ { limit_req zone=ip burst=5 nodelay; proxy_pass http://127.0.0.1:1; }
        location /site/ { limit_req zone=ip burst=5 nodelay; proxy_pass http://127.0.0.1:1; }
        location /all/ { limit_req zone=all burst=5 nodelay; proxy_pass http://127.0.0.1:1; }
        location = /healthz { proxy_pass http://127.0.0.1:1; }
    }
}`

// every sends n requests to targets in turn, one each so many milliseconds.
func every(ms int64, n int, targets ...string) []sent {
	list := make([]sent, n)
	for i := range list {
		list[i] = sent{start + int64(i)*ms, "203.0.113.9", targets[i%len(targets)]}
	}
	return list
}

// minutes sends a request in each of a number of minutes, and bursts of a dozen in the first some of them.
func minutes(n, bursts int, target string) []sent {
	var list []sent
	for m := range n {
		size := 1
		if m < bursts {
			size = 12
		}
		for range size {
			list = append(list, sent{start + int64(m)*60_000, "203.0.113.9", target})
		}
	}
	return list
}

// pages opens pages with as many files each, one a second.
func pages(n, files int) []sent {
	var list []sent
	for i := range n {
		list = append(list, sent{start + int64(i)*1000, "203.0.113.9", "/site/"})
		for f := range files {
			list = append(list, sent{start + int64(i)*1000 + 1, "203.0.113.9", fmt.Sprintf("/site/f%d.css", f)})
		}
	}
	return list
}

// What traffic must and must not draw of the diagnoses. The limits' decisions on it are the model's, as a log of nginx has them.
func TestDiagnoses(t *testing.T) {
	for name, c := range map[string]struct {
		traffic []sent
		kind    string
		want    string // in the message; "" where there must be none
	}{
		"a flood": {every(10, 300, "/api/x"), diagAttack, "up to 100 in one second, to 1 path: the limit does its work"},
		"a flood of which the last refusal too few is missing": {every(10, 61, "/api/x"), diagAttack, ""},
		"a flood that has as many refused as it takes":         {every(10, 62, "/api/x"), diagAttack, "50 refused of 62 requests"},
		"a program of which a third is refused":                {every(66, 600, "/api/x"), diagAttack, ""},
		"a browser that is refused as often":                   {pages(12, 30), diagAttack, ""},
		"a flood that a zone counts together with everybody":   {every(10, 300, "/all/x"), diagAttack, ""},

		"delays in five of thirty minutes":          {minutes(30, 5, "/"), diagSteady, "in 5 of the 30 minutes"},
		"delays in four of thirty minutes":          {minutes(30, 4, "/"), diagSteady, ""},
		"delays in five of sixty minutes":           {minutes(60, 5, "/"), diagSteady, ""},
		"delays in six of sixty minutes":            {minutes(60, 6, "/"), diagSteady, "in 6 of the 60 minutes"},
		"bursts within the limit, in every minute":  {minutes(30, 30, "/api/x"), diagSteady, ""},
		"no burst at all":                           {minutes(30, 0, "/"), diagSteady, ""},
		"health checks":                             {every(5000, 25, "/health"), diagHealth, "25 requests (100 % of all it judges), 0 of them delayed, 0 refused, such as /health"},
		"health checks among others":                {every(1000, 50, "/health", "/a"), diagHealth, "25 requests (50 % of all it judges)"},
		"as few health checks as prove nothing":     {every(5000, 19, "/health"), diagHealth, ""},
		"health checks that no limit counts":        {every(5000, 60, "/healthz"), diagHealth, ""},
		"a page whose name begins like one":         {every(5000, 60, "/healthy-food"), diagHealth, ""},
		"a page of a shop that ends like one":       {every(5000, 60, "/orders/17/status"), diagHealth, ""},
		"health checks below a folder":              {every(5000, 60, "/app/healthz"), diagHealth, "such as /app/healthz"},
		"health checks that are delayed or refused": {every(20, 60, "/health"), diagHealth, "refused, such as /health"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, diagnosed, Options{}, sourceOf(t, "log", lines(logOf(treeOf(t, diagnosed), c.traffic, 0)), accesslog.JSON))
			if r.Agreement.Same != int64(len(c.traffic)) {
				t.Fatalf("the replay is not what wrote the log: %+v", r.Agreement)
			}
			found := slices.DeleteFunc(slices.Clone(r.Diagnosis), func(d Diagnosis) bool { return d.Kind != c.kind })
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("%s: %s", c.kind, found[0].Message)
			case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, c.want) || found[0].Line == 0 || found[0].Directive == ""):
				t.Errorf("%+v, want one with %q", found, c.want)
			}
		})
	}
}

// A proxy is named with the network that would have to be trusted, and who may make the header up is not called one.
func TestProxies(t *testing.T) {
	log := func(client, forwarded string) string {
		var b strings.Builder
		for n := range 60 {
			fmt.Fprintf(&b, `{"msec":%d,"ip":"%s","xff":"%s","request":"GET /p HTTP/1.1","status":200,"rt":0}`+"\n", start/1000+int64(n), client, strings.ReplaceAll(forwarded, "N", fmt.Sprint(n%30)))
		}
		return b.String()
	}
	trusting := strings.Replace(diagnosed, "http {", "http {\n    set_real_ip_from 10.0.0.0/22;\n    real_ip_header X-Forwarded-For;", 1)
	for name, c := range map[string]struct{ conf, client, forwarded, want string }{
		"a node of a private network":        {diagnosed, "10.0.4.7", "203.0.113.N", "the smallest network that is likely its own is 10.0.4.0/24"},
		"a node beside a network of trust":   {trusting, "10.0.4.7", "203.0.113.N", "the smallest network that is likely its own is 10.0.4.0/22"},
		"a node of a carrier's network":      {diagnosed, "100.64.0.7", "203.0.113.N", "it is not trusted"},
		"a known front":                      {diagnosed, "173.245.48.7", "203.0.113.N", "its network is 173.245.48.0/20"},
		"somebody of the internet":           {diagnosed, "198.51.100.7", "203.0.113.N", "or a client that makes the header up"},
		"a node that is trusted":             {trusting, "10.0.0.7", "203.0.113.N", ""},
		"services that hand on each other":   {diagnosed, "10.0.4.7", "10.1.1.N", ""},
		"a proxy of one client":              {diagnosed, "10.0.4.7", "203.0.113.5, 10.0.4.N", ""},
		"a header that holds no address":     {diagnosed, "10.0.4.7", "unknown-N", ""},
		"a header that holds the client too": {diagnosed, "10.0.4.7", "203.0.113.N, 10.0.4.9", "10.0.4.0/24"},
	} {
		t.Run(name, func(t *testing.T) {
			found := kinds(run(t, c.conf, Options{}, sourceOf(t, "log", log(c.client, c.forwarded), accesslog.JSON)))[diagProxy]
			switch {
			case c.want == "" && len(found) > 0:
				t.Error(found[0].Message)
			case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, c.want)):
				t.Errorf("%+v, want one with %q", found, c.want)
			}
		})
	}
}

// Where a log does not say the scheme and a host has a server for each, it is said which one was taken.
func TestSchemeIsAssumed(t *testing.T) {
	both := strings.Replace(diagnosed, "server {\n        listen 80;", "server {\n        listen 80;\n        server_name portal.example;\n        return 301 https://portal.example$request_uri;\n    }\n    server {\n        listen 443 ssl;", 1)
	const text = "taken to have reached its TLS server"
	for name, c := range map[string]struct {
		conf, scheme string
		want         bool
	}{
		"no scheme, two servers": {both, "", true},
		"a scheme":               {both, `,"scheme":"https"`, false},
		"one server":             {diagnosed, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			log := fmt.Sprintf(`{"msec":%d,"ip":"203.0.113.9","host":"portal.example","request":"GET / HTTP/1.1","status":200%s}`+"\n", start/1000, c.scheme)
			r := run(t, c.conf, Options{}, sourceOf(t, "log", log, accesslog.JSON))
			if got := slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.Contains(s, text) }); got != c.want {
				t.Errorf("%q", r.Assumptions)
			}
		})
	}
}

// Who makes requests wait is told by the log's own decisions, where it holds them, and by those of the replay where it does not.
func TestLogTellsWhoDelays(t *testing.T) {
	for logged, want := range map[string]string{
		`,"limit":"DELAYED"`: "120 of 120 requests to location / of portal.example were DELAYED by the log",
		`,"limit":"PASSED"`:  "",
		"":                   "requests to location / of portal.example are delayed in the replay",
	} {
		var b strings.Builder
		for n := range int64(120) {
			at := start + n/12*10_000 + 1500
			fmt.Fprintf(&b, `{"msec":%d.%03d,"ip":"203.0.113.9","request":"GET /a HTTP/1.1","status":200,"rt":1.5,"urt":"0.010"%s}`+"\n", at/1000, at%1000, logged)
		}
		found := kinds(run(t, diagnosed, Options{}, sourceOf(t, "log", b.String(), accesslog.JSON)))[diagLimiter]
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%s: %s", logged, found[0].Message)
		case want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, want)):
			t.Errorf("%s: %+v, want one with %q", logged, found, want)
		}
	}
}
