package replay

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

var update = flag.Bool("update", false, "write fixtures/trustline/morning.log anew; commit only what is understood")

func trustline(t *testing.T, name string) string {
	return filepath.Join(nginxtest.Root(t), "fixtures", "trustline", name)
}

func readTree(t testing.TB, path string) *config.Tree {
	t.Helper()
	inputs, err := load.Load([]string{path}, load.Options{})
	if err != nil || len(inputs) != 1 {
		t.Fatalf("%d configurations, %v", len(inputs), err)
	}
	return config.Resolve(inputs[0], config.Options{})
}

// withLogin is a fan whose page comes up once its visitor has logged in.
func withLogin(fan *traffic.Fan) *traffic.Fan {
	with := *fan
	with.Requests = []traffic.FanRequest{{Path: "/api/auth/login", Method: "POST", Kind: "api"}}
	for _, q := range fan.Requests {
		before := 0
		if q.DependsOn != nil {
			before = *q.DependsOn + 1
		}
		q.DependsOn = &before
		with.Requests = append(with.Requests, q)
	}
	return &with
}

// morning is the log of the trust company's morning: 43 desks behind two addresses open the portal within five minutes, half
// of them with a login, and again within the next five. Their upstream takes 185 ms, 240 in 5 of 100 times, and the way to the client is
// long enough that without a limit 5 of 100 requests take 310 ms. The limits that made the portal slow decide. Arrivals are drawn; these are such that
// the company's numbers come out: 5.8 % refused, and 2.1 s in 5 of 100 times. Most draws of these people give one of the two alone, as long waits
// come of a full queue, which refuses.
func morning(t *testing.T) string {
	t.Helper()
	fan, err := traffic.Builtin("portal")
	if err != nil {
		t.Fatal(err)
	}
	took, err := traffic.ParseDist("lognormal:185,240")
	if err != nil {
		t.Fatal(err)
	}
	tree := readTree(t, trustline(t, "before.dump"))
	soon := simulate.Arrival{Kind: simulate.Poisson, Span: 5 * time.Minute}
	r, err := simulate.Run(tree, route.New(tree), simulate.Options{
		Crowds: []simulate.Crowd{
			{Fan: withLogin(fan), PerAddress: []int{15, 7}, Clients: 22, Arrival: soon},
			{Fan: fan, PerAddress: []int{14, 7}, Clients: 21, Same: true, Arrival: soon},
			{Fan: fan, PerAddress: []int{29, 14}, Clients: 43, Same: true, Start: 300 * time.Second, Arrival: soon},
		},
		UpstreamMs: took, KeepRequests: true, Seed: 22,
	})
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		at   int64
		text string
	}
	draw := rand.New(rand.NewPCG(7, 7))
	lines := make([]line, 0, len(r.Requests))
	begin := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC).UnixMilli()
	for _, q := range r.Requests {
		status, upstream, sending, text := 503, int64(0), int64(0), ""
		if q.Outcome != "REJECTED" {
			status = 200
			upstream = lognormal(draw, 185, 240)
			sending = lognormal(draw, 45, 100)
			text = fmt.Sprintf("%d.%03d", upstream/1000, upstream%1000)
		}
		u, err := url.Parse(q.URL)
		if err != nil {
			t.Fatal(err)
		}
		rt := q.DelayMs + upstream + sending
		at := begin + q.TMs + rt
		lines = append(lines, line{at, fmt.Sprintf(
			`{"time":"%s","msec":%d.%03d,"ip":"%s","request":"%s %s HTTP/1.1","status":%d,"rt":%d.%03d,"urt":"%s","limit":"%s"}`+"\n",
			time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05+00:00"), at/1000, at%1000, q.ClientIP, methodOf(u.Path), u.RequestURI(), status, rt/1000, rt%1000, text, q.Outcome,
		)})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.at - b.at) })
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

// lognormal draws a time of a distribution by its median and 95th percentile.
func lognormal(draw *rand.Rand, median, p95 float64) int64 {
	return int64(median * math.Exp(draw.NormFloat64()*math.Log(p95/median)/1.645))
}

func methodOf(path string) string {
	if path == "/api/auth/login" {
		return "POST"
	}
	return "GET"
}

// kinds lists the diagnoses by their kinds.
func kinds(r *Result) map[string][]Diagnosis {
	all := map[string][]Diagnosis{}
	for _, d := range r.Diagnosis {
		all[d.Kind] = append(all[d.Kind], d)
	}
	return all
}

// TestMorning holds what the trust company found out in its log: the limiter makes the delay and not the upstream, an
// office shares an address, and nodelay is missing; with the limits that it chose in the end the same morning passes.
func TestMorning(t *testing.T) {
	want := morning(t)
	path := trustline(t, "morning.log")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatal("morning.log is not what the simulation gives: run with -update, and look at the difference")
	}
	tree := readTree(t, trustline(t, "before.dump"))
	r, err := Run(tree, route.New(tree), []Source{sourceOf(t, "morning.log", want, accesslog.JSON)}, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Agreement; a.Logged != r.Lines || a.Same != a.Logged {
		t.Errorf("%d lines, %d decisions, %d the same: %+v", r.Lines, a.Logged, a.Same, a.Kinds)
	}
	told := r.Times[0]
	refused, requests := int64(r.Locations[0].Rejected), int64(r.Locations[0].Requests)
	if share := 100 * float64(refused) / float64(requests); share < 5.75 || share >= 5.85 || told.RequestMs.P95 < 2050 || told.RequestMs.P95 >= 2150 ||
		told.UpstreamMs.P95 < 230 || told.UpstreamMs.P95 > 250 || len(r.Times) != 1 || len(r.Locations) != 1 {
		t.Errorf("%.2f %% refused, %+v: the company tells of 5.8 %%, 2.1 s and 240 ms", share, told)
	}
	found := kinds(r)
	for kind, words := range map[string]string{
		diagLimiter: "not the upstream", diagNodelay: "nodelay", diagShared: "several people share key", diagPage: "zone per_ip takes 11 at once",
		diagStatic: "static files count", diagRefused: "are refused",
	} {
		if len(found[kind]) == 0 || !strings.Contains(found[kind][0].Message, words) {
			t.Errorf("%s: %+v", kind, found[kind])
			continue
		}
		if d := found[kind][0]; d.Directive != "limit_req zone=per_ip burst=10;" || d.Line == 0 || d.File != "/etc/nginx/conf.d/portal.conf" {
			t.Errorf("%s is about %q at %s:%d", kind, d.Directive, d.File, d.Line)
		}
	}
	if n := len(found[diagShared]); n != 2 {
		t.Errorf("%d shared addresses, want the two offices", n)
	}
	if n := len(found[diagAttack]) + len(found[diagProxy]); n != 0 {
		t.Errorf("people are taken for an attack or a proxy: %+v %+v", found[diagAttack], found[diagProxy])
	}
	after := readTree(t, trustline(t, "after.dump"))
	if r, err = Run(after, route.New(after), []Source{sourceOf(t, "morning.log", want, accesslog.JSON)}, Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Locations {
		if l.Delayed+l.Rejected > 0 {
			t.Errorf("with the limits of the end: %+v", l)
		}
	}
}
