package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// chromium runs the installed browser without a window, and returns what it printed; NGXLIMIT_REQUIRE_CHROMIUM=1 makes a missing
// one a failure.
func chromium(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("NGXLIMIT_REQUIRE_CHROMIUM") != "" {
			t.Fatal("chromium is not installed, and NGXLIMIT_REQUIRE_CHROMIUM is set")
		}
		t.Skip("chromium is not installed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
		"--enable-logging=stderr",
	}, args...)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, said.String())
	}
	return out.String(), said.String()
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// simulateHTML writes the page of a simulation and returns its path.
func simulateHTML(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	var stdout, stderr bytes.Buffer
	if status := Main(append([]string{"simulate", "--format", "html", "--output", path}, args...), strings.NewReader(""), &stdout, &stderr); status != 0 {
		t.Fatalf("simulate %v: exit status %d\n%s", args, status, stderr.String())
	}
	return path
}

// A browser shows the page without a complaint, with the key figures in it, on a desk and on a phone, light and dark.
func TestSimulationPageInBrowser(t *testing.T) {
	fixtures := filepath.Join(nginxtest.Root(t), "fixtures")
	page := simulateHTML(t, filepath.Join(fixtures, "trustline", "before.dump"), "--clients", "29", "--clients-per-address", "29", "--arrival", "every:2")
	dom, said := chromium(t, "--dump-dom", fileURL(page))
	if strings.Contains(said, "CONSOLE") {
		t.Errorf("the browser complains:\n%s", said)
	}
	for _, id := range []string{"now-limited-p95", "now-unlimited-p95", "now-broken", "now-delayed", "now-rejected", "now-longest", "after-limited-p95", "after-broken", "change", "feeling"} {
		if !strings.Contains(dom, fmt.Sprintf("id=%q", id)) {
			t.Errorf("the page has no %s", id)
		}
	}
	for _, s := range []struct {
		name          string
		width, height int
		more          []string
	}{
		{"desk", 1280, 2400, nil},
		{"phone", 500, 2400, nil}, // the narrowest window that the browser opens
		{"dark", 1280, 2400, []string{"--blink-settings=preferredColorScheme=0"}},
	} {
		shot := filepath.Join(t.TempDir(), s.name+".png")
		chromium(t, append(s.more, fmt.Sprintf("--window-size=%d,%d", s.width, s.height), "--screenshot="+shot, fileURL(page))...)
		drawn(t, shot, s.width)
	}
}

// drawn fails where a picture is not as wide as it should be, or shows one colour only.
func drawn(t *testing.T, path string, width int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	if got := picture.Bounds().Dx(); got != width {
		t.Errorf("%s is %d pixels wide, not %d", filepath.Base(path), got, width)
	}
	colours := map[[3]uint32]bool{}
	for y := range picture.Bounds().Dy() {
		for x := 0; x < picture.Bounds().Dx(); x += 7 {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if len(colours) < 20 {
		t.Errorf("%s has %d colours: nothing was drawn", filepath.Base(path), len(colours))
	}
}

// The page holds all that it needs, and nothing in it runs or loads.
func TestSimulationPageIsSelfContained(t *testing.T) {
	fixtures := filepath.Join(nginxtest.Root(t), "fixtures")
	text, err := os.ReadFile(simulateHTML(t, filepath.Join(fixtures, "trustline", "after.dump")))
	if err != nil {
		t.Fatal(err)
	}
	for _, foreign := range []string{"<script", "http://", "https://", "<link", "<img", "@import", "url(", "ZgotmplZ"} {
		if bytes.Contains(text, []byte(foreign)) {
			t.Errorf("the page has %q", foreign)
		}
	}
}

// Names from a hostile configuration or fan are text in the page.
func TestSimulationPageHostile(t *testing.T) {
	dir := t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	fan := filepath.Join(dir, "fan.json")
	const mark = `"><script>alert(1)</script><b onclick='x`
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(conf, `events {}
http {
	limit_req_zone $binary_remote_addr zone='z`+strings.ReplaceAll(mark, "'", `\'`)+`':10m rate=5r/s;
	server {
		listen 80;
		location '/"><script>alert(1)</script>' { limit_req zone='z`+strings.ReplaceAll(mark, "'", `\'`)+`' burst=2; proxy_pass http://127.0.0.1:9; }
	}
}
`)
	write(fan, `{"name": "\"><script>alert(1)</script>", "protocol": "h2", "requests": [
		{"path": "/\"><script>alert(1)</script>", "kind": "html"}, {"path": "/\"><script>alert(1)</script>\u202e", "kind": "api"}]}`)
	text, err := os.ReadFile(simulateHTML(t, conf, "--fan", fan))
	if err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{"<script", "<b onclick", "\u202e"} {
		if bytes.Contains(text, []byte(live)) {
			t.Errorf("the page has %q", live)
		}
	}
	if !bytes.Contains(text, []byte("&lt;script&gt;")) {
		t.Error("the page does not show the names")
	}
}
