package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// replayConf is a server with the limits of the stories, and a log that tells its decisions.
const replayConf = `worker_processes %[3]d;
pid nginx.pid;
error_log error.log;
events { worker_connections 512; }
http {
    limit_req_zone $binary_remote_addr zone=page:1m rate=20r/s;
    limit_req_zone $binary_remote_addr zone=api:1m rate=30r/s;
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;
    log_format limits escape=json '{"time":"$time_iso8601","msec":$msec,"ip":"$remote_addr","request":"$request","status":$status,'
        '"rt":$request_time,"urt":"$upstream_response_time","limit":"$limit_req_status"}';
    client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
    server {
        listen 127.0.0.1:%[1]d;
        server_name portal.example;
        access_log access.log limits;
        location / { limit_req zone=page burst=10; proxy_pass http://127.0.0.1:%[2]d; }
        location /api/ { limit_req zone=api burst=15 nodelay; limit_req zone=total burst=60 nodelay; proxy_pass http://127.0.0.1:%[2]d; }
        location /dry/ { limit_req zone=page burst=3 delay=1; limit_req_dry_run on; proxy_pass http://127.0.0.1:%[2]d; }
        location /static/ { empty_gif; }
    }
    server { listen 127.0.0.1:%[2]d; access_log off; location / { empty_gif; } }
}
`

// loadFor sends bounded traffic for some seconds: 24 clients that open pages of 14 requests over four connections, and
// two that flood.
func loadFor(t *testing.T, port int, length time.Duration) {
	t.Helper()
	end := time.Now().Add(length)
	var wait sync.WaitGroup
	for c := range 26 {
		r := rand.New(rand.NewPCG(uint64(c), 1))
		client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			MaxConnsPerHost: 4, MaxIdleConnsPerHost: 4,
			DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(10+c))}}).DialContext,
		}}
		get := func(path string) {
			resp, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		wait.Go(func() {
			defer client.CloseIdleConnections()
			time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
			for time.Now().Before(end) {
				if c < 2 {
					get("/api/flood")
					time.Sleep(8 * time.Millisecond)
					continue
				}
				get("/")
				var page sync.WaitGroup
				for i := range 13 {
					page.Go(func() { get([]string{"/static/a.css", "/api/x", "/api/y?z=1", "/dry/z", "/part"}[i%5]) })
				}
				page.Wait()
				time.Sleep(time.Duration(300+r.IntN(900)) * time.Millisecond)
			}
		})
	}
	wait.Wait()
}

// replayJSON runs the command and reads what it says.
func replayJSON(t *testing.T, args ...string) replay.Result {
	t.Helper()
	var out, errs bytes.Buffer
	if status := Main(append([]string{"replay", "--format", "json"}, args...), strings.NewReader(""), &out, &errs); status != exitOK {
		t.Fatalf("status %d: %s", status, &errs)
	}
	var r replay.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReplayLive replays what the real nginx has logged under load: its decisions are made again.
func TestReplayLive(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprintf("workers %d", workers), func(t *testing.T) {
			port, upstream := nginxtest.Port(t), nginxtest.Port(t)
			conf := fmt.Sprintf(replayConf, port, upstream, workers)
			s := nginxtest.StartWorkers(t, conf, port)
			loadFor(t, port, 4*time.Second)
			s.Logged(t, "access.log", 1000)
			whole, err := os.ReadFile(filepath.Join(s.Prefix, "access.log"))
			if err != nil {
				t.Fatal(err)
			}
			log := string(whole)
			folder := t.TempDir()
			for name, text := range map[string]string{"nginx.conf": conf, "access.log": log} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := replayJSON(t, filepath.Join(folder, "nginx.conf"), filepath.Join(folder, "access.log"))
			a := r.Agreement
			t.Logf("%d lines, %d decisions, %d the same, of these %d moved by 1 ms; others: %+v", r.Lines, a.Logged, a.Same, a.Shifted, a.Kinds)
			if r.Skipped != 0 || a.Logged != r.Lines || r.Lines < 1000 {
				t.Errorf("%d lines, %d skipped, %d decisions", r.Lines, r.Skipped, a.Logged)
			}
			different := a.Logged
			for _, k := range a.Kinds {
				different -= k.N
			}
			if different != a.Same {
				t.Errorf("%d of %d are the same, and the kinds are %+v", a.Same, a.Logged, a.Kinds)
			}
			least := 0.999
			if workers > 1 {
				least = 0.98
			}
			if share := float64(a.Same) / float64(a.Logged); share < least {
				t.Errorf("%.4f of the decisions are the same, want %.3f", share, least)
			}
			for _, word := range []string{"PASSED", "DELAYED", "REJECTED", "DELAYED_DRY_RUN", "REJECTED_DRY_RUN"} {
				if !strings.Contains(log, `"limit":"`+word+`"`) {
					t.Errorf("the load made nginx say no %s", word)
				}
			}
		})
	}
}
