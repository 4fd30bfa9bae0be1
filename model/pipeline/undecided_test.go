package pipeline

import (
	"slices"
	"strings"
	"testing"
)

// TestUndecided: a regex that PCRE takes and that is not run here is neither a match nor a failure. What hangs on it cannot
// be known; what does not is told as ever.
func TestUndecided(t *testing.T) {
	const zone = `limit_req_zone $k zone=z:1m rate=1r/s;`
	for _, c := range []struct {
		name, conf, host, target string
		ends                     End
		status                   int
		said                     string // by the only assumption
	}{
		{"location", `server { location / { return 200; } location ~ "^/(?R)?b" { return 201; } }`, "h", "/b", EndUnknown, 0, `location ~ ^/(?R)?b: regex "^/(?R)?b": the pattern cannot be run here: it calls a group as a subroutine; whether it matches, and what follows, cannot be known`},
		{"location before", `server { location = /b { return 200; } location ~ ^/b { return 202; } location ~ \X { return 201; } }`, "h", "/b", EndReturn, 200, ""},
		{"regex before", `server { location ~ ^/b { return 202; } location ~ \X { return 201; } }`, "h", "/b", EndReturn, 202, ""},
		{"stopping prefix", `server { location ^~ /b { return 202; } location ~ \X { return 201; } }`, "h", "/b", EndReturn, 202, ""},
		{"name", `server { server_name a; return 200; } server { server_name ~^(?R)?x; return 201; }`, "xy", "/", EndUnknown, 0, "server name: regex"},
		{"exact name", `server { server_name a; return 200; } server { server_name ~^(?R)?x; return 201; }`, "a", "/", EndReturn, 200, ""},
		{"rewrite", `server { rewrite "^/(?R)?b" /x; return 200; }`, "h", "/b", EndUnknown, 0, "rewrite at "},
		{"if", `server { if ($uri ~ "(?R)?b") { return 201; } return 200; }`, "h", "/b", EndUnknown, 0, "if at "},
		{"if that sets", `server { set $k a; if ($uri ~ "(?R)?b") { set $k b; } location / { return 200 $uri; } }`, "h", "/b", EndReturn, 200, "what the variables that it sets hold, cannot be known"},
		{"if that sets in a location", `server { location / { set $k a; if ($uri ~ "(?R)?b") { set $k b; } return 200; } }`, "h", "/b", EndReturn, 200, "cannot be known"},
		{"if that drops try_files", `server { location / { if ($uri ~ "(?R)?b") { set $k b; } try_files /a =404; } }`, "h", "/b", EndUnknown, 0, "if at "},
		{"if that limits", zone + `server { location / { set $k a; if ($uri ~ "(?R)?b") { set $k b; limit_rate 1; } return 200; } }`, "h", "/b", EndUnknown, 0, "if at "},
		{"UTF mode on ASCII", `server { location ~ "(*UTF8)^/b$" { return 201; } }`, "h", "/b", EndReturn, 201, ""},
		{"UTF mode", `server { location ~ "(*UTF8)^/.$" { return 201; } }`, "h", "/%C3%A9", EndUnknown, 0, "matching in UTF mode against bytes beyond ASCII is not done here"},
	} {
		p := pipelineOfText(t, c.conf)
		tr := p.Do(0, get(c.host, c.target))
		said := strings.Join(tr.Assumptions, "\n")
		if tr.EndsIn != c.ends || tr.Status != c.status || (said == "") != (c.said == "") || !strings.Contains(said, c.said) || len(tr.Assumptions) > 1 {
			t.Errorf("%s: ends in %s, %d, %q", c.name, tr.EndsIn, tr.Status, tr.Assumptions)
		}
		if c.ends == EndUnknown && (tr.LimiterRan || len(tr.Limits) > 0) {
			t.Errorf("%s: limits %v", c.name, tr.Limits)
		}
	}
}

// TestUndecidedValues: captures and variables that rest on such a regex are unknown, as a key too.
func TestUndecidedValues(t *testing.T) {
	const reason = `regex "(?R)?(?<n>b)": the pattern cannot be run here: it calls a group as a subroutine`
	for name, conf := range map[string]string{
		"set":            `server { set $k a; if ($uri ~ "(?R)?(?<n>b)") { set $k b; } location / { limit_req zone=z; } }`,
		"capture":        `server { if ($uri ~ "(?R)?(?<n>b)") { set $y b; } set $k $1; location / { limit_req zone=z; } }`,
		"named capture":  `server { if ($uri ~ "(?R)?(?<n>b)") { set $y b; } set $k $n; location / { limit_req zone=z; } }`,
		"map":            `map $uri $k { default ""; "~(?R)?(?<n>b)" x; } server { location / { limit_req zone=z; } }`,
		"map of a map":   `map $uri $j { default ""; "~(?R)?(?<n>b)" x; } map $j $k { default a; x ""; } server { location / { limit_req zone=z; } }`,
		"map's captures": `map $uri $j { default ""; "~(?R)?(?<n>b)" x; } server { set $y $j; set $k $n; location / { limit_req zone=z; } }`,
	} {
		tr := pipelineOfText(t, "limit_req_zone $k zone=z:1m rate=1r/s;\n"+conf).Do(0, get("h", "/b"))
		if len(tr.Limits) != 1 || tr.Limits[0].Key.Reason() != reason {
			t.Errorf("%s: %+v", name, tr.Limits)
		}
		if !slices.Contains(tr.Assumptions, "key $k: "+reason+"; it is taken as one value for all requests") {
			t.Errorf("%s: %q", name, tr.Assumptions)
		}
	}
	// A later match is known again.
	tr := pipelineOfText(t, `limit_req_zone $k zone=z:1m rate=1r/s;
		server { if ($uri ~ "(?R)?(?<n>b)") { set $y b; } if ($uri ~ ^/(.)) { set $k $1; } location / { limit_req zone=z; } }`).Do(0, get("h", "/b"))
	if key, _ := tr.Limits[0].Key.Known(); key != "b" {
		t.Errorf("%+v", tr.Limits)
	}
}
