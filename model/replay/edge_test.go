package replay

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go4.org/netipx"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// gate is an edge that stops the requests of some targets, and notes what it is told.
type gate struct {
	stops  string // a part of targets
	times  []clock.Msec
	seen   []string
	status []int
	reads  edge.Reads
}

func (g *gate) Decide(now clock.Msec, req *edge.Request) edge.Decision {
	g.times = append(g.times, now)
	key, _ := req.Header("x-api-key")
	g.seen = append(g.seen, fmt.Sprint(req.Client, " ", req.Path(), " ", key, " ", req.Knows("x-api-key")))
	if g.stops != "" && strings.Contains(req.Target, g.stops) {
		return edge.Decision{Rule: "r", Action: edge.Block, Status: 429}
	}
	return edge.Decision{}
}

func (g *gate) Observe(now clock.Msec, _ *edge.Request, resp *edge.Response, was edge.Decision) edge.Decision {
	g.times = append(g.times, now)
	g.status = append(g.status, resp.Status)
	return was
}
func (g *gate) Reads() edge.Reads   { return g.reads }
func (g *gate) Report() edge.Report { return edge.Report{Front: "Test", Window: "fixed"} }

// wordless is the lines of a log that do not tell what limits did, by which requests of one millisecond would be put in
// order.
func wordless(t *testing.T, list []sent) []string {
	all := logOf(treeOf(t, limited), list, 0)
	for i, l := range all {
		all[i] = regexp.MustCompile(`,"limit":"[A-Z]*"`).ReplaceAllString(l, "")
	}
	return all
}

// What the edge stops never comes to nginx: it decides the others as if those had not been sent.
func TestEdgeStops(t *testing.T) {
	all := wordless(t, crowd(8000))
	rest := slices.DeleteFunc(slices.Clone(all), func(l string) bool { return strings.Contains(l, "/api/") })
	r := run(t, limited, Options{Edge: &Edge{Layer: &gate{stops: "/api/"}}}, sourceOf(t, "log", lines(all), accesslog.JSON))
	want := run(t, limited, Options{}, sourceOf(t, "log", lines(rest), accesslog.JSON))
	if e := r.Edge; e.Asked != 8000 || e.Stopped != int64(len(all)-len(rest)) || e.First == nil || e.First.Location != "/api/" || e.Nginx == nil {
		t.Errorf("%+v", e)
	}
	var passed []Location
	for _, l := range r.Locations {
		if l.Location == "/api/" && (l.Requests != 0 || int64(l.AtEdge) != r.Edge.Stopped) {
			t.Errorf("%+v", l)
		}
		if l.Location != "/api/" {
			passed = append(passed, l)
		}
	}
	if diff := cmp.Diff(want.Locations, passed); diff != "" {
		t.Error(diff)
	}
	if want.Edge != nil {
		t.Error("there is no edge")
	}
}

// The edge sees what comes to several nginx hosts in one order, and answers when they are there.
func TestEdgeOrder(t *testing.T) {
	all := crowd(6000)
	var logs [2][]sent
	for i, q := range all {
		logs[i%2] = append(logs[i%2], q)
	}
	var sources []Source
	for i := range logs {
		s := sourceOf(t, fmt.Sprint("log", i), lines(logOf(treeOf(t, limited), logs[i], 0)), accesslog.JSON)
		s.Nginx = fmt.Sprint("n", i)
		sources = append(sources, s)
	}
	g := &gate{reads: edge.Reads{Answers: true}}
	r := run(t, limited, Options{Edge: &Edge{Layer: g}}, sources...)
	if len(g.seen) != 6000 || len(g.status) != 6000 || r.Edge.Asked != 6000 {
		t.Errorf("%d requests and %d answers", len(g.seen), len(g.status))
	}
	if !slices.IsSorted(g.times) {
		t.Error("the edge's time goes back")
	}
	if !slices.Contains(g.status, 200) || !slices.Contains(g.status, 503) {
		t.Error("answers lack the status of the log or that of a refusal")
	}
}

// TestEdgeVisitor tells who sent a request through the edge, and what of it the log does not tell.
func TestEdgeVisitor(t *testing.T) {
	var set netipx.IPSetBuilder
	set.AddPrefix(netip.MustParsePrefix("172.64.0.0/13"))
	networks, _ := set.IPSet()
	conf := strings.Replace(limited, "server {", "set_real_ip_from 172.64.0.0/13; real_ip_header X-Forwarded-For; server {", 1)
	for _, c := range []struct {
		fields, want string
		direct       int64
	}{
		{`"ip":"198.51.100.7","peer":"172.68.1.1"`, "198.51.100.7", 0},
		{`"ip":"172.68.1.1","http_cf_connecting_ip":"198.51.100.7","xff":"10.0.0.1, 192.0.2.1"`, "198.51.100.7", 0},
		{`"ip":"172.68.1.1","xff":"10.9.9.9, 198.51.100.7, 10.1.1.1"`, "198.51.100.7", 0},
		{`"ip":"10.1.1.1","xff":"192.0.2.9, 198.51.100.7, 172.68.1.1"`, "198.51.100.7", 0},
		{`"ip":"172.68.1.1"`, "invalid IP", 0},
		{`"ip":"172.68.1.1","xff":"unknown"`, "invalid IP", 0},
		{`"ip":"198.51.100.7"`, "198.51.100.7", 1},
		{`"ip":"10.1.1.1"`, "10.1.1.1", 0},
		{`"ip":"::ffff:198.51.100.7","peer":"172.68.1.1"`, "198.51.100.7", 0},
	} {
		g := &gate{reads: edge.Reads{Headers: []string{"x-api-key"}}}
		e := &Edge{Layer: g, Networks: networks, Header: "CF-Connecting-IP"}
		line := fmt.Sprintf(`{"msec":1772438400.000,%s,"request":"GET /a HTTP/1.1","status":200,"http_x_api_key":"k","rt":0.001}`, c.fields)
		s := sourceOf(t, "log", line+"\n", accesslog.JSON)
		var err error
		if s.Reader, err = accesslog.NewReader(accesslog.JSON, accesslog.Options{Headers: Wanted(treeOf(t, conf), e)}); err != nil {
			t.Fatal(err)
		}
		s.Held = []string{"http_x_api_key"}
		r := run(t, conf, Options{Edge: e}, s)
		if len(g.seen) != 1 || g.seen[0] != c.want+" /a k true" || r.Edge.Direct != c.direct || (r.Edge.Nobody == 1) != (c.want == "invalid IP") {
			t.Errorf("%s: %q, %+v", c.fields, g.seen, r.Edge)
		}
		s.Held = nil
		g.seen = nil
		if r = run(t, conf, Options{Edge: e}, s); !strings.HasSuffix(g.seen[0], " false") || !slices.Contains(r.Edge.Lacking, "$http_x_api_key") {
			t.Errorf("%q, %v", g.seen, r.Edge.Lacking)
		}
	}
}
