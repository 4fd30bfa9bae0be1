package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// generated returns a configuration of so many servers, about 1.7 KB each, of the kind that a hosting company has.
func generated(servers int) string {
	var b strings.Builder
	b.WriteString("events {}\nhttp {\n    limit_req_zone $binary_remote_addr zone=all:10m rate=10r/s;\n")
	for i := range servers {
		fmt.Fprintf(&b, "    # customer %d\n    server {\n        listen 443 ssl http2;\n", i)
		fmt.Fprintf(&b, "        server_name www%d.example.com example%d.com;\n        root \"/srv/www/%d/htdocs\";\n", i, i, i)
		for _, l := range []string{"/", "= /login", "~* \\.php$", "^~ /static/", "/api/", "@fallback"} {
			fmt.Fprintf(&b, "        location %s {\n            limit_req zone=all burst=%d nodelay;\n", l, i%50)
			b.WriteString("            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;\n")
			b.WriteString("            proxy_set_header Host $host;\n            proxy_pass http://127.0.0.1:8080;\n")
			b.WriteString("            add_header Cache-Control 'max-age=60, public';  # a minute\n        }\n")
		}
		b.WriteString("        if ($http_user_agent ~* \"bot|spider\") {\n            return 403;\n        }\n    }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, servers := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("servers=%d", servers), func(b *testing.B) {
			text := generated(servers)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if doc := Parse(&source.File{Text: text}); !doc.Complete() {
					b.Fatal(doc.Errors[0].Text)
				}
			}
		})
	}
}

// BenchmarkParseHostile reads texts that would be slow for a reader that looks back or ahead without bound.
func BenchmarkParseHostile(b *testing.B) {
	const size = 1 << 20
	for _, c := range []struct{ name, piece string }{
		{"quotes", `"\`},
		{"nested", "a{"},
		{"strays", "}"},
		{"words", "a "},
		{"one-word", "a"},
		{"comments", "#\n"},
		{"lua-brackets", "\na_by_lua_block{[[[[\n}"},
		{"lua-quotes", "a_by_lua_block{\"\\\"{\\\"{\\\"{"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := strings.Repeat(c.piece, size/len(c.piece))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(&source.File{Text: text})
			}
		})
	}
}
