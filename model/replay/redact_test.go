package replay

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

func TestShownPaths(t *testing.T) {
	e := &engine{r: &replay{o: &Options{Redact: func(string) string { return "#" }}}}
	for path, want := range map[string]string{
		"/a/b": "/a/b", "": "", "/": "/", "//": "//", "//a/b": "//a/b", "/198.51.100.7": "/#", "//198.51.100.7/x": "//#/x", "///198.51.100.7:80/x": "///#/x",
		"http://198.51.100.7:8080/abs": "http://#/abs", "HTTP://[2001:db8::1]/": "HTTP://#/", "http://u@198.51.100.7": "http://#", "https://a.example/x": "https://#/x",
		"198.51.100.7:443": "#", "[2001:db8::1]:443": "#", "2001:db8::1": "#", "/a?b=http://c": "/a?b=http://c", "http://": "http://",
	} {
		if got := e.shownPath(path); got != want {
			t.Errorf("%q is shown as %q, want %q", path, got, want)
		}
	}
}

// No address of a log's hosts or of its requests' lines is in what is told, and however many hosts there are, the assumption about
// them is one.
func TestRedactHidesHosts(t *testing.T) {
	conf := strings.Replace(diagnosed, "server {\n        listen 80;", "server {\n        listen 80;\n        return 301 https://portal.example$request_uri;\n    }\n    server {\n        listen 443 ssl;", 1)
	var log strings.Builder
	for i := range 300 {
		fmt.Fprintf(&log, `{"msec":%d.000,"ip":"192.0.2.%d","host":"203.0.113.%d","request":"GET %s HTTP/1.1","status":200,"rt":0.010}`+"\n",
			1_772_438_400+i, i%200+1, i%200+1, []string{"http://198.51.100.77:8080/abs", "//198.51.100.78/x", "/"}[i%3])
	}
	r := run(t, conf, Options{Redact: func(string) string { return "#hash" }}, sourceOf(t, "log", log.String(), accesslog.JSON))
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"203.0.113.", "198.51.100.", "192.0.2."} {
		if at := strings.Index(string(text), hidden); at >= 0 {
			t.Errorf("%s is told: %s", hidden, text[max(0, at-60):at+30])
		}
	}
	if n := strings.Count(string(text), "taken to have reached its TLS server"); n != 1 {
		t.Errorf("the assumption is told %d times", n)
	}
}
