package simulate

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// TestRequestsMeetLimitConnInTime has a delayed request ask limit_conn when it has waited, behind those that came
// meanwhile, and requests of one millisecond hold their places together.
func TestRequestsMeetLimitConnInTime(t *testing.T) {
	tree := treeOfText(t, `events {}
http {
    limit_req_zone $binary_remote_addr zone=r:1m rate=1r/s;
    limit_conn_zone $server_name zone=c:1m;
    server { listen 80; server_name a.example;
        location / { limit_conn c 1; proxy_pass http://127.0.0.1:1; }
        location /slow/ { limit_req zone=r burst=5; limit_conn c 1; proxy_pass http://127.0.0.1:1; }
    }
}
`)
	stream := `{"t_ms":0,"url":"http://a.example/slow/1"}
{"t_ms":0,"url":"http://a.example/"}
{"t_ms":1,"url":"http://a.example/slow/2"}
{"t_ms":500,"url":"http://a.example/"}
{"t_ms":1000,"url":"http://a.example/"}
`
	r, err := Requests(tree, route.New(tree), traffic.ReadRequests(strings.NewReader(stream), ""))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range r.Requests {
		got = append(got, row.Outcome+"/"+row.ConnOutcome)
	}
	// The second slow one waits 999 ms, and holds the place at 1000 ms before the last one comes.
	want := "PASSED/PASSED NONE/REJECTED DELAYED/PASSED NONE/PASSED NONE/REJECTED"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if l := r.Locations; len(l) != 2 || l[0].Rejected != 2 || l[1].Delayed != 1 {
		t.Errorf("%+v", l)
	}
}
