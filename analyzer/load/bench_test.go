package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dumpOf writes a dump of a main file with as many sites, each with a shared snippet.
func dumpOf(sites int) string {
	var b strings.Builder
	file := func(path, text string) { fmt.Fprintf(&b, "%s%s:\n%s\n", markerHead, path, text) }
	file("/etc/nginx/nginx.conf", "events {}\nhttp {\n    include conf.d/*.conf;\n}\n")
	for i := range sites {
		var site strings.Builder
		fmt.Fprintf(&site, "server {\n    listen 80;\n    server_name s%d.example.com;\n", i)
		for k := range 20 {
			fmt.Fprintf(&site, "    location /path%d/ {\n        include snippets/limits.conf;\n        proxy_pass http://10.0.0.%d;\n    }\n", k, k)
		}
		site.WriteString("}\n")
		file(fmt.Sprintf("/etc/nginx/conf.d/s%05d.conf", i), site.String())
		if i == 0 {
			file("/etc/nginx/snippets/limits.conf", "limit_req zone=a burst=5;\n")
		}
	}
	return b.String()
}

func BenchmarkLoadDump(b *testing.B) {
	for _, sites := range []int{1, 1000} {
		b.Run(fmt.Sprint(sites), func(b *testing.B) {
			text := dumpOf(sites)
			path := filepath.Join(b.TempDir(), "dump.txt")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				inputs, err := Load([]string{path}, Options{})
				if err != nil || !inputs[0].Complete() || len(inputs[0].Documents) != sites+2 {
					b.Fatal(err, inputs)
				}
			}
		})
	}
}
