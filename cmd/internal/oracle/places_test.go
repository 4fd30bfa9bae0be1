package oracle

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A place is where a request got its answer.
type place struct {
	Status           int
	Server, Location string
	Label            string // as explain gives it
}

// judgeRoutes sends requests through the phases. Each configuration says of itself where a request came to, by a return
// of "[server][location]".
func judgeRoutes(c *tally, path string) {
	set := measured.ReadRoutes(c, filepath.Dir(path))
	tree := c.load(set.Config, measured.Version)
	p := c.pipelineOf(tree)
	for i := range set.Requests {
		q := &set.Requests[i]
		req := q.Request()
		tr := p.Do(clock.Up, req)
		got, want := place{Status: tr.Status}, place{Status: q.Status}
		if tr.EndsIn == pipeline.EndReturn {
			got.Server, got.Location = c.returned(tree, &tr)
			if tr.Location != nil {
				got.Label = tr.Location.Label()
			}
		}
		if q.Server != nil {
			want.Server = *q.Server
		}
		if q.Location != nil {
			want.Location, want.Label = *q.Location, *q.Location
		}
		c.compare(fmt.Sprintf("host %q uri %q, path %q", req.Host, q.URI, tr.Path()), got, want)
	}
}

// returned takes apart the text of the return that a request came to.
func (c *tally) returned(tree *config.Tree, tr *pipeline.Trace) (server, location string) {
	c.Helper()
	level := &tr.Server.Level
	if tr.Location != nil {
		level = &tr.Location.Level
	}
	it, ok := level.Find("return")
	if !ok {
		c.Fatalf("no return where the request ended: %+v", tr)
	}
	template, err := value.Parse(it.Arg(1))
	if err != nil {
		c.Fatal(err)
	}
	said, known := template.Eval(&value.Request{HTTP: &request.Request{}, Definitions: tree.HTTP.Variables}).Known()
	server, location, both := strings.Cut(strings.TrimPrefix(said, "["), "][")
	if !known || !both || !strings.HasSuffix(location, "]") {
		c.Fatalf("return says %q", said)
	}
	return server, strings.TrimSuffix(location, "]")
}

// An addressed is the client that a request ended up with.
type addressed struct{ Addr, Realip, Port string }

// probe is a limiter's key that shows the three variables as nginx writes them.
const probe = `limit_req_zone "$remote_addr|$realip_remote_addr|$remote_port" zone=seen:1m rate=1000r/s;` + "\n"

// client returns the client that the limiters see, by the probe's key and by the trace.
func (c *tally) client(p *pipeline.Pipeline, req *request.Request) addressed {
	c.Helper()
	tr := p.Do(clock.Up, req)
	if len(tr.Limits) != 1 || !tr.LimiterRan {
		c.Fatalf("the probe did not run: %+v", tr)
	}
	key, known := tr.Limits[0].Key.Known()
	f := strings.Split(key, "|")
	if !known || len(f) != 3 {
		c.Fatalf("the probe's key is %q: %s", key, tr.Limits[0].Key.Reason())
	}
	got := addressed{f[0], f[1], f[2]}
	if traced := (addressed{peerText(tr.Client.Addr), peerText(tr.Client.Peer), f[2]}); traced != got {
		c.Errorf("the trace has the client %v, its variables say %v", traced, got)
	}
	return got
}

func peerText(a netip.Addr) string {
	if !a.IsValid() {
		return "unix:"
	}
	return request.AddrText(a)
}

// judgeRealIPs puts the directives of each set into a server.
func judgeRealIPs(c *tally, path string) {
	for _, set := range measured.ReadRealIPs(c, path) {
		p := c.inText(probe + "server {\n    listen 80;\n    " + strings.Join(set.Directives, "\n    ") +
			"\n    location / { limit_req zone=seen; try_files /absent =204; }\n}")
		for i, r := range set.Requests {
			got := c.client(p, measured.Get(c, "/", r.Peer, r.Headers))
			got.Port = "" // which is not measured here
			c.compare(fmt.Sprintf("%s, request %d from %s with %v", set.ID, i, r.Peer, r.Headers), got, addressed{r.Addr, r.Realip, ""})
		}
	}
}

// judgeRealIP runs each request under its own configuration, with the probe in front of what answers.
func judgeRealIP(c *tally, path string) {
	for _, m := range measured.ReadRealIP(c, path) {
		if !strings.Contains(m.Config, "add_header X-Seen") {
			c.Fatalf("%s: no place for the probe in\n%s", m.Name, m.Config)
		}
		conf := probe + strings.Replace(m.Config, "add_header X-Seen", "limit_req zone=seen;\n        add_header X-Seen", 1)
		conf = inHTTP(strings.Replace(conf, "return 204;", "try_files /absent =204;", 1)) // a return is in front of the limiters
		want := addressed{m.Expect.Addr, m.Expect.Realip, m.Expect.Port}
		if want.Port == "peer" {
			want.Port = strconv.Itoa(measured.PeerPort)
		}
		c.compare(m.Name, c.client(c.pipelineOf(c.loadText(conf, measured.Version)), m.Request(c)), want)
		if m.Differs != nil {
			got := c.client(c.pipelineOf(c.loadText(conf, m.Differs.Version)), m.Request(c))
			c.compare(m.Name+" by "+m.Differs.Version, got.Addr, m.Differs.Addr)
		}
	}
}
