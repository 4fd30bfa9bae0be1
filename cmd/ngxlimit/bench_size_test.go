package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkLocations holds that check takes time in proportion to its input, however that is cut into lines: for each
// shape the larger of two sizes should cost no more per location than the smaller.
func BenchmarkLocations(b *testing.B) {
	for _, shape := range []struct{ name, between string }{{"one-line", " "}, {"lines", "\n"}} {
		for _, format := range []string{"text", "json", "sarif", "markdown", "github"} {
			for _, n := range []int{2000, 16_000} {
				b.Run(fmt.Sprintf("%s/%s/locations=%d", shape.name, format, n), func(b *testing.B) {
					perPart(b, manyLocations(n, shape.between), n, "check", "--fail-on", never, "--format", format)
				})
			}
		}
	}
}

// BenchmarkEntries is the same for what stands within one block: a map's regexes and keys, a geo's networks, one
// location's limits, and comments that suppress.
func BenchmarkEntries(b *testing.B) {
	for _, of := range []struct {
		name string
		text func(n int) string
	}{
		{"map-regexes", func(n int) string {
			return keyed("map $uri $k {", "}", n, func(i int) string { return fmt.Sprintf(`~^/p%d/[a-z]+$ "";`, i) })
		}},
		{"map-keys", func(n int) string {
			return keyed("map $uri $k {", "}", n, func(i int) string { return fmt.Sprintf("/p%d v%d;", i, i) })
		}},
		{"geo", func(n int) string {
			return keyed("geo $k {", "}", n, func(i int) string { return fmt.Sprintf("10.%d.%d.0/24 %d;", i>>8, i&255, i%7) })
		}},
		{"limits", func(n int) string {
			return "events {}\nhttp {\n" + lines(n, func(i int) string { return fmt.Sprintf("limit_req_zone $binary_remote_addr zone=z%d:1m rate=5r/s;", i) }) +
				"server { location / {\n" + lines(n, func(i int) string { return fmt.Sprintf("limit_req zone=z%d burst=5;", i) }) + "}}}\n"
		}},
		{"comments", func(n int) string {
			return keyed("", "", n, func(int) string { return "# ngxlimit:ignore missing-nodelay meant" })
		}},
	} {
		for _, n := range []int{2000, 16_000} {
			b.Run(fmt.Sprintf("%s/entries=%d", of.name, n), func(b *testing.B) {
				perPart(b, of.text(n), n, "check", "--fail-on", never, "--format", "json")
			})
		}
	}
}

// perPart runs the program over a configuration of n parts and reports the time for each.
func perPart(b *testing.B, text string, n int, args ...string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if status := Main(append(args, path), strings.NewReader(""), io.Discard, io.Discard); status != exitOK {
			b.Fatalf("exit status %d", status)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/part")
}

func manyLocations(n int, between string) string {
	var s strings.Builder
	s.WriteString("events {}\nhttp { limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s; server { listen 80; ")
	for i := range n {
		fmt.Fprintf(&s, "location /l%d { limit_req zone=a burst=5; }%s", i, between)
	}
	s.WriteString("}}\n")
	return s.String()
}

// keyed is a configuration whose limit counts by $k, with n lines that may define it.
func keyed(open, shut string, n int, line func(i int) string) string {
	key := "$k"
	if open == "" {
		key = "$binary_remote_addr"
	}
	return "events {}\nhttp {\n" + open + "\n" + lines(n, line) + shut + "\nlimit_req_zone " + key + " zone=a:10m rate=5r/s;\n" +
		"server { location / { limit_req zone=a burst=5; } }\n}\n"
}

func lines(n int, line func(i int) string) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(line(i) + "\n")
	}
	return s.String()
}
