package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// BenchmarkDo takes requests through all phases, each routed anew: what explain does with many requests.
func BenchmarkDo(b *testing.B) {
	p := pipelineOfText(b, `
    limit_req_zone $binary_remote_addr zone=ip:10m rate=1000r/s;
    map $http_x_api_key $client { default $binary_remote_addr; k1 one; }
    limit_req_zone $client zone=api:10m rate=1000r/s;
    server {
        listen 80;
        server_name portal.example;
        location / { limit_req zone=ip burst=1000 nodelay; try_files $uri /index.php?$args; }
        location ~ \.php$ { limit_req zone=ip burst=1000; fastcgi_pass 127.0.0.1:9000; }
        location /api/ { limit_req zone=api burst=100 nodelay; limit_req zone=ip burst=200; proxy_pass http://127.0.0.1:1; }
        location ^~ /assets/ { root /srv; }
    }`)
	p.Explain = false
	for _, target := range []string{"/api/orders?page=2", "/cart?x=1", "/assets/app.css"} {
		b.Run(target, func(b *testing.B) {
			r := &request.Request{
				Host: "portal.example", Target: target, Peer: netip.MustParseAddr("203.0.113.7"), Server: netip.MustParseAddrPort("192.0.2.1:80"),
			}
			b.ReportAllocs()
			now := clock.Up
			for b.Loop() {
				now++
				t := p.Do(now, r)
				if t.Server == nil {
					b.Fatal("no server")
				}
			}
		})
	}
}

// manyServers is a configuration of n servers as a hosting company has them, with limits at two levels, a client address
// behind balancers, a map and a geo block.
func manyServers(n int) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "limit_req_zone %s zone=z%d:1m rate=30r/s;\n", []string{"$binary_remote_addr", "$limit_key", "$server_name"}[i%3], i)
	}
	b.WriteString("limit_conn_zone $binary_remote_addr zone=conns:1m;\ngeo $office { default 0; 192.0.2.0/24 1;\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "10.%d.%d.0/24 %d;\n", i/250, i%250, i%2)
	}
	b.WriteString("}\nmap $office $limit_key { 0 $binary_remote_addr; 1 \"\"; }\n")
	for i := range 64 {
		fmt.Fprintf(&b, "set_real_ip_from 172.%d.%d.0/20;\n", 16+i/16, i%16*16)
	}
	b.WriteString("real_ip_header X-Forwarded-For;\nreal_ip_recursive on;\n")
	for i := range n {
		z := func(k int) int { return (i*7 + k) % 40 }
		fmt.Fprintf(&b, `server {
	listen 80;
	server_name site%d.example www.site%d.example;
	limit_req_status 429;
	limit_req zone=z%d burst=20000 nodelay;
	location = /api/auth/login { limit_req zone=z%d burst=50000 nodelay; proxy_pass http://127.0.0.1:8080; }
	location /api/ {
		limit_req zone=z%d burst=60000 nodelay;
		limit_req zone=z%d burst=60000 nodelay;
		proxy_pass http://127.0.0.1:8080;
		location /api/export/ { limit_conn conns 4; proxy_pass http://127.0.0.1:8080; }
	}
	location ^~ /assets/ { root /srv; expires 7d; }
	location ~ \.php$ { fastcgi_pass 127.0.0.1:9000; }
	location ~* ^/media/(?<kind>[a-z]+)/.*\.(?:jpe?g|png|webp)$ { root /srv; }
	location / { try_files $uri /index.php?$args; }
}
`, i, i, z(0), z(1), z(2), z(3))
	}
	return b.String()
}

// BenchmarkExplain takes requests for many URIs through all phases of 10,000 servers, each routed anew, and asks the
// limits. With all hosts in turn, what a server needs is in no cache of the machine. In "parallel" each processor has a
// pipeline of its own.
func BenchmarkExplain(b *testing.B) {
	p := pipelineOfText(b, manyServers(10_000)) // with the paths of its requests
	for _, hosts := range []int{1, 100, 10_000} {
		visits := manyVisits(hosts)
		now := clock.Up
		for i := range visits { // each level is compiled once
			var r request.Request
			visits[i].request(&r)
			p.Do(now, &r)
		}
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			var r request.Request
			var t Trace
			for b.Loop() {
				if i++; i == len(visits) {
					i, now = 0, now+1000
				}
				visits[i].request(&r)
				if p.DoInto(&t, now, &r); t.Location == nil {
					b.Fatal("no location")
				}
			}
		})
		b.Run(fmt.Sprintf("parallel/hosts=%d", hosts), func(b *testing.B) {
			var goroutines atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				own := p.Fresh()
				own.Explain = true
				var r request.Request
				var t Trace
				at, i := clock.Up, int(goroutines.Add(1))*len(visits)/2%len(visits)
				for pb.Next() {
					if i++; i >= len(visits) {
						i, at = 0, at+1000
					}
					visits[i].request(&r)
					if own.DoInto(&t, at, &r); t.Location == nil {
						b.Error("no location")
						return
					}
				}
			})
		})
	}
}

