package replay

import (
	"slices"
	"strings"
)

// A kind is what a request is for, judged by its path alone.
type kind uint8

const (
	other     kind = iota
	document       // a page: no extension, or one of a page's
	static         // a file that a page is made of
	api            // asked for by a page's code
	health         // a probe of a balancer or of an orchestrator
	malformed      // no request line
)

var staticEndings = []string{
	".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".woff", ".woff2", ".ttf", ".otf", ".eot",
	".mp4", ".webm", ".mp3", ".wasm", ".webmanifest",
}

var healthPaths = []string{
	"/health", "/healthz", "/healthcheck", "/health-check", "/livez", "/readyz", "/alive", "/ready", "/ping", "/status", "/up", "/_health", "/elb-status",
	"/nginx_status", "/stub_status", "/actuator/health", "/lb-check", "/heartbeat", "/_status",
}

// kindOf judges a path.
func kindOf(method, path string) kind {
	lower := strings.ToLower(path)
	trimmed := strings.TrimSuffix(lower, "/")
	for _, p := range healthPaths {
		if trimmed == p || strings.HasSuffix(trimmed, p) && strings.Count(trimmed, "/") <= 3 && len(p) > len("/status") {
			return health
		}
	}
	dot := strings.LastIndexByte(lower, '.')
	if dot > strings.LastIndexByte(lower, '/') {
		if slices.Contains(staticEndings, lower[dot:]) {
			return static
		}
	}
	switch {
	case strings.Contains(lower, "/api/") || strings.Contains(lower, "/graphql") || strings.Contains(lower, "/wp-json/") || strings.Contains(lower, "/rest/"):
		return api
	case method == "GET" || method == "":
		return document
	}
	return other
}
