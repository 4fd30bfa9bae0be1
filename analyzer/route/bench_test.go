package route

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// manyServers is a configuration of n servers as a hosting company has them: the same locations everywhere.
func manyServers(n int) string {
	var b strings.Builder
	b.WriteString("events {}\nhttp {\nmap $http_x_api_key $api_limit { \"\" $binary_remote_addr; default $http_x_api_key; }\n")
	b.WriteString("geo $office { default 0; 10.0.0.0/8 1; 192.0.2.0/24 1; }\nmap $office $limit { 1 \"\"; 0 $binary_remote_addr; }\n")
	for i := range n {
		fmt.Fprintf(&b, `server {
	listen 80;
	listen 443 ssl;
	server_name site%d.example www.site%d.example *.site%d.example;
	location / { try_files $uri /index.php; }
	location = /favicon.ico { access_log off; }
	location /static/ { expires 1d; }
	location ^~ /images/ { expires 1d; }
	location /api/ { proxy_pass http://127.0.0.1:8080; location /api/v1/ { proxy_pass http://127.0.0.1:8081; } }
	location ~* \.(css|js|png|jpg|gif|ico)$ { expires 1d; }
	location ~ \.php$ { fastcgi_pass unix:/run/php.sock; }
}
`, i, i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// BenchmarkRoute routes requests to 10,000 servers and evaluates the keys of three limits.
func BenchmarkRoute(b *testing.B) {
	r := New(resolve(b, manyServers(10000)))
	var requests []request.Request
	for i := range 1000 {
		requests = append(requests, request.Request{
			Host: fmt.Sprintf("www.site%d.example", i*7919%10000), Target: []string{"/", "/index.php", "/api/v1/users?id=1", "/static/a.css", "/images/x.png"}[i%5],
			Peer: netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)}), Headers: []request.Header{{Name: "User-Agent", Value: "x"}, {Name: "X-Api-Key", Value: "k"}},
		})
	}
	var keys []value.Template
	for _, text := range []string{"$binary_remote_addr", "$limit", "$api_limit$uri"} {
		k, err := value.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		keys = append(keys, k)
	}
	v := &value.Request{}
	one := func(req *request.Request) {
		c := r.Begin(v, req)
		if c.Status != 0 || c.Name == nil {
			b.Fatalf("%v: %+v", req, c)
		}
		if m := c.Site.Location(v, false); m.Number == 0 {
			b.Fatalf("%v: no location", req)
		}
		for i := range keys {
			if _, known := keys[i].Eval(v).Known(); !known {
				b.Fatal(keys[i].Eval(v).Reason())
			}
		}
	}
	for i := range requests { // the tables of each server are built once
		one(&requests[i])
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		one(&requests[i%len(requests)])
	}
}
