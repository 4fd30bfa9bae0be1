package chain

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

func parse(t testing.TB, text string) Chain {
	t.Helper()
	c, err := Parse(Split(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestThrough has each proxy add the address that it was connected from, behind what the client claims.
func TestThrough(t *testing.T) {
	req := &request.Request{Peer: netip.MustParseAddr("203.0.113.7"), Headers: []request.Header{{Name: "x-forwarded-for", Value: "1.2.3.4"}, {Name: "A", Value: "b"}}}
	Way{Adding(netip.MustParsePrefix("192.0.2.1/32"), "X-Forwarded-For"), Adding(netip.MustParsePrefix("10.0.4.7/22"), "X-Forwarded-For")}.Through(req)
	want := []request.Header{{Name: "A", Value: "b"}, {Name: "X-Forwarded-For", Value: "1.2.3.4, 203.0.113.7, 192.0.2.1"}}
	if req.Peer != netip.MustParseAddr("10.0.4.7") || !slices.Equal(req.Headers, want) {
		t.Errorf("%+v", req)
	}
}

// TestJudge has each way of handing on the client's address read with and without recursion.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		chain, header string
		recursive     bool
		want          string
	}{
		{"alb", "X-Forwarded-For", false, "client, needs alb"},
		{"alb", "X-Forwarded-For", true, "client, needs alb"},
		{"alb", "X-Real-IP", false, "alb, forged, needs alb"}, // it hands on what the client sent
		{"cloudflare,alb", "X-Forwarded-For", false, "cloudflare, needs alb"},
		{"cloudflare,alb", "X-Forwarded-For", true, "client, needs cloudflare alb"},
		{"cloudflare,alb", "CF-Connecting-IP", false, "client, needs alb"},
		{"alb", "CF-Connecting-IP", false, "alb, forged, needs alb"},
		{"cloudflare,alb,nginx", "X-Real-IP", false, "alb, needs nginx"},
		{"cloudflare,alb,nginx", "X-Forwarded-For", true, "client, needs cloudflare alb nginx"},
		{"cloudflare,alb,nginx", "X-Forwarded-For", false, "alb, needs nginx"},
		{"cloudflare,nginx:replaces", "X-Forwarded-For", true, "cloudflare, needs nginx"},
		{"nginx:replaces,nginx", "X-Forwarded-For", true, "client, needs nginx nginx"},
		{"alb,nginx:passes", "X-Forwarded-For", false, "client, needs nginx"},
		{"nginx:passes", "X-Forwarded-For", true, "nginx, forged, needs nginx"},
		{"google", "X-Forwarded-For", false, "google, needs google"},
		{"google", "X-Forwarded-For", true, "client, needs google"},
		{"fastly", "Fastly-Client-IP", false, "client, forged, needs fastly"},
		{"nlb", "proxy_protocol", false, "client, needs nlb"},
		{"nlb", "X-Forwarded-For", false, "nlb, forged, needs nlb"},
		{"cloudflare,nlb", "proxy_protocol", false, "cloudflare, needs nlb"},
		{"cloudflare,nlb", "X-Forwarded-For", false, "client, needs nlb"},
		{"edge:X-Edge-IP=192.0.2.0/24,alb", "x-edge-ip", false, "client, needs alb"},
	} {
		all := parse(t, c.chain)
		o := all.Judge(c.header, c.recursive)
		got := "client"
		if o.Takes >= 0 {
			got = all[o.Takes].Name
		}
		if o.Forged {
			got += ", forged"
		}
		got += ", needs"
		for _, i := range o.Needed {
			got += " " + all[i].Name
		}
		if got != c.want {
			t.Errorf("%s, %s, recursive %v: %s, want %s", c.chain, c.header, c.recursive, got, c.want)
		}
	}
}

// TestSound has the header and the recursion found with which a client can be told.
func TestSound(t *testing.T) {
	for chain, want := range map[string]string{
		"alb":                                "X-Forwarded-For false true",
		"cloudflare":                         "CF-Connecting-IP false true",
		"cloudflare,alb":                     "X-Forwarded-For true true", // everybody may reach alb, with a CF-Connecting-IP of his own
		"fastly,alb":                         "X-Forwarded-For true true",
		"nlb":                                "proxy_protocol false true",
		"alb,alb,alb":                        "X-Forwarded-For true true",
		"cloudflare,traefik":                 "CF-Connecting-IP false true",
		"alb,traefik":                        "X-Real-IP false false",
		"varnish:passes:X-Client-IP,haproxy": "X-Client-IP false true",
		"nginx:passes=10.0.0.1,varnish,alb":  "X-Real-IP false true",
		"varnish:passes,haproxy:passes,nlb":  "X-Real-IP false false",
		"varnish:replaces,haproxy,haproxy":   "X-Forwarded-For true true",
		"haproxy:passes:proxy_protocol,nlb":  "X-Real-IP false false",
		"haproxy:passes,nlb:X-Real-Client-A": "X-Real-IP false false",
	} {
		header, recursive, ok := parse(t, chain).Sound("X-Real-IP", false)
		if got := fmt.Sprint(header, " ", recursive, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", chain, got, want)
		}
	}
}

// TestRead tells each entry's writer, and how far nginx reads.
func TestRead(t *testing.T) {
	c := parse(t, "cloudflare,alb=10.0.0.0/22,nginx=10.9.0.5").Bind(fronts.BuiltIn(), nil)
	ways, said := c.Ways(nil, false)
	if len(ways) != len(fronts.BuiltIn().Find("cloudflare").Networks)-7 || len(said) != 2 {
		t.Errorf("%d ways, %q", len(ways), said)
	}
	cfg := realip.Config{Header: "X-Forwarded-For", Recursive: true, Trusted: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("173.245.48.0/20"),
	}}
	req := request.Request{Peer: netip.MustParseAddr("203.0.113.7"), Headers: []request.Header{{Name: "X-Forwarded-For", Value: "192.0.2.1, ha"}}}
	r := ways[0].Read(cfg, req)
	var got []string
	for _, e := range r.Entries {
		got = append(got, fmt.Sprintf("%s by %d of %d read %v trusted %v taken %v", e.Text, e.By, e.Of, e.Read, e.Trusted, e.Taken))
	}
	want := []string{
		"192.0.2.1 by -1 of -2 read false trusted false taken false",
		"ha by -1 of -2 read false trusted false taken false",
		"203.0.113.7 by 0 of -1 read true trusted false taken true",
		"173.245.48.1 by 1 of 0 read true trusted true taken false",
		"10.0.0.2 by 2 of 1 read true trusted true taken false",
	}
	if !slices.Equal(got, want) || !r.Trusted || r.Of != Client || r.Addr != req.Peer || len(r.Steps) != 3 || r.Steps[1].From.String() != "173.245.48.1" {
		t.Errorf("%s\n%+v", strings.Join(got, "\n"), r)
	}
}

