package rule_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestMatchFile(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"conf.d/*.conf", "/etc/nginx/conf.d/a.conf", true},
		{"conf.d/*.conf", "conf.d/a.conf", true},
		{"conf.d/*.conf", "/etc/nginx/conf.d/old/a.conf", false},
		{"conf.d/**", "/etc/nginx/conf.d/old/a.conf", true},
		{"**/old/**", "/etc/nginx/conf.d/old/a.conf", true},
		{"/conf.d/*.conf", "/etc/nginx/conf.d/a.conf", false},
		{"/etc/**/a.conf", "/etc/nginx/conf.d/a.conf", true},
		{"/etc/**/a.conf", "/etc/a.conf", true},
		{"a.conf", "/etc/nginx/a.conf", true},
		{"a.conf", "/etc/nginx/ba.conf", false},
		{"./a.conf", "a.conf", false},
		{"[", "a.conf", false},
		{"**", "a", true},
		{"nginx", "/etc/nginx/a.conf", false},
	}
	for _, tt := range tests {
		if got := rule.MatchFile([]string{"x", tt.pattern}, tt.name); got != tt.want {
			t.Errorf("%s, %s: %v", tt.pattern, tt.name, got)
		}
	}
	if !rule.MatchFile(nil, "a") {
		t.Error("without patterns every file is meant")
	}
}

func TestMatchServer(t *testing.T) {
	s := &config.Server{Names: []*config.Name{{Text: "a.Example.com"}, {Text: "*.b.example"}}}
	for pattern, want := range map[string]bool{
		"a.example.com": true, "A.EXAMPLE.COM": true, "*.example.com": true, "*": true, "*.b.example": true, "a*m": true,
		"example.com": false, "b.example": false, "": false, "a.example.com*x": false,
	} {
		if got := rule.MatchServer([]string{pattern}, s); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
	if !rule.MatchServer(nil, nil) || rule.MatchServer([]string{"*"}, nil) {
		t.Error("without patterns every server is meant, with them none that is not there")
	}
}

func TestMatchLocation(t *testing.T) {
	tests := []struct {
		pattern, modifier, path string
		want                    bool
	}{
		{"/api/", "", "/api/", true},
		{"/api/", "", "/api/v1/", true},
		{"/api/", "=", "/api/x", true},
		{"/api/", "~", "/api/", false},
		{"= /login", "=", "/login", true},
		{"/login", "=", "/login", true},
		{"~ \\.php$", "~", "\\.php$", true},
		{"~*", "~*", "x", true},
		{"@back", "@", "back", true},
		{"back", "@", "back", false},
		{"/api", "", "/", false},
	}
	for _, tt := range tests {
		l := &config.Location{Modifier: tt.modifier, Pattern: tt.path}
		if got := rule.MatchLocation([]string{tt.pattern}, l); got != tt.want {
			t.Errorf("%s, %s: %v", tt.pattern, l.Label(), got)
		}
	}
	if rule.MatchLocation([]string{"/"}, nil) || !rule.MatchLocation(nil, nil) {
		t.Error("a pattern does not mean the server itself")
	}
}
