package limitreq

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

const liveZones = 3

// A liveSetup is three small zones and some locations with limits on them. A location either runs dry or has only
// nodelay, so that every request is answered at once; the accounts are charged alike in earnest.
type liveSetup struct {
	zones     []*Zone
	locations []liveLocation
	text      strings.Builder
}

type liveLocation struct {
	zones  []int
	limits []Limit
	dryRun bool
}

// TestLive compares verdict, excess and zone with nginx's under random limits and traffic, with a clock that jumps and
// zones that fill up.
func TestLive(t *testing.T) {
	r := nginxtest.Random(t)
	const perRun = 500
	for left := nginxtest.Cases(t, 2*perRun); left > 0; left -= perRun {
		runLive(t, r, min(left, perRun))
	}
}

func runLive(t *testing.T, r *rand.Rand, requests int) {
	t.Helper()
	port := nginxtest.Port(t)
	s := newLiveSetup(t, r, port)
	now := int64(clock.Up)
	held := nginxtest.NewClock(t, now)
	server := nginxtest.Start(t, s.text.String(), port, held)
	want, urls := make([]string, requests), make([]string, requests)
	for n := range requests {
		now += []int64{0, 0, 1, r.Int64N(50), r.Int64N(2000), r.Int64N(2000), r.Int64N(130_000) - 60_000}[r.IntN(7)]
		held.Set(t, now)
		i := r.IntN(len(s.locations))
		l := &s.locations[i]
		keys := randomKeys(r)
		for j, z := range l.zones {
			l.limits[j].Key = keys[z]
		}
		d := Decide(clock.Msec(now), l.limits, l.dryRun)
		urls[n] = fmt.Sprintf("/%d/?n=%d&a=%s&b=%s&c=%s", i, n, keys[0], keys[1], keys[2])
		if got := askLive(t, port, urls[n]); got != string(d.Verdict) {
			t.Fatalf("request %d at %d, %.60s: %s, nginx %s\n%s", n, now, urls[n], d.Verdict, got, s.text.String())
		}
		if d.Zone >= 0 && !d.Full {
			want[n] = fmt.Sprintf("%d.%03d by %s", d.Excess/1000, d.Excess%1000, l.limits[d.Zone].Zone.Name())
		}
	}
	got := messages(server.ErrorLog(t), requests)
	for n := range want {
		if got[n] != want[n] {
			t.Fatalf("request %d, %.60s: %q, nginx %q\n%s", n, urls[n], want[n], got[n], s.text.String())
		}
	}
}

func newLiveSetup(t *testing.T, r *rand.Rand, port int) *liveSetup {
	t.Helper()
	s := &liveSetup{}
	b := &s.text
	b.WriteString("pid nginx.pid; error_log error.log info; events {}\nhttp { access_log off;\n")
	for _, d := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(b, "%s_temp_path tmp_%s;\n", d, d)
	}
	b.WriteString("large_client_header_buffers 4 16k;\n")
	for i := range liveZones {
		name := string(rune('a' + i))
		rate, text := 1+r.Int64N(20), "r/s"
		milli := rate * 1000
		if r.IntN(2) == 0 {
			milli, text = rate*1000/60, "r/m"
		}
		z, err := NewZone(name, milli, 32<<10)
		if err != nil {
			t.Fatal(err)
		}
		s.zones = append(s.zones, z)
		fmt.Fprintf(b, "limit_req_zone $arg_%s zone=%s:32k rate=%d%s;\n", name, name, rate, text)
	}
	fmt.Fprintf(b, "server { listen 127.0.0.1:%d;\n", port)
	for i := range 4 {
		l := liveLocation{dryRun: r.IntN(2) == 0}
		fmt.Fprintf(b, "location /%d/ { try_files /none =204; add_header X-Status $limit_req_status always;\n", i)
		if l.dryRun {
			b.WriteString("limit_req_dry_run on;\n")
		}
		for _, z := range r.Perm(liveZones)[:1+r.IntN(liveZones)] {
			l.zones = append(l.zones, z)
			l.limits = append(l.limits, s.randomLimit(r, z, l.dryRun))
		}
		b.WriteString("}\n")
		s.locations = append(s.locations, l)
	}
	b.WriteString("} }\n")
	return s
}

// randomLimit writes one limit_req and returns what it means.
func (s *liveSetup) randomLimit(r *rand.Rand, z int, dryRun bool) Limit {
	l := Limit{Zone: s.zones[z], Burst: r.Int64N(6) * 1000, Delay: NoDelay}
	fmt.Fprintf(&s.text, "limit_req zone=%s", l.Zone.Name())
	if l.Burst > 0 {
		fmt.Fprintf(&s.text, " burst=%d", l.Burst/1000)
	}
	if !dryRun {
		s.text.WriteString(" nodelay")
	} else if l.Delay = r.Int64N(4) * 1000; l.Delay > 0 {
		fmt.Fprintf(&s.text, " delay=%d", l.Delay/1000)
	}
	s.text.WriteString(";\n")
	return l
}

// randomKeys draws a key for each zone: a few that come often, long ones that fill the zone, none.
func randomKeys(r *rand.Rand) [liveZones]string {
	var keys [liveZones]string
	for i := range keys {
		k := string(rune('p' + r.IntN(8)))
		switch r.IntN(8) {
		case 0:
			k = ""
		case 1, 2:
			k = strings.Repeat(k, 1000+r.IntN(900)) + fmt.Sprint(r.IntN(4))
		case 3:
			k = strings.Repeat(k, []int{48, 49, 176, 177, 433, 2500}[r.IntN(6)])
		}
		keys[i] = k
	}
	return keys
}

var message = regexp.MustCompile(`(?:limiting requests|delaying request)(?:, dry run)?, excess: ([0-9.]+),? by zone "(.)", .*"GET /\d/\?n=(\d+)&`)

// messages returns what nginx logged for each request, as "excess by zone".
func messages(log string, requests int) []string {
	found := make([]string, requests)
	for _, m := range message.FindAllStringSubmatch(log, -1) {
		var n int
		if _, err := fmt.Sscan(m[3], &n); err == nil && n < requests {
			found[n] += m[1] + " by " + m[2]
		}
	}
	return found
}

// askLive returns nginx's verdict on one request, on a connection of its own: nginx closes kept ones when its clock
// goes back.
func askLive(t *testing.T, port int, target string) string {
	t.Helper()
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", target); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if status := res.Header.Get("X-Status"); status != "" {
		return status
	}
	return string(None)
}