// A visit is what tells one request of the benchmark from another.
type visit struct {
	host, target string
	peer         uint32
	balanced     bool
}

// manyVisits are to some of the servers of manyServers, a fourth of them through a balancer.
func manyVisits(hosts int) []visit {
	targets := []string{"/", "/api/v1/users?id=1", "/assets/app.css", "/index.php?x=1", "/media/pics/a.png", "/api/auth/login", "/about/us", "/api/export/all"}
	visits := make([]visit, max(hosts, 1000))
	for i := range visits {
		visits[i] = visit{
			host: fmt.Sprintf("www.site%d.example", i%hosts*7919%10_000), target: targets[(i+i/hosts)%len(targets)],
			peer: 203<<24 | uint32(i&0xffff), balanced: i%4 == 0,
		}
		if visits[i].balanced {
			visits[i].peer = 172<<24 | 16<<16 | uint32(i&0xff)
		}
	}
	return visits
}

var (
	directly = []request.Header{{Name: "User-Agent", Value: "x"}, {Name: "Accept", Value: "*/*"}}
	balanced = append(slices.Clip(directly), request.Header{Name: "X-Forwarded-For", Value: "198.51.100.7"})
)

// request makes the request, as whoever reads requests has just made the one that is asked about: what the pipeline costs is
// measured, not where ten thousand requests lie.
func (v *visit) request(r *request.Request) {
	*r = request.Request{Host: v.host, Target: v.target, Peer: request.Addr4(v.peer), Server: serverAddr, Headers: directly}
	if v.balanced {
		r.Headers = balanced
	}
}

var serverAddr = netip.MustParseAddrPort("192.0.2.1:80")

// BenchmarkCallers sends one planned request from 100,000 clients in turn, in an order without a pattern: what simulate
// and the page rules do.
func BenchmarkCallers(b *testing.B) {
	p := pipelineOfText(b, `
    limit_req_zone $binary_remote_addr zone=ip:20m rate=10r/s;
    server { listen 80; location / { limit_req zone=ip burst=20 nodelay; proxy_pass http://127.0.0.1:1; } }`)
	plan, shared := p.PlanShared(&request.Request{Host: "a.example", Target: "/", Peer: netip.MustParseAddr("203.0.113.7")}, nil)
	if !shared {
		b.Fatal("the plan does not hold for all clients")
	}
	callers := make([]*Caller, 100_000)
	for i := range callers {
		callers[i] = NewCaller(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(callers), func(i, j int) { callers[i], callers[j] = callers[j], callers[i] })
	now, i := clock.Up, 0
	send := func() {
		if i++; i == len(callers) {
			i, now = 0, now+1000
		}
		if f := plan.StartFor(now, callers[i]); f.Decision.Verdict != limitreq.Passed {
			b.Fatal(f.Decision.Verdict)
		}
	}
	for range callers {
		send()
	}
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

// BenchmarkLarge is BenchmarkDo on a large configuration, named by NGXLIMIT_BENCH_CONF, one server after the other.
func BenchmarkLarge(b *testing.B) {
	path := os.Getenv("NGXLIMIT_BENCH_CONF")
	if path == "" {
		b.Skip("NGXLIMIT_BENCH_CONF names no configuration")
	}
	p := pipelineOf(b, path)
	p.Explain = false
	var requests []*request.Request
	for _, s := range p.g.tree.HTTP.Servers {
		requests = append(requests, &request.Request{Host: s.Names[0].Text, Target: "/api/x?y=1", Peer: netip.MustParseAddr("203.0.113.7")})
	}
	for i, r := range requests { // each level is compiled once
		p.Do(clock.Up+clock.Msec(i), r)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		p.Do(clock.Up+clock.Msec(i), requests[i%len(requests)])
		i++
	}
}
