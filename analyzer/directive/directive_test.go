package directive

import (
	"slices"
	"testing"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		name   string
		at     Context
		module string // "" where it may not stand there
	}{
		{"server", HTTP, "ngx_http_core_module"},
		{"server", Upstream, "ngx_http_upstream_module"},
		{"server", Mail, "ngx_mail_core_module"},
		{"server", StreamUpstream, "ngx_stream_upstream_module"},
		{"server", Server, ""},
		{"limit_req", HTTP, "ngx_http_limit_req_module"},
		{"limit_req", Location, "ngx_http_limit_req_module"},
		{"limit_req", LocationIf, ""},
		{"limit_req_zone", HTTP, "ngx_http_limit_req_module"},
		{"limit_req_zone", Server, ""},
		{"include", Upstream, "ngx_conf_module"},
		{"include", Main, "ngx_conf_module"},
		{"return", ServerIf, "ngx_http_rewrite_module"},
		{"more_set_headers", LocationIf, "ngx_http_headers_more_filter_module"},
	} {
		d, ok := Lookup(c.name)
		if !ok {
			t.Errorf("%s is not known", c.name)
			continue
		}
		v, ok := d.In(c.at)
		if ok != (c.module != "") || ok && v.Module != c.module || d.Allowed(c.at) != ok {
			t.Errorf("%s in %s: %v, %v, want module %q", c.name, c.at, v, ok, c.module)
		}
	}
	if d, ok := Lookup("limit_reqs"); ok {
		t.Errorf("limit_reqs is known: %v", d)
	}
}

func TestCheck(t *testing.T) {
	v := func(text string) Version {
		version, err := ParseVersion(text)
		if err != nil {
			t.Fatal(err)
		}
		return version
	}
	for _, c := range []struct {
		name    string
		at      Context
		version Version
		args    int
		block   bool
		want    string
	}{
		{"limit_req", Location, 0, 3, false, ""},
		{"limit_req", Location, 0, 4, false, `invalid number of arguments in "limit_req" directive`},
		{"limit_req", Location, 0, 0, false, `invalid number of arguments in "limit_req" directive`},
		{"limit_req", Main, 0, 4, false, `"limit_req" directive is not allowed here`},
		{"limit_req", Location, 0, 1, true, `directive "limit_req" is not terminated by ";"`},
		{"server", HTTP, 0, 0, false, `directive "server" has no opening "{"`},
		{"server", HTTP, 0, 1, true, `invalid number of arguments in "server" directive`},
		{"server", Upstream, 0, 9, false, ""},
		{"lisen", Server, 0, 1, false, `unknown directive "lisen"`},
		{"anything", Entries, 0, 9, false, ""},
		{"limit_req_dry_run", HTTP, v("1.17.0"), 1, false, `unknown directive "limit_req_dry_run"`},
		{"limit_req_dry_run", HTTP, v("1.17.1"), 1, false, ""},
		{"http2", Server, v("1.22.1"), 1, false, `unknown directive "http2"`},
		{"http2", Server, 0, 1, false, ""},
		{"ssl", Server, v("1.22.1"), 1, false, ""},
		{"ssl", Server, v("1.25.1"), 1, false, `unknown directive "ssl"`},
		{"keepalive", Upstream, v("1.29.6"), 2, false, `invalid number of arguments in "keepalive" directive`},
		{"keepalive", Upstream, v("1.29.7"), 2, false, ""},
		{"keepalive", Upstream, 0, 2, false, ""},
		{"set_real_ip_from", StreamServer, v("1.11.3"), 1, false, `"set_real_ip_from" directive is not allowed here`},
		{"set_real_ip_from", StreamServer, v("1.11.4"), 1, false, ""},
		{"content_by_lua_block", Location, 0, 1, true, ""}, // the code is an argument
	} {
		_, fault := Check(c.name, c.at, c.version, c.args, c.block)
		if got := fault.Text(c.name); got != c.want {
			t.Errorf("%s in %s, version %s, %d arguments, block %v: %q, want %q", c.name, c.at, c.version, c.args, c.block, got, c.want)
		}
	}
}

