package replay

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/model/traffic"
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
	switch {
	case traffic.IsStaticFile(lower):
		return static
	case strings.Contains(lower, "/api/") || strings.Contains(lower, "/graphql") || strings.Contains(lower, "/wp-json/") || strings.Contains(lower, "/rest/"):
		return api
	case method == "GET" || method == "":
		return document
	}
	return other
}
