package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

var update = flag.Bool("update", false, "rewrite the golden files; commit only what you understand")

const confText = `limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;

server {
	server_name portal.example;  # портал 😀
	location / {
		limit_req zone=per_ip burst=10;
	}
}
`

var testRules = []*rule.Rule{
	{
		Name: "missing-nodelay", Summary: "a burst that is paid out slowly", Severity: rule.Warning, Confidence: rule.High, Since: "0.1.0",
		Why: "People wait.\n\nSecond paragraph.", Bad: "limit_req zone=a burst=5;", Good: "limit_req zone=a burst=5 nodelay;",
		Links: []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html"},
	},
	{Name: "syntax", Summary: "a place that nginx cannot read", Severity: rule.Error, Confidence: rule.High, Why: "It stops."},
	{Name: "zone-note", Summary: "worth knowing", Severity: rule.Note, Confidence: rule.Low, Why: "So it is."},
}

// spanOf returns the span of the first occurrence of text.
func spanOf(t testing.TB, f *source.File, text string) source.Span {
	t.Helper()
	i := strings.Index(f.Text, text)
	if i < 0 {
		t.Fatalf("no %q in %s", text, f.Path)
	}
	return source.Span{File: f, Start: uint32(i), End: uint32(i + len(text))}
}

// testReport has one finding of each kind, among them one in a file that means harm.
func testReport(t testing.TB) *Report {
	t.Helper()
	conf := &source.File{Path: "/etc/nginx/conf.d/portal.conf", Text: confText, Disk: "/srv/site/conf.d/portal.conf"}
	evil := &source.File{
		Path: "/etc/nginx/evil\x1b[31m.conf",
		Text: "::error::boom\n" + strings.Repeat("x ", 80) + "limit_req zone=\x1b]0;title\x07\xff\u202e burst=1;" + strings.Repeat(" y", 80) + "\n",
	}
	zone := spanOf(t, conf, "rate=5r/s")
	burst := spanOf(t, conf, "burst=10")
	insert := source.Span{File: conf, Start: burst.End, End: burst.End}
	noLimit := simulate.LocationStat{Server: "portal.example", Location: "= /login", Limited: true}
	root := simulate.LocationStat{
		Server: "portal.example", Location: "/", Limited: true, Requests: 23, Passed: 1, Delayed: 10, Rejected: 12,
		AddedMs: simulate.Quantiles{P50: 900, P95: 1990, P99: 1990, Max: 2000},
	}
	return &Report{
		Version: "0.1.0",
		Inputs:  []Input{{"-", "dump", 3, true, false}, {"conf.d", "fragment", 1, false, false}},
		Rules:   testRules,
		Findings: []rule.Finding{
			{
				Rule: testRules[0], Severity: rule.Warning, Confidence: rule.High, Places: 3,
				Message: "the last of 10 queued requests waits 2 s", Primary: burst,
				Related:  []rule.Label{{Span: zone, Message: "5 requests a second"}},
				Context:  []string{"http", "server portal.example", "location /"},
				Evidence: map[string]any{"longest_delay_ms": int64(2000), "burst": int64(10), "rate_milli": int64(5000), "page_refused": int64(12), "zone": "per_ip"},
				Fix:      &rule.Fix{Title: "add nodelay", Edits: []source.Edit{{Span: insert, Text: " nodelay"}}}, Fingerprint: "f1",
			},
			{
				Rule: testRules[1], Severity: rule.Error, Confidence: rule.High, Places: 1,
				Message: "unexpected \"}\" in [0-9](1)\x1b[2J", Primary: spanOf(t, evil, "zone=\x1b]0;title\x07\xff\u202e"), Fingerprint: "f2",
			},
			{
				Rule: testRules[2], Severity: rule.Note, Confidence: rule.Low, Places: 1, Context: []string{"http"},
				Message: "50% of keys, perhaps", Primary: spanOf(t, conf, "# портал 😀"), Fingerprint: "f3",
			},
		},
		Suppressed: 2,
		Pages: []Page{{Input: "-", Server: &config.Server{Names: []*config.Name{{Text: "portal.example"}}}, Page: simulate.Page{
			Fan: "portal", Clients: 29,
			One:       simulate.PageRun{Requests: 23, Delayed: 10, Rejected: 12, MaxAddedMs: 2000, Stat: simulate.PageStat{Pages: 1, BrokenPages: 1, UnlimitedMs: simulate.Quantiles{P50: 310}}},
			Office:    simulate.PageRun{Requests: 667, Delayed: 290, Rejected: 340, MaxAddedMs: 2000, Stat: simulate.PageStat{Pages: 29, BrokenPages: 29}},
			Locations: []simulate.PageLocation{{One: noLimit, Office: noLimit}, {One: root, Office: root}},
		}}},
	}
}

