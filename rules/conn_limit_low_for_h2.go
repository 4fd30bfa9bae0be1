package rules

import "github.com/ngxlimit/ngxlimit/rules/rule"

// ConnLimitLowForH2 reports limits on connections that refuse requests of one client's page because HTTP/2 sends them all
// at once.
var ConnLimitLowForH2 = register(rule.Rule{
	Name:       "conn-limit-low-for-h2",
	Summary:    "a limit on connections below the streams that one page opens over HTTP/2",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`limit_conn` counts requests that are being answered. Over HTTP/1.1 that is one for each connection, and a browser opens six.\n" +
		"HTTP/2 and HTTP/3 send all requests of a page at once over one connection, and nginx counts each of these streams as a\n" +
		"connection of its own: with `limit_conn addr 5` a page whose scripts make 14 calls at once loses most of them, for a single\n" +
		"visitor. A limit that was right for HTTP/1.1 breaks pages on the day on which `http2` is switched on.\n\n" +
		"Nothing is said where one page passes, of paths that a page does not ask for, of logins and of what programs ask for, nor of a\n" +
		"dry run. Without HTTP/2, conn-limit-low says what the limit does.\n",
	Bad: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;
    limit_conn_status 429;

    server {
        listen 8080 http2;

        location / {
            limit_conn addr 5;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;
    limit_conn_status 429;

    server {
        listen 8080 http2;

        location / {
            limit_conn addr 60;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html",
		"https://nginx.org/en/docs/http/ngx_http_v2_module.html#http2",
	},
	Settings: []string{"background", "fans", "interactive"},
	Check:    func(p *rule.Pass) { checkConnLimit(p, true) },
})
