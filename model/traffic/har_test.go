package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

func recordingOf(t *testing.T, name string, o HAROptions) *Recording {
	t.Helper()
	f, err := os.Open(filepath.Join(nginxtest.Root(t), "fixtures", "recordings", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	o.Name = "rec"
	rec, err := ReadHAR(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// waitsFor says of each request, by its path, which one it waits for.
func waitsFor(f *Fan) map[string]string {
	m := map[string]string{}
	for _, q := range f.Requests {
		on := "-"
		if q.DependsOn != nil {
			on = f.Requests[*q.DependsOn].Path
		}
		m[q.Page+" "+q.Path] = on
	}
	return m
}

func TestChromeRecording(t *testing.T) {
	rec := recordingOf(t, "portal-chrome.har", HAROptions{})
	if rec.Scheme != "https" || rec.Host != "portal.trustline.example" || rec.Fan.Protocol != "h2" || rec.Fan.RTTMs.First != 12.2 {
		t.Errorf("%s://%s over %s, %v ms", rec.Scheme, rec.Host, rec.Fan.Protocol, rec.Fan.RTTMs.First)
	}
	if diff := cmp.Diff([]RecordedPage{{"page_1", 24}, {"page_2", 8}}, rec.Pages); diff != "" {
		t.Error(diff)
	}
	left := LeftOut{OtherHosts: []HostCount{{"stats.example.org", 2}, {"fonts.example.net", 1}}, Local: 2, Cached: 3, Unanswered: 1}
	if diff := cmp.Diff(left, rec.Left); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Links{Start: 1, Redirects: 1, Initiators: 28, Timing: 1, Pages: 1}, rec.Links); diff != "" {
		t.Error(diff)
	}
	got := waitsFor(rec.Fan)
	for path, want := range map[string]string{
		"page_1 /":                         "-",
		"page_1 /start":                    "/",
		"page_1 /assets/app.4f1c.js":       "/start",
		"page_1 /assets/inter.woff2":       "/assets/base.9c2e.css",
		"page_1 /api/tasks?open=1":         "/assets/app.4f1c.js",
		"page_1 /api/messages/unread":      "/assets/app.4f1c.js",
		"page_1 /live":                     "/assets/app.4f1c.js",
		"page_1 /favicon.ico":              "/start",
		"page_2 /contracts":                "/favicon.ico",
		"page_2 /assets/logo.svg":          "/contracts",
		"page_2 /api/contracts/count":      "/assets/contracts.0b71.js",
		"page_2 /assets/contracts.0b71.js": "/contracts",
		"page_2 /api/people?role=advisor":  "/assets/contracts.0b71.js",
		"page_1 /api/session":              "/assets/app.4f1c.js",
		"page_1 /api/contracts?limit=20":   "/assets/app.4f1c.js",
		"page_1 /assets/vendor.77d0.js":    "/start",
		"page_2 /api/documents/recent":     "/assets/contracts.0b71.js",
		"page_2 /api/contracts/filters":    "/assets/contracts.0b71.js",
		"page_2 /api/contracts?page=1":     "/assets/contracts.0b71.js",
		"page_1 /api/presence":             "/assets/app.4f1c.js",
		"page_1 /assets/logo.svg":          "/start",
		"page_1 /assets/app.51aa.css":      "/start",
		"page_1 /assets/base.9c2e.css":     "/start",
	} {
		if got[path] != want {
			t.Errorf("%s waits for %s, want %s", path, got[path], want)
		}
	}
	kinds := map[string]int{}
	for _, q := range rec.Fan.Requests {
		kinds[q.Kind]++
	}
	if diff := cmp.Diff(map[string]int{"html": 3, "static": 5, "image": 3, "font": 1, "api": 20}, kinds); diff != "" {
		t.Error(diff)
	}
	// The document took 128.6 ms with a round trip of 12.2; the script was there 17.5 ms after 244, the calls came at 352.
	if q := rec.Fan.Requests[1]; q.ServiceMs.First != 116.4 || q.SizeBytes.First != 6100 || q.StartOffsetMs != 3 {
		t.Errorf("%+v", q)
	}
	if q := rec.Fan.Requests[8]; q.Path != "/api/session" || q.StartOffsetMs != 91 {
		t.Errorf("%+v", q)
	}
	again(t, rec.Fan)
}

// Without initiators the times and the usual shape of a page have to do.
func TestFirefoxRecording(t *testing.T) {
	rec := recordingOf(t, "portal-firefox.har", HAROptions{})
	if diff := cmp.Diff(Links{Start: 1, Redirects: 1, Timing: 22}, rec.Links); diff != "" {
		t.Error(diff)
	}
	left := LeftOut{OtherHosts: []HostCount{{"stats.example.org", 2}, {"fonts.example.net", 1}}, Cached: 1}
	if diff := cmp.Diff(left, rec.Left); diff != "" {
		t.Error(diff)
	}
	got := waitsFor(rec.Fan)
	for path, want := range map[string]string{
		" /":                    "-",
		" /start":               "/",
		" /assets/app.4f1c.js":  "/start",
		" /assets/inter.woff2":  "/assets/app.51aa.css", // Chrome knows better
		" /api/session":         "/assets/app.4f1c.js",
		" /api/counters":        "/assets/app.4f1c.js",
		" /api/messages/unread": "/api/rates",
		" /api/presence":        "/api/rates",
	} {
		if got[path] != want {
			t.Errorf("%s waits for %s, want %s", path, got[path], want)
		}
	}
	if rec.Fan.Protocol != "h2" || rec.Fan.RTTMs.First != 12.2 || len(rec.Fan.Requests) != 24 || rec.Fan.Requests[3].Page != "" {
		t.Errorf("%+v", rec.Fan)
	}
}

func TestOnePageOfARecording(t *testing.T) {
	rec := recordingOf(t, "portal-chrome.har", HAROptions{Page: "page_2"})
	if len(rec.Fan.Requests) != 8 || rec.Left.OtherPages != 24 || rec.Fan.Requests[0].Path != "/contracts" || rec.Fan.Requests[0].DependsOn != nil {
		t.Errorf("%d requests, %+v", len(rec.Fan.Requests), rec.Left)
	}
	_, err := ReadHAR(strings.NewReader(harOf(entryOf(``))), HAROptions{Name: "x", Page: "page_9"})
	if err == nil || err.Error() != `the recording has no page "page_9"; its pages are "p"` {
		t.Error(err)
	}
}

// Another host of the recording may be the one that is meant.
func TestHostOfARecording(t *testing.T) {
	rec := recordingOf(t, "portal-chrome.har", HAROptions{Host: "Stats.example.org:443"})
	if rec.Host != "stats.example.org" || len(rec.Fan.Requests) != 2 || rec.Left.OtherHosts[0] != (HostCount{"portal.trustline.example", 33}) {
		t.Errorf("%s, %d requests, %v", rec.Host, len(rec.Fan.Requests), rec.Left.OtherHosts)
	}
	if rec = recordingOf(t, "portal-chrome.har", HAROptions{Host: "portal.example.com"}); rec.Host != "portal.trustline.example" {
		t.Error(rec.Host)
	}
}

// A recording that begins at another host, to log in, is of the host that is served.
func TestServedHostOfARecording(t *testing.T) {
	login := strings.ReplaceAll(entryOf(``), "https://a.example/", "https://login.example/")
	data := strings.ReplaceAll(strings.ReplaceAll(entryOf(``), "https://a.example/", "https://api.example/v1"), "text/html", "application/json")
	for _, tt := range []struct{ serves, want string }{
		{"", "login.example"}, {"a.example", "a.example"}, {"api.example", "api.example"}, {"other.example", "login.example"},
	} {
		asked := 0
		rec, err := ReadHAR(strings.NewReader(harOf(login, login, data, entryOf(``), data)), HAROptions{Name: "x", Serves: func(host string) bool {
			asked++
			return host == tt.serves
		}})
		if err != nil {
			t.Fatal(err)
		}
		if rec.Host != tt.want || asked != 3 {
			t.Errorf("serves %q: recorded of %s, asked %d times", tt.serves, rec.Host, asked)
		}
	}
}

// Arguments that are credentials stand for themselves no more; all others do.
func TestSecretArguments(t *testing.T) {
	url := strings.Replace(entryOf(``), "https://a.example/", "https://a.example/x?id=5&token=SECRET&q={n}&Access_Token=SECRET&sig=&key=7&jwt", 1)
	rec, err := ReadHAR(strings.NewReader(harOf(url)), HAROptions{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "/x?id=5&token=recorded-1-{client}&q=%7Bn%7D&Access_Token=recorded-2-{client}&sig=&key=7&jwt"
	if got := rec.Fan.Requests[0].Path; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The first request of a page waits for the page before, even where a script of that one led to it, but for a redirect.
func TestNextPage(t *testing.T) {
	at := func(second int, url, more string) string {
		text := strings.Replace(entryOf(more), "https://a.example/", "https://a.example/"+url, 1)
		return strings.Replace(text, "08:00:00.000Z", fmt.Sprintf("08:00:%02d.000Z", second), 1)
	}
	next := strings.Replace(at(30, "next", `"_initiator": {"type": "script", "stack": {"callFrames": [{"url": "https://a.example/app.js"}]}},`), `"pageref": "p"`, `"pageref": "q"`, 1)
	rec, err := ReadHAR(strings.NewReader(harOf(at(0, "", ``), at(1, "app.js", `"_resourceType": "script",`), at(2, "late", ``), next)), HAROptions{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if on := rec.Fan.Requests[3].DependsOn; on == nil || *on != 2 || rec.Links.Pages != 1 {
		t.Errorf("waits for %v, %+v", on, rec.Links)
	}
}

// No secret of a recording is in what is made of it, whatever the caller asks for.
func TestNoSecrets(t *testing.T) {
	for _, o := range []HAROptions{
		{},
		{Header: func(string) Keep { return Presence }, Cookie: func(string) bool { return true }},
		{Header: func(name string) Keep {
			if strings.EqualFold(name, "x-api-key") {
				return Presence
			}
			return Content
		}},
	} {
		rec := recordingOf(t, "portal-chrome.har", o)
		text, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(string(text), "SECRET"); at >= 0 {
			t.Errorf("...%s...", text[max(0, at-40):at+20])
		}
	}
}

// What stands for a recorded value is the same for the same value, and another for each client.
func TestHeadersOfARecording(t *testing.T) {
	rec := recordingOf(t, "portal-chrome.har", HAROptions{
		Header: func(name string) Keep {
			switch strings.ToLower(name) {
			case "user-agent":
				return Content
			case "x-api-key", "authorization":
				return Presence
			}
			return Nothing
		},
		Cookie: func(name string) bool { return name == "sid" },
	})
	const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36"
	want := []request.Header{
		{Name: "cookie", Value: "sid=recorded-1-{client}"},
		{Name: "user-agent", Value: agent},
		{Name: "authorization", Value: "recorded-2-{client}"},
		{Name: "x-api-key", Value: "recorded-3-{client}"},
	}
	for _, at := range []int{8, 19} {
		if diff := cmp.Diff(want, rec.Fan.Requests[at].Headers); diff != "" {
			t.Error(rec.Fan.Requests[at].Path, diff)
		}
	}
	if diff := cmp.Diff(want[:2], rec.Fan.Requests[0].Headers); diff != "" {
		t.Error(diff)
	}
}

const entryTime = `"startedDateTime": "2026-03-02T08:00:00.000Z"`

// entryOf is an entry on a line of its own, with more members in front.
func entryOf(members string) string {
	return "\n{" + members + `"pageref": "p", ` + entryTime + `, "time": 10, "request": {"method": "GET", "url": "https://a.example/", "httpVersion": "h2", "headers": []},` +
		`"response": {"status": 200, "content": {"mimeType": "text/html"}}, "timings": {"send": 0, "wait": 10, "receive": 0}}`
}

func harOf(entries ...string) string {
	return `{"log": {"version": "1.2", "creator": {"name": "test"}, "pages": [{"id": "p"}], "entries": [` + strings.Join(entries, ",") + `]}}`
}

func TestReadHARRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, `1:1: the file is empty`},
		{" \n", `2:1: the file is empty`},
		{`[]`, `1:1: no HAR: it does not begin with {`},
		{`GET / HTTP/1.1`, `1:1: no HAR: it does not begin with {`},
		{`{}`, `1:1: no HAR: it has no log`},
		{`{"log": []}`, `1:9: log: a list where an object is expected`},
		{`{"log": {}}`, `1:1: no HAR: its log has no version`},
		{`{"log": {"version": "1.2", "entries": []}}`, `1:1: the recording has no entries`},
		{`{"log": {"version": "1.2"}}`, `1:1: the recording has no entries`},
		{`{"log": {"version": "1.1"}}`, `1:21: log.version: version "1.1" of HAR is not read, only 1.2`},
		{`{"log": {"version": 1.2}}`, `1:21: log.version: version "" of HAR is not read, only 1.2`},
		{`{"requests": [{"path": "/"}]}`, `1:1: no HAR: it has no log`},
		{harOf(entryOf(``))[:100], `2:8: log.entries[0]: not valid JSON: it ends too early`},
		{harOf(entryOf(``))[:300], `2:208: log.entries[0].response: not valid JSON: it ends too early`},
		{harOf(entryOf(``)) + "x", `2:290: not valid JSON: something follows the last bracket`},
		{harOf(entryOf(`"a": tru,`)), `2:10: log.entries[0].a: not valid JSON: ',' where true is expected`},
		{harOf(entryOf(`"a": "` + "\x01" + `",`)), `2:8: log.entries[0].a: not valid JSON: a control character in a string`},
		{harOf(entryOf(`"a": [1, {"b": [2}], `)), `2:19: log.entries[0].a: not valid JSON: '}' where another bracket is expected`},
		{harOf(entryOf(`"a": ` + strings.Repeat("[", 10_001))), `2:10007: log.entries[0].a: nested deeper than 10000`},
		{harOf(entryOf(`1: 2`)), `2:2: log.entries[0]: not valid JSON: '1' where a name in quotes is expected`},
		{harOf(`7`), `1:93: log.entries[0]: a number where an object is expected`},
		{harOf(entryOf(``), entryOf(`"startedDateTime": "soon",`)), `3:21: log.entries[1].startedDateTime: "soon" is no time such as 2026-03-02T08:59:58.120Z`},
		{harOf(strings.Replace(entryOf(``), entryTime, `"a": 1`, 1)), `2:1: log.entries[0]: startedDateTime is missing`},
		{harOf(strings.Replace(entryOf(``), `"wait": 10`, `"wait": -7`, 1)), `2:269: log.entries[0].timings.wait: -7 ms is a negative time`},
		{harOf(strings.Replace(entryOf(``), `"time": 10`, `"time": -1.5`, 1)), `2:73: log.entries[0].time: -1.5 ms is a negative time`},
		{harOf(strings.Replace(entryOf(``), `"time": 10`, `"time": 1e12`, 1)), `2:73: log.entries[0].time: 1e+12 ms is longer than a day`},
		{harOf(strings.Replace(entryOf(``), `"time": 10`, `"time": 1-2`, 1)), `2:73: log.entries[0].time: not valid JSON: "1-2" is no number`},
		{harOf(strings.Replace(entryOf(``), `"url": "https://a.example/", `, ``, 1)), `2:1: log.entries[0]: request.url is missing`},
		{harOf(strings.Replace(entryOf(``), `https://a.example/`, `https://user:SECRET@/`, 1)), `2:113: log.entries[0].request.url: no server can be asked for this URL`},
		{harOf(strings.Replace(entryOf(``), `https://a.example/`, `data:,x`, 1)), `1:1: no request of the recording asked a server`},
		{harOf(strings.Replace(entryOf(``), `"status": 200`, `"status": 0`, 1)), `1:1: no request of the recording reached "a.example"`},
		{
			strings.Replace(harOf(entryOf(``)), `{"id": "p"}`, `{"id": "p"}, {"id": "p"}`, 1),
			`1:87: log.pages[1].id: "p" is the id of another page already`,
		},
		{
			harOf(entryOf(``), strings.Replace(entryOf(``), "2026-03-02T08", "2026-03-04T08", 1)),
			`3:1: log.entries[1]: it begins more than a day after what it waits for`,
		},
	} {
		_, err := ReadHAR(strings.NewReader(tt.text), HAROptions{Name: "x"})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.60s:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Every place where a recording may be cut short is an error with a place, and never a shorter fan.
func TestCutShort(t *testing.T) {
	whole := harOf(entryOf(`"x": {"a": [true, null, "\u00e9\\"]},`), entryOf(``))
	for i := range whole {
		_, err := ReadHAR(strings.NewReader(whole[:i]), HAROptions{Name: "x"})
		if at, ok := errors.AsType[*FileError](err); !ok || at.Line < 1 || at.Column < 1 {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := ReadHAR(strings.NewReader("\ufeff"+whole), HAROptions{Name: "x"}); err != nil {
		t.Error(err)
	}
	cable := errors.New("cable cut")
	if _, err := ReadHAR(errReader{cable}, HAROptions{}); !errors.Is(err, cable) {
		t.Error(err)
	}
	if _, err := ReadHAR(io.MultiReader(strings.NewReader(whole[:150]), errReader{cable}), HAROptions{}); !errors.Is(err, cable) {
		t.Error(err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// Which entries reached the server, as different browsers tell it.
func TestWhatReachedTheServer(t *testing.T) {
	const u = `https://a.example/x.js`
	entry := func(before, status, response string) string {
		return fmt.Sprintf(`{%s"pageref": "p", %s, "request": {"method": "GET", "url": %q},`+
			`"response": {"status": %s, "content": {"mimeType": "text/javascript"}%s}, "timings": {"wait": 5}}`, before, entryTime, u, status, response)
	}
	for _, tt := range []struct {
		name, creator, entry string
		want                 LeftOut
	}{
		{"plain", "x", entry(``, `200`, ``), LeftOut{}},
		{"validated again", "x", entry(``, `304`, `, "_transferSize": 120`), LeftOut{}},
		{"validated again, no size", "x", entry(``, `304`, `, "_transferSize": 0`), LeftOut{}},
		{"Chrome, memory", "WebInspector", entry(`"_fromCache": "memory",`, `200`, `, "_transferSize": 0`), LeftOut{Cached: 1}},
		{"Chrome, 304 from its cache", "WebInspector", entry(`"_fromCache": "disk",`, `304`, ``), LeftOut{Cached: 1}},
		{"Chrome, nothing came", "WebInspector", entry(``, `200`, `, "_transferSize": 0`), LeftOut{Cached: 1}},
		{"service worker", "WebInspector", entry(``, `200`, `, "_transferSize": 0, "_fetchedViaServiceWorker": true`), LeftOut{Cached: 1}},
		{"its own redirect", "WebInspector", entry(``, `307`, `, "_transferSize": 0, "redirectURL": "https://a.example/"`), LeftOut{Cached: 1}},
		{"preflight", "WebInspector", strings.Replace(entry(``, `204`, `, "_transferSize": 0`), `"GET"`, `"OPTIONS"`, 1), LeftOut{}},
		{"WebSocket", "WebInspector", entry(`"_resourceType": "websocket",`, `101`, `, "_transferSize": 0`), LeftOut{}},
		{"Firefox", "Firefox", entry(`"cache": {"afterRequest": null},`, `200`, ``), LeftOut{Cached: 1}},
		{"Firefox, network", "Firefox", entry(`"cache": {},`, `200`, ``), LeftOut{}},
		{"another tool, stored by a cache", "proxy", entry(`"cache": {"afterRequest": {"hitCount": 0}},`, `200`, ``), LeftOut{}},
		{"Safari, disk", "WebKit Web Inspector", entry(`"_fetchType": "Disk Cache",`, `200`, ``), LeftOut{Cached: 1}},
		{"Safari, network", "WebKit Web Inspector", entry(`"_fetchType": "Network Load",`, `200`, ``), LeftOut{}},
		{"given up", "x", entry(``, `0`, ``), LeftOut{Unanswered: 1}},
		{"given up, Playwright", "x", entry(``, `-1`, ``), LeftOut{Unanswered: 1}},
		{"data", "x", strings.Replace(entry(``, `200`, ``), u, "data:text/plain,x", 1), LeftOut{Local: 1}},
		{"extension", "x", strings.Replace(entry(``, `200`, ``), u, "chrome-extension://abc/x.js", 1), LeftOut{Local: 1}},
		{"other host", "x", strings.Replace(entry(``, `200`, ``), u, "https://b.example/x.js", 1), LeftOut{OtherHosts: []HostCount{{"b.example", 1}}}},
		{"its port written", "x", strings.Replace(entry(``, `200`, ``), u, "https://A.example:443/x.js", 1), LeftOut{}},
		{"other port", "x", strings.Replace(entry(``, `200`, ``), u, "https://a.example:8443/x.js", 1), LeftOut{OtherHosts: []HostCount{{"a.example:8443", 1}}}},
		{"http", "x", strings.Replace(entry(``, `301`, ``), u, "http://a.example/", 1), LeftOut{OtherScheme: 1}},
		{"long path", "x", strings.Replace(entry(``, `414`, ``), u, "https://a.example/"+strings.Repeat("x", maxFanPath), 1), LeftOut{TooLong: 1}},
		{"path beyond all bounds", "x", strings.Replace(entry(``, `414`, ``), u, "https://a.example/"+strings.Repeat("x", 3*longestTarget), 1), LeftOut{TooLong: 1}},
	} {
		text := strings.Replace(harOf(entryOf(``), tt.entry), `"test"`, fmt.Sprintf("%q", tt.creator), 1)
		rec, err := ReadHAR(strings.NewReader(text), HAROptions{Name: "x"})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, rec.Left); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// The order in which an exporter writes its entries means nothing.
func TestOrderOfEntries(t *testing.T) {
	entries := make([]string, 12)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"pageref": "p", "startedDateTime": "2026-03-02T08:00:%02d.000Z", "request": {"url": "https://a.example/%d"},`+
			`"response": {"status": 200, "content": {"mimeType": "application/json"}}, "timings": {"wait": %d}}`, i, i, 100*i)
	}
	first, err := ReadHAR(strings.NewReader(harOf(entries...)), HAROptions{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		got, err := ReadHAR(strings.NewReader(harOf(rapid.Permutation(entries).Draw(t, "order")...)), HAROptions{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