var testOptions = Options{Dir: "/srv/site", MapPath: map[string]string{"/etc/nginx": "conf"}}

func render(t testing.TB, format string, r *Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the report's files lie at paths of unix")
	}
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) { golden(t, format, render(t, format, testReport(t), testOptions)) })
	}
	t.Run("colour", func(t *testing.T) {
		o := testOptions
		o.Color = true
		golden(t, "colour", render(t, "text", testReport(t), o))
	})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// No byte of a configuration may act on a terminal or on a build log, in any format.
func TestNothingHostileGetsOut(t *testing.T) {
	for _, format := range Formats() {
		out := render(t, format, testReport(t), testOptions)
		for i, r := range out {
			if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' {
				t.Errorf("%s: control character %q in %q", format, r, out[max(0, i-20):min(len(out), i+20)])
			}
		}
		if format == "github" {
			continue
		}
		for line := range strings.Lines(out) {
			if strings.HasPrefix(strings.TrimLeft(line, " \t"), "::error") {
				t.Errorf("%s: a line is a workflow command: %q", format, line)
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, "yaml", testReport(t), Options{})
	if want := `unknown format "yaml": want text, json, sarif, github, gitlab, markdown, checkstyle, junit`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A full disk, or a reader that went away, is an error of every format.
func TestWriteError(t *testing.T) {
	for _, format := range Formats() {
		if err := Write(brokenWriter{}, format, testReport(t), testOptions); err == nil {
			t.Errorf("%s hides that nothing was written", format)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

// An empty report is whole in every format: arrays, not null.
func TestEmptyReport(t *testing.T) {
	out := render(t, "json", &Report{Version: "1"}, Options{})
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"inputs", "findings", "pages"} {
		if _, ok := got[key].([]any); !ok {
			t.Errorf("%s is %v", key, got[key])
		}
	}
	for _, format := range Formats() {
		render(t, format, &Report{Version: "1"}, Options{})
	}
}

func TestPlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the files lie at paths of unix")
	}
	o := Options{Dir: "/srv/site", MapPath: map[string]string{"/etc/nginx": "conf", "/etc/nginx/sites-enabled/": "sites"}}
	for _, tt := range []struct{ path, disk, want string }{
		{"/etc/nginx/nginx.conf", "", "conf/nginx.conf"},
		{"/etc/nginx/sites-enabled/a", "", "sites/a"},
		{"/etc/nginx2/nginx.conf", "", "/etc/nginx2/nginx.conf"},
		{"/etc/nginx", "", "conf"},
		{"/etc/nginx/a.conf", "/srv/site/x/a.conf", "x/a.conf"},
		{"/etc/nginx/a.conf", "/srv/sites/a.conf", "/srv/sites/a.conf"},
		{"a.conf", "a.conf", "a.conf"},
	} {
		if got := o.place(&source.File{Path: tt.path, Disk: tt.disk}); got != tt.want {
			t.Errorf("%s (%s): got %s, want %s", tt.path, tt.disk, got, tt.want)
		}
	}
}

// A format that shows fingerprints is known to: others are not computed any.
func TestShowsFingerprints(t *testing.T) {
	const print = "0123456789abcdef0123456789abcdef"
	r := testReport(t)
	for i := range r.Findings {
		r.Findings[i].Fingerprint = print
	}
	for _, format := range Formats() {
		var b strings.Builder
		if err := Write(&b, format, r, Options{}); err != nil {
			t.Fatal(err)
		}
		if shows := strings.Contains(b.String(), print); shows != ShowsFingerprints(format) {
			t.Errorf("%s shows fingerprints: %t, and is said to: %t", format, shows, ShowsFingerprints(format))
		}
	}
}
