package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// runQuiet runs a command that has to end without a complaint, and returns what it writes.
func runQuiet(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	Main(args, strings.NewReader(""), &out, &errs)
	if errs.Len() > 0 {
		t.Errorf("%v: %s", args, &errs)
	}
	return out.String()
}

// TestFixBalancer mends the balancer's tree by the output of AWS's command, and for a chain: nginx takes what is left.
func TestFixBalancer(t *testing.T) {
	nginxtest.Binary(t)
	fixtures := filepath.Join(nginxtest.Root(t), "fixtures", "alb")
	for _, c := range []struct {
		flag, value string
		lines       int // of set_real_ip_from
		recursive   bool
	}{
		{"--proxies", filepath.Join(fixtures, "subnets.json"), 3, false},
		{"--chain", "cloudflare,alb=" + filepath.Join(fixtures, "subnets.json"), 18, true},
	} {
		folder := t.TempDir()
		conf := unpackDump(t, filepath.Join(fixtures, "before.dump"), folder)
		runQuiet(t, "check", conf, "--fix", "--enable", "realip-incomplete,realip-recursive-off", c.flag, c.value)
		text := readText(t, conf)
		if n := strings.Count(text, "set_real_ip_from"); n != c.lines || strings.Contains(text, "real_ip_recursive on;") != c.recursive {
			t.Errorf("%s: mended to\n%s", c.flag, text)
		}
		if v := nginxtest.Check(t, folder, conf); !v.Accepted {
			t.Errorf("%s: nginx refuses what was mended: %s", c.flag, v.Output)
		}
		if out := runQuiet(t, "check", conf, "--enable", "realip-incomplete,realip-recursive-off,realip-missing", c.flag, c.value); strings.Contains(out, "warning") {
			t.Errorf("%s: still found:\n%s", c.flag, out)
		}
	}
}

// TestRestored has a client's address lost behind three nginx that add to X-Forwarded-For, and restored once check --fix has
// mended the fourth: what explain says and what nginx does are the same, before and after.
func TestRestored(t *testing.T) {
	nodes := []string{nginxtest.Loopback(t, 31), nginxtest.Loopback(t, 32), nginxtest.Loopback(t, 33)}
	client := nginxtest.Loopback(t, 41)
	chain := fmt.Sprintf("edge=%s,alb=%s,nginx=%s", nodes[0], nodes[1], nodes[2])
	text := func(port int) string {
		return nginxtest.Bare(fmt.Sprintf(`    limit_req_zone $binary_remote_addr zone=api:1m rate=100r/s;
    set_real_ip_from %s;
    real_ip_header X-Forwarded-For;
    server {
        listen 127.0.0.1:%d;
        location / {
            limit_req zone=api burst=20 nodelay;
            try_files /none =204;
            add_header X-Seen $remote_addr always;
        }
    }`, nodes[2], port))
	}
	ask := func(conf string, port int) string {
		nginxtest.Start(t, conf, port, nil)
		for i := 2; i >= 0; i-- {
			port = nginxtest.StartProxy(t, nodes[i], port, "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;")
		}
		return seenFrom(t, client, port)
	}
	port := nginxtest.Port(t)
	conf := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(conf, []byte(text(port)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, said := ask(readText(t, conf), port), addressBehind(t, conf, chain, client); got != nodes[1] || said != got {
		t.Errorf("before: nginx sees %s, explain %s, want the proxy before the last, %s", got, said, nodes[1])
	}
	runQuiet(t, "check", conf, "--fix", "--enable", "realip-incomplete,realip-recursive-off", "--chain", chain)
	port2 := nginxtest.Port(t)
	mended := strings.Replace(readText(t, conf), fmt.Sprint("127.0.0.1:", port), fmt.Sprint("127.0.0.1:", port2), 1)
	if got, said := ask(mended, port2), addressBehind(t, conf, chain, client); got != client || said != got {
		t.Errorf("after: nginx sees %s, explain %s, want the client, %s; mended to\n%s", got, said, client, mended)
	}
}

// addressBehind is the address that explain says a client has behind a chain.
func addressBehind(t *testing.T, conf, chain, client string) string {
	t.Helper()
	var e struct {
		Client struct {
			Addr string `json:"remote_addr"`
		} `json:"client"`
	}
	out := runQuiet(t, "explain", conf, "/", "--chain", chain, "--client-ip", client, "--format", "json")
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	return e.Client.Addr
}

// seenFrom asks the first proxy as a client of an address, which claims another one.
func seenFrom(t *testing.T, from string, port int) string {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	c := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}, Timeout: 20 * time.Second}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/", port), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", "192.0.2.66")
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // nothing was written
	return res.Header.Get("X-Seen")
}
