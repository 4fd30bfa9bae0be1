package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
)

// blocks are definitions that the tests of this file follow keys through.
const blocks = `
map $http_x_api_key $customer { default $binary_remote_addr; k1 north; }
map $http_authorization $token { default ""; "~^Bearer (?<t>.+)$" $t; "~*basic (.+)" "b:$1"; }
geo $inside { default 0; 10.0.0.0/8 1; }
map $inside $proxied { default $remote_addr; 1 $http_x_real_ip; }
map $inside $exempt { 0 $binary_remote_addr; 1 ""; }
map $cookie_a $cycle_a { default $cycle_b; }
map $cookie_b $cycle_b { default $cycle_a; x $http_z; }
split_clients $remote_addr $tenth { 10% a; * b; }
map $tenth $by_tenth { a $uri; b ""; }
map $http_x $twice { default 1; }
map $http_y $twice { default $http_user_agent; }
`

func facts(t *testing.T, http string) *rule.Facts {
	t.Helper()
	return rule.NewFacts(ruletest.Resolve(t, "events {}\nhttp {\n"+http+"\n}\n", ""), rule.Settings{})
}

func names(leaves []rule.Leaf) string {
	var all []string
	for _, l := range leaves {
		name := l.Name
		if l.Exempts {
			name += "!"
		}
		if l.Direct() {
			name += "."
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestFlow: "." marks what the key itself names, "!" what decides whether the key is empty.
func TestFlow(t *testing.T) {
	f := facts(t, blocks+`server { set $a $http_q; if ($uri) { set $a "$b-$cookie_c"; } set $b $arg_z; auth_request_set $late $upstream_http_u; location / { set $own x; } }`)
	for _, c := range []struct{ key, texts, chooses string }{
		{"$binary_remote_addr", "binary_remote_addr.", ""},
		{"literal", "", ""},
		{"$binary_remote_addr$uri$binary_remote_addr", "binary_remote_addr. uri.", ""},
		{"$customer", "binary_remote_addr", "http_x_api_key."},
		{"$token", "http_authorization", "http_authorization!."},
		{"$proxied", "remote_addr", "remote_addr."}, // nobody outside comes to the header
		{"$exempt", "binary_remote_addr", "remote_addr!."},
		{"$cycle_a", "http_z", "cookie_a. cookie_b"},
		{"$by_tenth", "uri", "remote_addr!."},
		{"$twice", "http_user_agent", "http_y."}, // the last definition counts
		{"$a", "arg_z cookie_c http_q", ""},
		{"$late", "", ""},
		{"$own", "", ""},
		{"$inside", "", "remote_addr."},
	} {
		template, err := value.Parse(c.key)
		if err != nil {
			t.Fatal(err)
		}
		flow := f.Flow(template)
		if got := names(flow.Texts); got != c.texts {
			t.Errorf("%s: text of %q, want %q", c.key, got, c.texts)
		}
		if got := names(flow.Chooses); got != c.chooses {
			t.Errorf("%s: chosen by %q, want %q", c.key, got, c.chooses)
		}
	}
}

// TestFlowEnds follows keys through thousands of maps that lead to each other and have many entries.
func TestFlowEnds(t *testing.T) {
	var b strings.Builder
	const n = 2000
	for i := range n {
		fmt.Fprintf(&b, "map $m%d $m%d { default $m%d; x $m%d$m%d; ~y $http_h%d; }\n", (i+7)%n, i, (i+1)%n, (i*31)%n, (i*17)%n, i)
	}
	f := facts(t, b.String())
	key, err := value.Parse("$m0")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(f.Flow(key).Texts); got != n {
		t.Errorf("%d headers, want %d", got, n)
	}
	f.Omitted(key)
	f.KeyLength(key)
	f.CountedBy(key)
	f.Possible(key)
}

func TestPossible(t *testing.T) {
	f := facts(t, blocks+`
map $inside $word { 0 no; 1 yes; }
map $inside $part { 1 yes; }
map $http_x $open { a b; }
map $http_x $text { a b; default $http_x; }
`)
	for text, want := range map[string]string{
		"$inside": "0 1", "$word": "no yes", "$part": "yes ", "$open": "b ", "$text": "any", "$http_x": "any", "$tenth": "a b",
		"$scheme": "http https", "x": "x", "$inside$word": "any",
	} {
		template, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values, finite := f.Possible(template)
		got := strings.Join(values, " ")
		if !finite {
			got = "any"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestKeyLength(t *testing.T) {
	f := facts(t, blocks)
	for text, want := range map[string]string{
		"$binary_remote_addr": "4-16", "$remote_addr": "7-39", "k": "1-1", "$customer": "4-16", "$exempt": "4-16", "$tenth": "1-1",
		"$binary_remote_addr$uri": "5-166", "$token": "?", "$unknown": "?",
	} {
		template, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l, known := f.KeyLength(template)
		got := fmt.Sprintf("%d-%d", l.Least, l.Most)
		if !known {
			got = "?"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
