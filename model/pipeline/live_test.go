package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// liveStart is when nginx's clock starts: late enough that no rate makes a key's first request wait for the host's uptime.
const liveStart = 100_000_000

// TestLiveLimits sends random traffic to nginx, whose clock is held still, and to the model: every decision, with its zone
// and excess, must be the same.
func TestLiveLimits(t *testing.T) {
	nginxtest.Binary(t)
	rng := nginxtest.Random(t)
	const perConfiguration = 100
	for done, cases := 0, nginxtest.Cases(t, 500); done < cases; done += perConfiguration {
		port := nginxtest.Port(t)
		conf := liveConf(rng, port)
		if !compareLive(t, rng, conf, port, min(perConfiguration, cases-done)) {
			t.Logf("configuration:\n%s", conf)
			return
		}
	}
}

func compareLive(t *testing.T, rng *rand.Rand, conf string, port, requests int) bool {
	t.Helper()
	held := nginxtest.NewClock(t, liveStart)
	server := nginxtest.Start(t, conf, port, held)
	tree := resolveText(t, conf)
	model := pipeline.New(tree, route.New(tree))
	now := int64(liveStart)
	for i := range requests {
		now += liveStep(rng)
		held.Set(t, now)
		r := liveRequest{
			client: fmt.Sprintf("127.0.1.%d", 1+rng.IntN(3)), path: fmt.Sprintf("/l%d/x?k=%s", rng.IntN(4), pick(rng, "", "a", "bb")),
			header: pick(rng, "", "k1", "k2"),
		}
		want, got := r.ask(t, server, port), r.model(model, clock.Msec(now), port)
		if got != want {
			t.Errorf("request %d at %d ms, %+v:\n the model says %s\n nginx says     %s", i, now, r, got, want)
			return false
		}
	}
	return true
}

// liveConf is a random configuration: zones of several rates and keys, locations with one to three limits.
func liveConf(rng *rand.Rand, port int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pid nginx.pid;\nevents {}\nhttp {\n    access_log off;\n    error_log error.log info;\n")
	b.WriteString("    map $http_x_key $mapped { default $binary_remote_addr; k1 \"\"; k2 two; }\n")
	const zones = 4
	for i := range zones {
		fmt.Fprintf(&b, "    limit_req_zone %s zone=z%d:%s rate=%s;\n",
			pick(rng, "$binary_remote_addr", "$http_x_key", "$arg_k", "$mapped", "$server_name", "$remote_addr$arg_k", "\"$arg_k:$http_x_key\""), i,
			pick(rng, "32k", "1m"), pick(rng, "1r/s", "2r/s", "3r/s", "5r/s", "7", "100r/s", "1001r/s", "10r/m", "1r/m", "59r/m", "30r/m"))
	}
	fmt.Fprintf(&b, "    server {\n        listen 127.0.0.1:%d;\n        server_name live.example.com;\n        add_header X-Limit $limit_req_status always;\n", port)
	for i := range 4 {
		fmt.Fprintf(&b, "        location /l%d/ {\n", i)
		for _, z := range rng.Perm(zones)[:1+rng.IntN(3)] {
			fmt.Fprintf(&b, "            limit_req zone=z%d%s;\n", z, pick(rng, "", " burst=1", " burst=3", " burst=5 nodelay", " burst=6 delay=2", " nodelay", " delay=2", " burst=40"))
		}
		if rng.IntN(4) == 0 {
			b.WriteString("            limit_req_dry_run on;\n")
		}
		fmt.Fprintf(&b, "            limit_req_status %s;\n            try_files /absent =204;\n        }\n", pick(rng, "429", "503", "598", "460"))
	}
	b.WriteString("    }\n}\n")
	return b.String()
}

// liveStep is how far the clock moves before the next request: mostly little, at times long, at times back.
func liveStep(rng *rand.Rand) int64 {
	switch rng.IntN(20) {
	case 0:
		return 55_000 + rng.Int64N(20_000)
	case 1:
		return -rng.Int64N(70_000)
	case 2, 3, 4:
		return rng.Int64N(3_000)
	default:
		return rng.Int64N(250) * rng.Int64N(2)
	}
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

type liveRequest struct{ client, path, header string }

// model decides the request and writes the decision as ask does.
func (r liveRequest) model(p *pipeline.Pipeline, now clock.Msec, port int) string {
	req := &request.Request{
		Host: "live.example.com", Target: r.path, Peer: netip.MustParseAddr(r.client),
		Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)),
	}
	if r.header != "" {
		req.Headers = []request.Header{{Name: "X-Key", Value: r.header}}
	}
	trace := p.Do(now, req) // the same by a plan: TestDoAsPlanned
	s := string(trace.Decision.Verdict)
	if trace.Zone != nil && s != "PASSED" {
		s += fmt.Sprintf(" %d by %s", trace.Decision.Excess, trace.Zone.Name)
	}
	if s != "DELAYED" && !strings.HasPrefix(s, "DELAYED ") {
		s += fmt.Sprintf(" status %d", trace.Status)
	}
	return s
}

// ask sends the request to nginx and writes its decision in one line.
func (r liveRequest) ask(t *testing.T, server *nginxtest.Server, port int) string {
	t.Helper()
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: live.example.com\r\nConnection: close", r.path)
	if r.header != "" {
		head += "\r\nX-Key: " + r.header
	}
	got := server.Ask(t, r.client, port, head)
	verdict := got.Header.Get("X-Limit")
	switch {
	case got.Delayed:
		verdict = "DELAYED"
	case verdict == "":
		verdict = "NONE"
	}
	if got.Zone != "" {
		verdict += fmt.Sprintf(" %d by %s", got.Excess, got.Zone)
	}
	if !got.Delayed {
		verdict += fmt.Sprintf(" status %d", got.Status)
	}
	return verdict
}

func resolveText(t *testing.T, text string) *config.Tree {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	inputs, err := load.Load([]string{path}, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(inputs[0], config.Options{})
	for _, r := range tree.Refusals {
		if !r.Warning {
			t.Fatalf("refused: %+v", r)
		}
	}
	return tree
}