func TestSince(t *testing.T) {
	for name, want := range map[string]string{
		"limit_req_dry_run": "1.17.1", "limit_conn_dry_run": "1.17.6", "limit_req_status": "1.3.15", "limit_conn_status": "1.3.15",
		"real_ip_recursive": "1.3.0", "ssl_reject_handshake": "1.19.4", "keepalive_time": "1.19.10", "proxy_cookie_flags": "1.19.3",
		"http2": "1.25.1", "http3": "1.25.0", "limit_conn_zone": "1.1.8", "auth_request": "1.5.4", "mirror": "1.13.4", "limit_req": "",
	} {
		d, ok := Lookup(name)
		if !ok {
			t.Errorf("%s is not known", name)
			continue
		}
		for v := range d.Variants {
			if got := v.Since.String(); v.Contexts&AnyHTTP != 0 && got != want {
				t.Errorf("%s came in %q, want %q", name, got, want)
			}
		}
	}
	for _, c := range [][3]string{
		{"limit_req", "delay", "1.15.7"},
		{"limit_req", "burst", ""},
		{"resolver", "ipv4=off", "1.23.1"},
		{"listen", "quic", "1.25.0"},
		{"listen", "proxy_protocol", "1.5.12"},
	} {
		if got := ParameterSince(c[0], c[1]).String(); got != c[2] {
			t.Errorf("parameter %s of %s came in %q, want %q", c[1], c[0], got, c[2])
		}
	}
	for name, want := range map[string]string{"limit_req_status": "1.17.6", "realip_remote_addr": "1.9.7", "request_uri": ""} {
		if got := VariableSince(name).String(); got != want {
			t.Errorf("$%s came in %q, want %q", name, got, want)
		}
	}
}

func TestWarning(t *testing.T) {
	for _, c := range []struct {
		name, version, want string
	}{
		{"ssl", "1.14.2", ""},
		{"ssl", "1.22.1", `the "ssl" directive is deprecated, use the "listen ... ssl" directive instead`},
		{"http2_max_requests", "1.22.1", `the "http2_max_requests" directive is obsolete, use the "keepalive_requests" directive instead`},
		{"http2_push", "1.25.1", `the "http2_push" directive is obsolete, ignored`},
		{"http2_push", "1.22.1", ""},
		{"limit_req", "1.22.1", ""},
	} {
		version, err := ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		v, fault := Check(c.name, Server, version, 1, false)
		if fault != OK || v.Warning(version) != c.want {
			t.Errorf("%s in %s: %v, want %q", c.name, c.version, v, c.want)
		}
	}
}

