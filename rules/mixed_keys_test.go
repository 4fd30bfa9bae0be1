package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// mixedKeys are different keys: half of them, at random, of 100 bytes, the rest of 16; or all of 16.
func mixedKeys(n int, mixed bool) []string {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]string, n)
	for i := range keys {
		length := 16
		if mixed && r.IntN(2) == 1 {
			length = 100
		}
		keys[i] = fmt.Sprintf("%0*d", length, i)
	}
	return keys
}

// TestMixedKeySizes holds what the page of zone-mixed-key-sizes says of a zone of 1m and 20,000 clients.
func TestMixedKeySizes(t *testing.T) {
	for _, mixed := range []bool{true, false} {
		zone, err := limitreq.NewZone("z", 1000, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for n, key := range mixedKeys(20_000, mixed) {
			d := limitreq.Decide(clock.Msec(1_000_000+n), []limitreq.Limit{{Zone: zone, Key: key, Burst: 5000, Delay: limitreq.NoDelay}}, false)
			if d.Full {
				refused++
			}
		}
		t.Logf("mixed %v: %d refused", mixed, refused)
		if mixed != (refused > 4000) || !mixed && refused > 0 {
			t.Errorf("mixed %v: %d refused", mixed, refused)
		}
	}
}

// TestMixedKeySizesAgainstNginx sends 800 clients to a zone that holds 191.
func TestMixedKeySizesAgainstNginx(t *testing.T) {
	nginxtest.Binary(t)
	for _, mixed := range []bool{true, false} {
		port := nginxtest.Port(t)
		nginxtest.Start(t, fmt.Sprintf(`pid nginx.pid; error_log error.log crit;
events {}
http {
    limit_req_zone $arg_k zone=z:32k rate=1r/s;
    server {
        listen 127.0.0.1:%d;
        location / { limit_req zone=z burst=5 nodelay; try_files /none =404; }
    }
}
`, port), port, nil)
		client := nginxtest.NewClient(t, port)
		refused := 0
		for _, key := range mixedKeys(800, mixed) {
			if client.Send(t, "GET /?k="+key+" HTTP/1.1\r\nHost: a").Status == 503 {
				refused++
			}
		}
		t.Logf("mixed %v: %d refused", mixed, refused)
		if mixed != (refused > 50) || !mixed && refused > 0 {
			t.Errorf("mixed %v: nginx refuses %d", mixed, refused)
		}
	}
}
