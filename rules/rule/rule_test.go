package rule_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
)

func TestWords(t *testing.T) {
	tests := []struct{ got, want string }{
		{rule.Duration(0), "0 ms"},
		{rule.Duration(999), "999 ms"},
		{rule.AtMost(0), "0 ms"},
		{rule.AtMost(999), "999 ms"},
		{rule.AtMost(1000), "1 s"},
		{rule.AtMost(1001), "1.01 s"},
		{rule.AtMost(2449), "2.45 s"},
		{rule.AtMost(9999), "10 s"},
		{rule.AtMost(119_991), "2 min"},
		{rule.AtMost(120_481), "2 min 1 s"},
		{rule.AtMost(3_599_001), "1 h"},
		{rule.AtMost(3_600_001), "1 h 1 min"},
		{rule.AtMost(math.MaxInt64), rule.Duration(math.MaxInt64)},
		{rule.Exactly(34), "34 ms"},
		{rule.Exactly(12_049), "12.049 s"},
		{rule.Exactly(62_500), "62.5 s"},
		{rule.Duration(1000), "1 s"},
		{rule.Duration(2449), "2.44 s"},
		{rule.Duration(9999), "9.99 s"},
		{rule.Duration(62_500), "62.5 s"},
		{rule.Duration(600_000), "10 min"},
		{rule.Duration(125_900), "2 min 5 s"},
		{rule.Duration(3_600_000), "1 h"},
		{rule.Duration(12_000_000), "3 h 20 min"},
		{rule.Duration(-1500), "-1.5 s"},
		{rule.Rate(5000), "5r/s"},
		{rule.Rate(166), "0.166r/s"},
		{rule.RateOf(&config.Zone{Rate: 166, PerMinute: 10}), "10r/m"},
		{rule.RateOf(&config.Zone{Rate: 10_000, PerMinute: 600}), "600r/m"},
		{rule.RateOf(&config.Zone{Rate: 5000}), "5r/s"},
		{rule.Milli(1500), "1.5"},
		{rule.Milli(1010), "1.01"},
		{rule.Count(0), "0"},
		{rule.Count(999), "999"},
		{rule.Count(8095), "8,095"},
		{rule.Count(123_456), "123,456"},
		{rule.Count(1_000_000), "1,000,000"},
		{rule.Plural(1, "host", "hosts"), "1 host"},
		{rule.Plural(1200, "host", "hosts"), "1,200 hosts"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

func TestSettingsPrefixes(t *testing.T) {
	s := rule.Settings{Background: []string{"/api/hooks/", "/reports/"}, Interactive: []string{"/api/", "/reports/today"}}
	tests := []struct {
		uri                     string
		background, interactive bool
	}{
		{"/api/hooks/x", true, false}, {"/api/x", false, true}, {"/reports/x", true, false}, {"/reports/today", false, true}, {"/", false, false},
	}
	for _, tt := range tests {
		if b, i := s.IsBackground(tt.uri), s.IsInteractive(tt.uri); b != tt.background || i != tt.interactive {
			t.Errorf("%s: background %v, interactive %v", tt.uri, b, i)
		}
	}
}

const keys = `events {}
http {
    geo $office { default 1; 203.0.113.0/24 0; 81.2.69.0/24 0; }
    geo $literal { default $binary_remote_addr; }
    map $office $visitor { 0 ""; 1 $binary_remote_addr; }
    map $http_user_agent $crawler { default ""; ~*bot $binary_remote_addr; }
    map $request_method $poster { default ""; POST $binary_remote_addr; }
    map $uri $page { default $binary_remote_addr; ~\.css$ ""; }
    map $uri $login { default ""; ~^/login $binary_remote_addr; }
    map "" $never { default ""; }
    map $http_x_api_key $caller { "" $binary_remote_addr; default $http_x_api_key; }
    map $http_x_forwarded_for $forwarded { "" $binary_remote_addr; default $http_x_forwarded_for; }
    map $cookie_session $stranger { "" $binary_remote_addr; default ""; }
    server {
        server_name ~^(?<tenant>.+)\.example\.com$;
        set $flag "";
        listen 80;
    }
}
`

func TestKeys(t *testing.T) {
	facts := rule.NewFacts(ruletest.Resolve(t, keys, ""), rule.Settings{})
	tests := []struct{ key, want string }{
		{"$binary_remote_addr", "pages static address 16"},
		{"$remote_addr", "pages static address 39"},
		{"$binary_remote_addr$request_uri", "pages static address 76"},
		{"$server_name", "pages static constant 20"},
		{"$host", "pages static 20"},
		{"site", "pages static constant 4"},
		{"$http_x_api_key", "pages static 20"},
		{"$cookie_session", "pages static 20"},
		{"$visitor", "pages static address 16"},
		{"$literal", "pages static 19"},
		{"$crawler", "exempt 16"},
		{"$poster", "address 16"},
		{"$page", "pages address 16"},
		{"$login", "pages address 16"},
		{"$never", "exempt never constant 16"},
		{"$caller", "pages static address 16"},
		{"$forwarded", "pages static 16"},
		{"$stranger", "pages static address 16"},
		{"$tenant", "pages static 16"},
		{"$flag", "pages static 16"},
		{"$flag$binary_remote_addr", "pages static address 32"},
		{"$unheard_of", "pages static 20"},
	}
	for _, tt := range tests {
		k := facts.Key(parse(t, tt.key))
		var words []string
		for _, w := range []struct {
			name string
			is   bool
		}{{"exempt", k.Exempt}, {"never", k.Never}, {"pages", k.Pages}, {"static", k.Static}, {"address", k.PerAddress}, {"constant", k.Constant}} {
			if w.is {
				words = append(words, w.name)
			}
		}
		if got := strings.Join(append(words, fmt.Sprint(k.Bytes)), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.key, got, tt.want)
		}
	}
}

// server makes a configuration of one limited location.
func parse(t *testing.T, text string) value.Template {
	t.Helper()
	template, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func server(location, limit string, rate int) string {
	return fmt.Sprintf(`events {}
http {
    limit_req_zone $binary_remote_addr zone=z:10m rate=%dr/s;
    server {
        listen 80;
        location %s { limit_req zone=z %s; proxy_pass http://127.0.0.1:8080; }
    }
}
`, rate, location, limit)
}

// TestEstimate compares the estimate with the simulation that it stands for: whether a page is harmed, and how many of
// its requests are. A delayed request delays what hangs on it, which the estimate leaves out, so the counts are not the same.
func TestEstimate(t *testing.T) {
	for _, rate := range []int{1, 5, 20, 100} {
		for _, burst := range []int{1, 5, 10, 22, 40, 100} {
			for _, mode := range []string{"", " nodelay", " delay=4"} {
				for _, location := range []string{"/", "/api/"} {
					text := server(location, fmt.Sprintf("burst=%d%s", burst, mode), rate)
					facts := rule.NewFacts(ruletest.Resolve(t, text, ""), rule.Settings{ClientsPerAddress: 1})
					place := facts.Places()[1]
					simulated, estimated := facts.Suffered(place), rule.Estimate(facts, place)
					if far(simulated.One.Rejected, estimated.One.Rejected) || far(simulated.One.Delayed+simulated.One.Rejected, estimated.One.Delayed+estimated.One.Rejected) {
						t.Errorf("%s rate=%d burst=%d%s: simulated %+v, estimated %+v", location, rate, burst, mode, simulated.One, estimated.One)
					}
				}
			}
		}
	}
}

// far says whether two counts of a page's requests differ by more than a few.
func far(a, b int) bool { return max(a-b, b-a) > 5 }

// TestManyServers simulates the pages of those that suffer most, and estimates the others.
func TestManyServers(t *testing.T) {
	var b strings.Builder
	b.WriteString("events {}\nhttp {\nlimit_req_zone $binary_remote_addr zone=z:10m rate=5r/s;\n")
	for i := range rule.MaxSimulated + 20 {
		fmt.Fprintf(&b, "server { server_name s%d; location / { limit_req zone=z burst=%d nodelay; proxy_pass http://127.0.0.1:8080; } }\n", i, i/8+1)
	}
	b.WriteString("}\n")
	facts := rule.NewFacts(ruletest.Resolve(t, b.String(), ""), rule.Settings{})
	if n := facts.NotSimulated(); n != 20 {
		t.Errorf("%d servers are not simulated, want 20", n)
	}
	for i, s := range facts.Tree.HTTP.Servers {
		place := rule.Place{Level: &s.Locations[0].Level, Server: s, Location: s.Locations[0]}
		got := facts.Suffered(place)
		if estimated := i >= rule.MaxSimulated; got.Estimated != estimated || facts.Simulated(s) == estimated || (len(facts.Pages(s)) == 0) != estimated {
			t.Errorf("server %d: %+v", i, got)
		}
		if !got.One.Harmed() {
			t.Errorf("server %d: a page of %d requests is not harmed by burst=%d", i, got.One.Requests, i/8+1)
		}
	}
}

func TestPlaces(t *testing.T) {
	text := `events {}
http {
    server {
        server_name a;
        location /a/ { if ($arg_x) { return 400; } location /a/b/ { return 200; } }
        location @c { internal; }
    }
    server { server_name b; return 301 /; location / { } }
}
`
	facts := rule.NewFacts(ruletest.Resolve(t, text, ""), rule.Settings{})
	var got []string
	for _, p := range facts.Places() {
		context := p.Context()
		got = append(got, fmt.Sprintf("%s %v", context[len(context)-1], p.Judges()))
	}
	want := []string{"server a true", "location /a/ true", "if ($arg_x) false", "location /a/b/ false", "location @c false", "server b false", "location / false"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("places %v, want %v", got, want)
	}
}

// TestDeepNesting walks a configuration nested as deep as the reader lets it be.
func TestDeepNesting(t *testing.T) {
	text := "events {}\nhttp { server {" + strings.Repeat("location /a {", 900) + strings.Repeat("}", 900) + "}}\n"
	tree := ruletest.Resolve(t, text, "")
	if n := len(rule.NewFacts(tree, rule.Settings{}).Places()); n < 500 {
		t.Errorf("%d places", n)
	}
}

func TestUse(t *testing.T) {
	tests := []struct {
		label string
		want  rule.Use
	}{
		{"/", rule.ForPages},
		{"/shop/", rule.ForPages},
		{"/api/", rule.ForPages},
		{"= /search", rule.ForPages},
		{"= /login", rule.ForLogin},
		{"= /api/auth/login", rule.ForLogin},
		{"/auth/", rule.ForPages},
		{"~ ^/(wp-login|xmlrpc)\\.php$", rule.ForPrograms},
		{"= /wp-login.php", rule.ForLogin},
		{"= /users/sign_in", rule.ForLogin},
		{"/hooks/", rule.ForPrograms},
		{"/api/export/", rule.ForPrograms},
		{"= /healthz", rule.ForPrograms},
		{"/static/", rule.ForStatic},
		{"~* \\.(css|js|png)$", rule.ForStatic},
		{"^~ /wp-content/", rule.ForStatic},
	}
	for _, tt := range tests {
		modifier, pattern, ok := strings.Cut(tt.label, " ")
		if !ok {
			modifier, pattern = "", tt.label
		}
		l := &config.Location{Modifier: modifier, Pattern: pattern}
		if got := (&rule.Facts{}).Use(rule.Place{Level: &l.Level, Location: l}); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.label, got, tt.want)
		}
	}
}
