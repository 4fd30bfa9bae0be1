package pipeline

import (
	"net/netip"
	"os"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
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
