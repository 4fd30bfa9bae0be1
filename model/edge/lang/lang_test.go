package lang

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// facts are what the documentation says of expressions; where it says so stands in the file.
type facts struct {
	Expressions []struct {
		Expression string
		Request    struct {
			URL, Method string
			ClientIP    string `json:"client_ip"`
			Headers     map[string]string
			Response    struct{ Status int }
		}
		Value bool
	}
	Invalid []struct{ Expression, Why string } `json:"invalid_expressions"`
}

// readFacts reads the copy, and what lies beside the checkout, which may have grown.
func readFacts(t testing.TB) []facts {
	t.Helper()
	own, err := os.ReadFile(filepath.Join("..", "testdata", "cloudflare-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	texts := [][]byte{own}
	if path := filepath.Join(nginxtest.Root(t), "..", "shared", "facts", "cloudflare-vectors.json"); true {
		if shared, err := os.ReadFile(path); err == nil {
			texts = append(texts, shared)
		}
	}
	all := make([]facts, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal(text, &all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestFacts(t *testing.T) {
	for _, f := range readFacts(t) {
		if len(f.Expressions) < 30 || len(f.Invalid) < 7 {
			t.Fatal("the facts are not all there")
		}
		for _, c := range f.Expressions {
			e, err := Parse(c.Expression, nil)
			if err != nil {
				t.Errorf("%s: %v", c.Expression, err)
				continue
			}
			q := edge.Request{Method: c.Request.Method, Client: netip.MustParseAddr(c.Request.ClientIP)}
			q.Scheme, q.Host, q.Target = cutURL(c.Request.URL)
			for name, v := range c.Request.Headers {
				q.Headers = append(q.Headers, request.Header{Name: name, Value: v})
			}
			s := Scope{Request: &q}
			if c.Request.Response.Status != 0 {
				s.Response = &edge.Response{Status: c.Request.Response.Status}
			}
			if got, want := e.Match(&s), truth(e.root.eval(&s)); got != want {
				t.Errorf("%s: compiled %d, evaluated %d", c.Expression, got, want)
			}
			if got := e.Match(&s); (got == True) != c.Value || got == Unknown {
				t.Errorf("%s: %d, want %v", c.Expression, got, c.Value)
			}
		}
		for _, c := range f.Invalid {
			_, err := Parse(c.Expression, nil)
			at, ok := errors.AsType[*Error](err)
			if !ok || at.Start < 0 || at.End < at.Start || at.End > len(c.Expression) {
				t.Errorf("%s: %v, which is no place (%s)", c.Expression, err, c.Why)
			}
		}
	}
}

func cutURL(url string) (scheme, host, target string) {
	scheme, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	return scheme, host, "/" + path
}

// sample is a request with a bit of everything.
func sample() *edge.Request {
	return &edge.Request{
		Client: netip.MustParseAddr("203.0.113.7"), Method: "POST", Scheme: "https", Host: "Shop.Example.com:8443", Protocol: "HTTP/2.0",
		Target: "/a/./b/../C%41%2f//x.PHP?q=John+Doe&x=1&x=2&empty=&flag",
		Headers: []request.Header{
			{Name: "Accept", Value: "a"},
			{Name: "accept", Value: "bB"},
			{Name: "Cookie", Value: "a=1; b=x%20y; a=2"},
			{Name: "User-Agent", Value: "Mozilla"},
			{Name: "X-Empty", Value: ""},
		},
	}
}

func TestMatch(t *testing.T) {
	office, err := ParseList([]byte("203.0.113.0/24 # office\n2001:db8::/32,note\n"))
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Lists: map[string]*List{"office": office}}
	for text, want := range map[string]Truth{
		`http.request.uri.path eq "/a/CA%2F/x.PHP"`:                                                 True,
		`http.request.uri.path.extension == "php"`:                                                  True,
		`http.host eq "shop.example.com"`:                                                           True,
		`http.request.full_uri strict wildcard "https://shop.example.com/a/*"`:                      True,
		`http.request.full_uri wildcard "HTTPS://*?Q=*FLAG"`:                                        True,
		`http.request.version in {"HTTP/2" "HTTP/3"} and ssl`:                                       True,
		`ssl and not cf.client.bot`:                                                                 Unknown,
		`cf.client.bot and http.request.method eq "GET"`:                                            False,
		`http.request.method eq "GET" and cf.client.bot`:                                            False,
		`cf.client.bot or http.request.method eq "POST"`:                                            True,
		`cf.client.bot xor true`:                                                                    Unknown,
		`true ^^ true ^^ true`:                                                                      True,
		`not not ssl && !(false||false)`:                                                            True,
		`ip.src in $office`:                                                                         True,
		`ip.src in $other`:                                                                          Unknown,
		`ip.src in $cf.malware`:                                                                     Unknown,
		`ip.src eq 203.0.113.7 and ip.src ne 203.0.113.8`:                                           True,
		`ip.src in {203.0.113.0..203.0.113.9}`:                                                      True,
		`ip.src in {2001:db8::/32 ::1}`:                                                             False,
		`ip.src.country in {"DE" "FR"}`:                                                             Unknown,
		`ip.src.asnum in {64496..64511 13335}`:                                                      Unknown,
		`cf.some_new.field gt 3 or cf.other eq "x"`:                                                 Unknown,
		`cf.worker.upstream_zone eq ""`:                                                             True,
		`any(http.request.headers["accept"][*] eq "bB")`:                                            True,
		`all(http.request.headers["accept"][*] eq "bB")`:                                            False,
		`any(lower(http.request.headers["accept"][*])[*] contains "bb")`:                            True,
		`any(starts_with(http.request.headers["accept"][*], "b"))`:                                  True,
		`all(http.request.headers["absent"][*] eq "x")`:                                             False,
		`any(http.request.headers.names[*] eq "accept")`:                                            True,
		`any(http.request.headers.names[*] eq "host") and len(http.request.headers["accept"]) eq 2`: True,
		`http.request.headers["accept"][1] eq "bB"`:                                                 True,
		`http.request.headers["accept"][2] ne "bB"`:                                                 False,
		`http.request.headers["x-empty"][0] eq ""`:                                                  True,
		`any(http.request.cookies["a"][*] eq "2") and http.request.cookies["b"][0] eq "x y"`:        True,
		`len(http.request.uri.args["x"]) eq 2 and http.request.uri.args["empty"][0] eq "" and len(http.request.uri.args["flag"]) == 1`: True,
		`any(http.request.uri.args.names[*] eq "flag")`:                                        True,
		`any(http.request.uri.args.values[*] eq "John+Doe")`:                                   True,
		`url_decode(http.request.uri.args["q"][0]) eq "John Doe"`:                              True,
		`concat(http.host, "/", http.request.method) eq "shop.example.com/POST"`:               True,
		`substring(http.user_agent, 0, 3) eq "Moz" and substring(http.user_agent, -2) eq "la"`: True,
		`upper(http.user_agent) eq "MOZILLA" and ends_with(http.user_agent, "la")`:             True,
		`http.referer eq "" and http.cookie contains "b=x"`:                                    True,
		`http.user_agent matches "^M\w+a$" and http.user_agent ~ r"z.l"`:                       True,
		`http.user_agent matches r#"a"b|ill"#`:                                                 True,
		`http.user_agent eq "a\"b\\"`:                                                          False,
		`http.user_agent wildcard "*\\*"`:                                                      False,
		`http.user_agent > "M" and http.user_agent <= "Mozilla"`:                               True,
		`http.request.body.size lt 10`:                                                         True,
		`lookup_json_string(http.request.body.raw, "key", 0) eq "x"`:                           Unknown,
		`http.response.code eq 200`:                                                            False,
		`cidr(ip.src, 24, 64) eq 203.0.113.0 and cidr6(ip.src, 64) eq 203.0.113.7`:             True,
		`decode_base64("eA==") eq "x" and remove_bytes(http.user_agent, "lo") eq "Mzia"`:       True,
		`cf.zone.plan eq "ENT"`:                                                                Unknown,
		`http.request.timestamp.sec gt 5`:                                                      Unknown,
	} {
		e, err := Parse(text, env)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		s := Scope{Request: sample()}
		got := e.Match(&s)
		if got != want || got == Unknown && s.Why() == "" {
			t.Errorf("%s: %d, want %d (%q)", text, got, want, s.Why())
		}
		again, err := Parse(e.root.String(), env)
		if err != nil || again.root.String() != e.root.String() {
			t.Errorf("%s: written as %s, which is not read as the same: %v", text, e.root, err)
		}
	}
}

// TestErrors has each error at the word that is wrong.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, at, says string }{
		{``, "", "empty"},
		{`http.request.uri.pat eq "/"`, "http.request.uri.pat", "did you mean http.request.uri.path?"},
		{`startswith(http.host, "a")`, "startswith", "did you mean starts_with?"},
		{`http.host eq`, "", "a text in quotes"},
		{`http.host eq 5`, "5", "5 is a number"},
		{`http.response.code eq "5"`, `"5"`, "is a text"},
		{`ip.src eq 10.0.0.0/8`, "10.0.0.0/8", "in {10.0.0.0/8}"},
		{`ip.src in {10.0.0.9..10.0.0.1}`, "10.0.0.1", "does not end a range"},
		{`ip.src in {10.0.0.0/99}`, "10.0.0.0/99", "no network"},
		{`http.response.code in {5..1}`, "1", "ends before it begins"},
		{`http.host in {}`, "{", "empty"},
		{`http.host in {"a"`, "{", "not closed"},
		{`http.host eq "a" an http.host eq "b"`, "an", "where and, or, xor or the end is expected"},
		{`http.host eq "a" and`, "", "a field or a function"},
		{`(http.host eq "a"`, "", ") is expected"},
		{`http.host eqq "a"`, "eqq", "did you mean eq?"},
		{`http.host AND ssl`, "AND", "written small: and"},
		{`http.host ends_with "a"`, "ends_with", "is a function"},
		{`ends_with`, "ends_with", "needs its arguments"},
		{`http.request.headers["a"] eq "b"`, "eq", "is an array"},
		{`http.request.headers eq "b"`, "eq", "is a map"},
		{`http.host["a"] eq "b"`, `"a"`, "has no names"},
		{`http.host[0] eq "b"`, `0`, "has no elements"},
		{`ssl eq true`, "eq", "by itself"},
		{`http.host`, "", "a comparison of http.host"},
		{`http.host and ssl`, "and", "a comparison of http.host is expected"},
		{`any(http.host eq "a")`, "any", "goes through an array"},
		{`any(http.request.headers["a"][*] eq "a" or http.request.headers["b"][*] eq "a")`, "[", "one array only"},
		{`starts_with(http.request.headers["a"][*], "b")`, "[", "inside any"},
		{`http.user_agent matches "("`, `"("`, "cannot be run"},
		{`http.user_agent matches "a(?=b)"`, `"a(?=b)"`, "cannot be run"},
		{`ssl and ip.src contains "1"`, "contains", "is for texts"},
		{`http.host wildcard "a**"`, `"a**"`, "two stars"},
		{`http.host eq "a\n"`, `\n`, "unknown escape"},
		{`lower(http.host, "a") eq "b"`, `"a"`, "at most 1"},
		{`substring(http.host) eq "b"`, "substring", "takes 2 arguments"},
		{`len(5) eq 5`, "5", "takes a text or array"},
		{`lower(ip.src) eq "a"`, "ip.src", "is an address"},
		{`uuidv4(cf.random_seed) eq "a"`, "uuidv4", "may not use it"},
		{`http.host eq r#"abc"`, `r#"abc"`, "not closed"},
		{`http.host eq r"`, `r"`, "not closed"},
		{`http.host eq 'a'`, "'", "unexpected"},
		{`$office eq 5`, "$", "behind in only"},
		{`http.host in $office`, "office", "has addresses"},
		{`ip.src in $ office`, "office", "name of a list"},
		{`http.response.code eq 99999999999999999999`, "99999999999999999999", "too large"},
		{strings.Repeat("(", 100) + "ssl" + strings.Repeat(")", 100), "(", "nested more than"},
		{strings.Repeat("not ", 100) + "ssl", "not", "nested more than"},
		{strings.Repeat(" ", longestText+1), " ", "longer than"},
	} {
		office, _ := ParseList([]byte("10.0.0.1"))
		_, err := Parse(c.text, &Env{Lists: map[string]*List{"office": office}})
		at, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%s: %v", snip(c.text), err)
			continue
		}
		if got := c.text[at.Start:at.End]; got != c.at || !strings.Contains(at.Text, c.says) {
			t.Errorf("%s: at %q: %s, want %q at %q", snip(c.text), got, at.Text, c.says, c.at)
		}
	}
}

// TestKeys has keys that differ where the values do.
func TestKeys(t *testing.T) {
	seen := map[string]string{}
	for _, headers := range [][]request.Header{
		nil,
		{{Name: "X-Api-Key", Value: ""}},
		{{Name: "X-Api-Key", Value: "a"}},
		{{Name: "X-Api-Key", Value: "a"}, {Name: "X-Api-Key", Value: ""}},
		{{Name: "X-Api-Key", Value: "ab"}},
		{{Name: "X-Api-Key", Value: "a"}, {Name: "X-Api-Key", Value: "b"}},
		{{Name: "X-Api-Key", Value: "\x00"}},
	} {
		k, err := ParseKey(`http.request.headers["x-api-key"]`, nil)
		if err != nil {
			t.Fatal(err)
		}
		key, ok := k.Append(&Scope{Request: &edge.Request{Headers: headers}}, nil)
		if other, dup := seen[string(key)]; dup || !ok {
			t.Errorf("%v has the key of %s", headers, other)
		}
		seen[string(key)] = fmt.Sprint(headers)
	}
	for _, text := range []string{`ip.src`, `http.host`, `http.request.uri.path`, `http.request.cookies["a"]`, `http.request.uri.args["x"]`, `lower(http.host)`, `cidr6(ip.src, 64)`, `substring(http.request.uri.path, 0, 5)`, `http.request.body.size`} {
		k, err := ParseKey(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if key, ok := k.Append(&Scope{Request: sample()}, nil); !ok || len(key) < 2 {
			t.Errorf("%s: %q, %v", text, key, ok)
		}
	}
	for _, text := range []string{`cf.bot_management.ja3_hash`, `ip.src.country`, `ip.src.asnum`, `lookup_json_string(http.request.body.raw, "user")`, `http.request.body.form["name"]`, `cf.unique_visitor_id`, `lookup_json_string(http.request.jwt.claims["id"][0], "claim")`} {
		s := Scope{Request: sample()}
		if k, err := ParseKey(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if _, ok := k.Append(&s, nil); ok || s.Why() == "" {
			t.Errorf("%s is known", text)
		}
	}
	for _, text := range []string{"", "http.request.headers", `ip.src eq 1.1.1.1`, "ip.sr", `"a"`} {
		if _, err := ParseKey(text, nil); err == nil {
			t.Errorf("%q is no characteristic", text)
		}
	}
}

func TestLists(t *testing.T) {
	for text, ok := range map[string]bool{
		"10.0.0.1\n10.1.0.0/16": true, "13335\n64496\n": true, "a.example\nb.example": true, "": false, "# nothing": false, "10.0.0.1\n13335": false,
		`["10.0.0.1", "10.0.0.2"]`: true, `{"result": [{"id": "x", "ip": "10.0.0.0/8", "comment": "c"}], "success": true}`: true,
		`{"result": [{"asn": 13335}]}`: true, `{"result": [{"hostname": {"url_hostname": "a.example"}}]}`: true, `{"result": [{}]}`: false, `[1`: false, `{"a": 1}`: false,
	} {
		if _, err := ParseList([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, facts := range readFacts(f) {
		for _, c := range facts.Expressions {
			f.Add(c.Expression)
		}
		for _, c := range facts.Invalid {
			f.Add(c.Expression)
		}
	}
	f.Add(`any(lower(http.request.headers["a"][*])[*] in {"a" "b"}) xor ip.src in {::1 10.0.0.0/8 1.1.1.1..1.1.1.9} or r##"x"## eq "y"`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text, nil)
		if err != nil {
			if at, ok := errors.AsType[*Error](err); ok && (at.Start < 0 || at.Start > at.End || at.End > len(text) || at.Text == "") {
				t.Errorf("%q: %+v", text, at)
			}
			return
		}
		for _, u := range e.Uses {
			if u.Start < 0 || u.End > len(text) || u.Start >= u.End {
				t.Errorf("%q: %+v", text, u)
			}
		}
		e.Match(&Scope{Request: sample(), Response: &edge.Response{Status: 200, Known: true}})
		if again, err := Parse(e.root.String(), nil); err == nil && again.root.String() != e.root.String() {
			t.Errorf("%q: %s, then %s", text, e.root, again.root)
		}
	})
}

// TestNoAllocation has matching take no memory.
func TestNoAllocation(t *testing.T) {
	var all []*Expr
	for _, text := range []string{
		`http.request.uri.path wildcard "/A/*" and http.request.method in {"GET" "POST"} and not ip.src in {10.0.0.0/8}`,
		`any(http.request.headers["accept"][*] eq "bB") and len(http.request.uri.args["x"]) eq 2 and http.request.cookies["a"][1] eq "2"`,
		`starts_with(http.request.uri.path, "/a/") and http.user_agent matches "^Mozilla$" and cf.client.bot`,
	} {
		e, err := Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	s := Scope{Request: sample()}
	run := func() {
		for _, e := range all {
			e.Match(&s)
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestFieldsAreListed keeps names that differ only by a dot apart.
func TestFieldsAreListed(t *testing.T) {
	names := fieldNames()
	if len(names) < 80 || !slices.IsSorted(names) {
		t.Errorf("%d fields", len(names))
	}
}

// TestCompiled gives what is compiled and what is evaluated the same answers, whatever is there, missing or unknown.
func TestCompiled(t *testing.T) {
	whole, logged, empty := sample(), sample(), &edge.Request{}
	logged.Sight = &edge.Sight{Headers: []string{"accept"}}
	tests := []string{"true", "false", "ssl", "cf.client.bot", `http.response.code eq 200`}
	for _, v := range []string{
		`http.host`, `lower(http.host)`, `upper(http.user_agent)`, `http.request.uri.path`, `http.request.headers["accept"][0]`, `http.request.headers["accept"][1]`,
		`http.request.headers["none"][0]`, `http.request.cookies["a"][1]`, `http.request.uri.args["x"][2]`, `http.request.version`, `cf.ray_id`,
	} {
		for _, op := range []string{`eq "a"`, `ne "a"`, `lt "b"`, `ge "b"`, `contains "a"`, `matches "^[a-z]+"`, `wildcard "*A*"`, `in {"a" "b"}`, `in {"a" "b" "c" "d" "e" "bB"}`} {
			tests = append(tests, v+" "+op)
		}
		tests = append(tests, `starts_with(`+v+`, "a")`, `ends_with(`+v+`, "e.com")`)
	}
	for _, a := range []string{"accept", "none", "user-agent"} {
		for _, q := range []string{"any", "all"} {
			tests = append(tests, q+`(http.request.headers["`+a+`"][*] eq "a")`, q+`(lower(http.request.headers["`+a+`"][*])[*] contains "b")`)
		}
	}
	n := len(tests)
	for i := range n {
		a, b := tests[i], tests[(i*7+3)%n]
		tests = append(tests, "not "+a, a+" and "+b, a+" or "+b, a+" xor "+b, "not ("+a+" or cf.client.bot) and "+b)
	}
	for _, text := range tests {
		e, err := Parse(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, q := range []*edge.Request{whole, logged, empty} {
			for _, r := range []*edge.Response{nil, {Status: 200}} {
				s := Scope{Request: q, Response: r}
				if got, want := e.Match(&s), truth(e.root.eval(&s)); got != want {
					t.Errorf("%s: compiled %d, evaluated %d", text, got, want)
				}
			}
		}
	}
}
