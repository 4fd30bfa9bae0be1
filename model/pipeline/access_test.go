package pipeline_test

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// accessRules are lists of allow and deny, and whether 127.0.0.1 is let in: from a socket of IPv4, and from one of both
// families, where its address is ::ffff:127.0.0.1. The answers are nginx's.
var accessRules = []struct {
	rules        string
	plain, mixed bool
}{
	{"allow 127.0.0.0/8; deny all;", true, true},
	{"deny 127.0.0.0/8;", false, false},
	{"allow ::/0; deny all;", false, false},
	{"deny ::/0;", true, false},
	{"deny ::ffff:0:0/96;", true, false},
	{"deny ::/0; deny 10.0.0.0/8;", true, true},
	{"allow 127..1.1/8; deny all;", true, true},
	{"deny 127.0.0.1/8;", false, false},
	{"allow unix:; deny all;", false, false},
	{"deny unix:;", true, true},
}

func accessConf(listen string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pid nginx.pid;\nevents {}\nhttp {\n    access_log off;\n    server {\n        %s\n", listen)
	for i, c := range accessRules {
		fmt.Fprintf(&b, "        location /%d/ { %s try_files /absent =204; }\n", i, c.rules)
	}
	return b.String() + "    }\n}\n"
}

func TestAccess(t *testing.T) {
	tree := resolveText(t, accessConf("listen 80; listen [::]:81 ipv6only=off;"))
	p := pipeline.New(tree, route.New(tree))
	for i, c := range accessRules {
		for port, in := range map[uint16]bool{80: c.plain, 81: c.mixed} {
			want := 403
			if in {
				want = 204
			}
			tr := p.Do(clock.Up, &request.Request{
				Host: "a", Target: fmt.Sprintf("/%d/", i), Peer: netip.MustParseAddr("127.0.0.1"), Server: netip.AddrPortFrom(netip.Addr{}, port),
			})
			if tr.Status != want {
				t.Errorf("%s at port %d: %d, want %d", c.rules, port, tr.Status, want)
			}
		}
	}
}

// TestAccessLive asks nginx for the answers.
func TestAccessLive(t *testing.T) {
	nginxtest.Binary(t)
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("there is no IPv6 on the loopback interface")
	}
	_ = l.Close()
	plain, mixed := nginxtest.Port(t), nginxtest.Port(t)
	nginxtest.Start(t, accessConf(fmt.Sprintf("listen 127.0.0.1:%d; listen [::]:%d ipv6only=off;", plain, mixed)), plain, nil)
	clients := map[int]*nginxtest.Client{plain: nginxtest.NewClient(t, plain), mixed: nginxtest.NewClient(t, mixed)}
	for i, c := range accessRules {
		for port, in := range map[int]bool{plain: c.plain, mixed: c.mixed} {
			want := 403
			if in {
				want = 204
			}
			if got := clients[port].Send(t, fmt.Sprintf("GET /%d/ HTTP/1.1\r\nHost: a", i)).Status; got != want {
				t.Errorf("%s, both families %t: nginx answers %d, not %d", c.rules, port == mixed, got, want)
			}
		}
	}
}
