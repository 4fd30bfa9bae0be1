package chain

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// behaviours are what a proxy of the test does, by the letter that stands for it in the path.
var behaviours = map[byte]struct {
	lines   string
	headers []fronts.Header
}{
	'a': {"proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;", []fronts.Header{{Name: "X-Forwarded-For", Adds: 1}}},
	'r': {"proxy_set_header X-Forwarded-For $remote_addr;", []fronts.Header{{Name: "X-Forwarded-For"}}},
	'p': {"", nil},
	'x': {
		"proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Real-IP $remote_addr;",
		[]fronts.Header{{Name: "X-Forwarded-For", Adds: 1}, {Name: "X-Real-IP"}},
	},
}

const firstProxy, liveClient = 11, 21

// TestLiveChain sends requests through three nginx, one behind the other, each from an address of its own, to a fourth that
// reads the client's address, and compares that with what is computed: every mix of proxies that add, replace and hand on, with
// and without recursion, with all proxies trusted and with some, for clients that claim something and for honest ones.
func TestLiveChain(t *testing.T) {
	node := func(i int) netip.Addr { return netip.MustParseAddr(nginxtest.Loopback(t, firstProxy+i)) }
	var configs []realip.Config
	for _, header := range []string{"X-Forwarded-For", "X-Real-IP"} {
		for _, recursive := range []bool{false, true} {
			for _, trusted := range [][]int{{0, 1, 2}, {1, 2}, {2}, {0, 1}} {
				cfg := realip.Config{Header: header, Recursive: recursive}
				for _, i := range trusted {
					cfg.Trusted = append(cfg.Trusted, netip.PrefixFrom(node(i), 32))
				}
				configs = append(configs, cfg)
			}
		}
	}
	to := nginxtest.Port(t)
	nginxtest.Start(t, nginxtest.Bare(originText(to, configs)), to, nil)
	for i := 2; i >= 0; i-- {
		to = nginxtest.StartProxy(t, node(i).String(), to, proxyText(i, to))
	}
	client := netip.MustParseAddr(nginxtest.Loopback(t, liveClient))
	ask := asker(t, client.String(), to)
	asked := 0
	for _, kinds := range mixes() {
		var w Way
		for i := range kinds {
			w = append(w, Hop{Name: string(kinds[i]), Node: netip.PrefixFrom(node(i), 32), Headers: behaviours[kinds[i]].headers})
		}
		for n, cfg := range configs {
			for _, claim := range []string{"", "192.0.2.66", node(1).String() + ", " + node(2).String()} {
				req := request.Request{Peer: client}
				if claim != "" {
					req.Headers = []request.Header{{Name: "X-Forwarded-For", Value: claim}, {Name: "X-Real-IP", Value: claim}}
				}
				got := w.Read(cfg, req).Addr.String()
				if want := ask(fmt.Sprintf("/%s/%d", kinds, n), claim); got != want {
					t.Errorf("%s, %+v, claim %q: %s, nginx %s", kinds, cfg, claim, got, want)
				}
				asked++
			}
		}
	}
	if asked != 64*16*3 {
		t.Errorf("%d requests", asked)
	}
}

// mixes are all chains of three.
func mixes() (all []string) {
	letters := "arpx"
	for _, a := range letters {
		for _, b := range letters {
			for _, c := range letters {
				all = append(all, string(a)+string(b)+string(c))
			}
		}
	}
	return all
}

// proxyText has the proxy of a number do what its letter in the path says.
func proxyText(i, to int) string {
	var b strings.Builder
	for letter, does := range behaviours {
		fmt.Fprintf(&b, "location ~ \"^/.{%d}%c\" { %s proxy_set_header Connection \"\"; proxy_pass http://127.0.0.1:%d; }\n", i, letter, does.lines, to)
	}
	return b.String()
}

// originText answers with the address that each of the settings yields.
func originText(port int, configs []realip.Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "server { listen 127.0.0.1:%d;\n", port)
	for n, cfg := range configs {
		fmt.Fprintf(&b, "location ~ /%d$ { try_files /none =204; add_header X-Seen $remote_addr always; real_ip_header %s; real_ip_recursive %s;\n",
			n, cfg.Header, map[bool]string{true: "on", false: "off"}[cfg.Recursive])
		for _, p := range cfg.Trusted {
			fmt.Fprintf(&b, "set_real_ip_from %s;\n", p)
		}
		b.WriteString("}\n")
	}
	return b.String() + "}"
}

// asker returns what asks the first proxy as a client of an address.
func asker(t *testing.T, from string, port int) func(path, claim string) string {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 4}, Timeout: 20 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	return func(path, claim string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), nil)
		if err != nil {
			t.Fatal(err)
		}
		if claim != "" {
			req.Header.Set("X-Forwarded-For", claim)
			req.Header.Set("X-Real-IP", claim)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close() //nolint:errcheck // nothing was written
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
		return res.Header.Get("X-Seen")
	}
}