// TestParseRefuses names what is wrong with a chain.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"clodflare":                  `did you mean "cloudflare"?`,
		"cloudflare,,alb":            "a proxy without a name",
		"edge":                       `or edge=NETWORK`,
		"alb=":                       "an empty network",
		"alb=10.0.0.0/33":            `"10.0.0.0/33" is no network`,
		"alb:append":                 `unknown word "append"`,
		"alb:appends:replaces":       "appends and replaces contradict each other",
		"aws":                        `unknown proxy "aws": want alb, nlb, elb or cloudfront`,
		"GKE":                        "google-regional",
		"a b=10.0.0.1":               "is no proxy",
		"=10.0.0.1":                  "is no proxy",
		strings.Repeat("alb,", 30):   "more than 20 proxies",
		"alb:X_Forwarded_For=10.1.1": "unknown word",
	} {
		if _, err := Parse(Split(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestVague holds that what is advised for a vague name exists.
func TestVague(t *testing.T) {
	for name, kinds := range vague {
		if _, err := ParseProxy(name); err == nil {
			t.Errorf("%s is a kind", name)
		}
		for _, word := range strings.FieldsFunc(kinds, func(r rune) bool { return r == ' ' || r == ',' || r == ':' || r == '(' || r == ')' }) {
			_, known := fronts.KindOf(word)
			if known == slices.Contains(strings.Fields("the kind of its ingress or global as an Ingress GKE makes"), word) {
				t.Errorf("%s: advises %q, which is no kind", name, word)
			}
		}
	}
}

// TestReadTwin has the marks of a reading agree with the address that realip finds, for any way and any claims.
func TestReadTwin(t *testing.T) {
	kinds := fronts.Kinds()
	addr := rapid.Custom(func(t *rapid.T) netip.Addr {
		return netip.AddrFrom4([4]byte{10, byte(rapid.IntRange(0, 1).Draw(t, "net")), 0, byte(rapid.IntRange(1, 4).Draw(t, "host"))})
	})
	rapid.Check(t, func(t *rapid.T) {
		var w Way
		for range rapid.IntRange(0, 4).Draw(t, "proxies") {
			k := rapid.SampledFrom(kinds).Draw(t, "kind")
			w = append(w, Hop{Name: k.ID, Node: netip.PrefixFrom(addr.Draw(t, "node"), 24), Headers: k.Headers, Speaks: k.Speaks})
		}
		cfg := realip.Config{
			Header:    rapid.SampledFrom([]string{"X-Forwarded-For", "X-Real-IP", "", "proxy_protocol", "CF-Connecting-IP"}).Draw(t, "header"),
			Recursive: rapid.Bool().Draw(t, "recursive"), Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16")},
		}
		req := request.Request{Peer: addr.Draw(t, "client")}
		for range rapid.IntRange(0, 2).Draw(t, "lines") {
			req.Headers = append(req.Headers, request.Header{
				Name:  rapid.SampledFrom([]string{"x-forwarded-for", "X-Real-IP"}).Draw(t, "name"),
				Value: rapid.SampledFrom([]string{"1.2.3.4", "10.0.0.1, 10.0.0.2", "x", "1.2.3.4,10.0.0.3", ""}).Draw(t, "value"),
			})
		}
		r := w.Read(cfg, req)
		through := req
		w.Through(&through)
		want := realip.Resolve(cfg, realip.Connection{Peer: netip.AddrPortFrom(through.Peer, 0), Proxy: through.Proxy}, through.Headers)
		if r.Addr != want.Addr || r.Trusted != want.Trusted {
			t.Fatalf("%+v, want %+v", r, want)
		}
		taken := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Taken })
		if want.Replaced != (taken >= 0) || taken >= 0 && r.Entries[taken].Addr != want.Addr {
			t.Fatalf("%+v of %+v, want %+v", taken, r.Entries, want)
		}
		for _, e := range r.Entries { // whose an address is said to be, has it
			switch {
			case e.Of >= 0 && e.Addr != w[e.Of].Node.Addr(), e.Of == Client && e.Addr != req.Peer:
				t.Fatalf("%+v on %+v", e, w)
			}
		}
	})
}

// FuzzParse has no text of a chain break anything.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"cloudflare,alb=a.json+10.0.0.0/8,nginx:replaces:X-A=::1", "10.0.0.1/22", "a=1+", "::,:=:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(Split(text))
		if err != nil {
			return
		}
		ways, _ := c.Bind(fronts.BuiltIn(), nil).Ways(nil, true)
		if len(ways) == 0 || len(ways) > maxWays {
			t.Errorf("%d ways", len(ways))
		}
		for _, w := range ways {
			w.Judge("X-Forwarded-For", true)
		}
	})
}

// TestOwnUnknown has said that a balancer adds an address of its own that nobody told.
func TestOwnUnknown(t *testing.T) {
	rule, err := fronts.Read("rules.json", []byte(`[{"name": "web", "IPAddress": "203.0.113.80"}]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string][]*fronts.List{"unknown": nil, "known": {rule.List}} {
		c := parse(t, "google").Bind(fronts.BuiltIn(), given)
		_, said := c.Ways(nil, false)
		told := slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "which has to be trusted as well") })
		if want := given == nil; told != want || c[0].OwnUnknown() != want {
			t.Errorf("%s: %q", name, said)
		}
	}
}