// TestTables: the variants of a name stand together, and nginx's own modules never contend for a place.
func TestTables(t *testing.T) {
	for _, list := range [][]Variant{table, extra} {
		if !slices.IsSortedFunc(list, func(a, b Variant) int {
			switch {
			case a.Name < b.Name:
				return -1
			case a.Name > b.Name:
				return 1
			}
			return 0
		}) {
			t.Error("a table is not sorted by name")
		}
		for i := range list {
			v := &list[i]
			if v.Contexts == 0 || v.Args == 0 || v.Module == "" {
				t.Errorf("%s of %s lacks places or arguments", v.Name, v.Module)
			}
			if (v.Kind == Enum || v.Kind == Bitmask) != (len(v.Words) > 0) {
				t.Errorf("%s: kind %d with words %q", v.Name, v.Kind, v.Words)
			}
			if v.Gone != 0 && v.Gone <= v.Since || v.Old != 0 && v.Old < v.Since {
				t.Errorf("%s: since %s, warns %s, gone %s", v.Name, v.Since, v.Old, v.Gone)
			}
		}
	}
	for i := range table {
		for k := i + 1; k < len(table) && table[k].Name == table[i].Name; k++ {
			if table[i].Contexts&table[k].Contexts != 0 {
				t.Errorf("%s: %s and %s share a place", table[i].Name, table[i].Module, table[k].Module)
			}
		}
	}
	for i := range extra {
		v := &extra[i]
		for j := range table {
			own := &table[j]
			overlap := own.Name == v.Name && own.Contexts&v.Contexts != 0
			if overlap && (own.Gone == 0 || v.Since < own.Gone) && v.Origin == Nginx {
				t.Errorf("%s of %s is in both tables at once", v.Name, v.Module)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		blocks []string
		want   Context
	}{
		{nil, Main},
		{[]string{"main"}, Main},
		{[]string{"http"}, HTTP},
		{[]string{"main", "http"}, HTTP},
		{[]string{"http", "server", "location", "location", "if"}, LocationIf},
		{[]string{"http", "server", "if"}, ServerIf},
		{[]string{"http", "upstream"}, Upstream},
		{[]string{"http", "server", "location", "limit_except"}, LimitExcept},
		{[]string{"stream", "server"}, StreamServer},
		{[]string{"server"}, 0},
		{[]string{"http", "location"}, 0},
		{[]string{"http", "map"}, 0},
		{[]string{"nonsense"}, 0},
	} {
		got, err := ParsePath(c.blocks)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("%q: %s, %v, want %s", c.blocks, got, err, c.want)
		}
	}
	for c := Main; c <= StreamUpstream; c <<= 1 {
		if got, err := ParsePath(c.Path()); got != c || err != nil {
			t.Errorf("%s: the path %q leads to %s, %v", c, c.Path(), got, err)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, c := range []struct {
		args        Args
		text        string
		least, most int
	}{
		{Take0, "no arguments", 0, 0},
		{Take1, "1 argument", 1, 1},
		{Take1 | Take2 | Take3, "1, 2 or 3 arguments", 1, 3},
		{Take1 | Take3, "1 or 3 arguments", 1, 3},
		{Take2, "2 arguments", 2, 2},
		{OneMore, "at least 1 argument", 1, -1},
		{TwoMore, "at least 2 arguments", 2, -1},
		{Any, "any number of arguments", 0, -1},
	} {
		least, most := c.args.Bounds()
		if c.args.String() != c.text || least != c.least || most != c.most {
			t.Errorf("%s, %d to %d, want %s, %d to %d", c.args, least, most, c.text, c.least, c.most)
		}
		for n := range 20 {
			inside := n >= least && (most < 0 || n <= most)
			if c.args.Take(n) && !inside {
				t.Errorf("%s takes %d", c.args, n)
			}
		}
	}
	if (Take1 | Take3).Take(2) || !(Take1 | Take3).Take(3) || Take7.Take(8) || Any.Take(-1) {
		t.Error("a number of arguments is judged wrongly")
	}
}

func TestVersion(t *testing.T) {
	for _, text := range []string{"1.22.1", "0.8.55", "1.31.6"} {
		if v, err := ParseVersion(text); err != nil || v.String() != text {
			t.Errorf("%s: %s, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "1.22", "1.22.x", "1.22.1.1", "1.1000.1", "-1.2.3"} {
		if v, err := ParseVersion(text); err == nil {
			t.Errorf("%q is taken for %s", text, v)
		}
	}
	if TableVersion.String() != "1.22.1" || Newest <= TableVersion {
		t.Errorf("table of %s, newest %s", TableVersion, Newest)
	}
}

func BenchmarkCheck(b *testing.B) {
	names := []string{"limit_req", "proxy_pass", "server", "location", "zone", "accept_mutex", "nonsense"}
	for i := 0; b.Loop(); i++ {
		Check(names[i%len(names)], Location, 0, 1, false)
	}
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		newIndex()
	}
}
