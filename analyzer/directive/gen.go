//go:build ignore

// This program writes table_gen.go, the table of the directives of nginx's own modules, from a tree of nginx's source:
//
//	NGINX_SOURCE=/path/to/nginx-1.22.1 go generate ./analyzer/directive
//
// It takes facts only: the names, places and numbers of arguments of all ngx_command_t entries, the words of enums,
// whether the function that reads a directive starts by refusing a second one, what is called deprecated, and from
// the file CHANGES the version in which a directive, a parameter or a variable came.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type entry struct {
	name, module, setter, post string
	contexts, args             []string
	block, unique              bool
	kind, instead              string
	words                      []string
	since                      string
}

type source struct {
	file string
	text string // without comments and preprocessor lines
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || os.Args[1] == "" {
		log.Fatal("usage: NGINX_SOURCE=/path/to/nginx-1.22.1 go generate")
	}
	sources := read(filepath.Join(os.Args[1], "src"))
	bodies := functions(sources)
	lists := wordLists(sources)
	var entries []entry
	for _, s := range sources {
		entries = append(entries, s.entries(bodies, lists)...)
	}
	version := define(filepath.Join(os.Args[1], "src", "core", "nginx.h"), "NGINX_VERSION")
	news := changes(filepath.Join(os.Args[1], "CHANGES"))
	for i := range entries {
		entries[i].since = news.since(entries[i].name, entries[i].module)
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	write("table_gen.go", render(version, entries))
	write("changes_gen.go", renderChanges(version, news))
}

var (
	comments     = regexp.MustCompile(`(?s)/\*.*?\*/`)
	preprocessor = regexp.MustCompile(`(?m)^#.*$`)
)

func read(folder string) []source {
	var sources []source
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".c" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		clean := preprocessor.ReplaceAllString(comments.ReplaceAllString(string(text), ""), "")
		sources = append(sources, source{path, clean})
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return sources
}

func define(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	m := regexp.MustCompile(`#define\s+` + name + `\s+"([^"]+)"`).FindSubmatch(text)
	if m == nil {
		log.Fatalf("no %s in %s", name, file)
	}
	return string(m[1])
}

var function = regexp.MustCompile(`(?ms)^(\w+)\([^;{}]*\)\n\{\n(.*?)^\}`)

// functions returns the bodies of all functions by name.
func functions(sources []source) map[string]string {
	bodies := map[string]string{}
	for _, s := range sources {
		for _, m := range function.FindAllStringSubmatch(s.text, -1) {
			bodies[m[1]] = m[2]
		}
	}
	return bodies
}

var (
	commands = regexp.MustCompile(`(?s)ngx_command_t\s+(\w+)\[\]\s*=\s*\{(.*?)\n\};`)
	modules  = regexp.MustCompile(`(?s)ngx_module_t\s+(\w+)\s*=\s*\{(.*?)\n\};`)
	command  = regexp.MustCompile(`(?s)\{\s*ngx_string\("([^"]+)"\),\s*([A-Z0-9_|\s]+),\s*(\w+),([^{}]*)\}`)
	loop     = regexp.MustCompile(`\b(for|while) \(`)
)

func (s source) entries(bodies map[string]string, lists map[string][]string) []entry {
	owner := map[string]string{}
	for _, m := range modules.FindAllStringSubmatch(s.text, -1) {
		for _, list := range regexp.MustCompile(`\w+`).FindAllString(m[2], -1) {
			owner[list] = m[1]
		}
	}
	var entries []entry
	for _, list := range commands.FindAllStringSubmatch(s.text, -1) {
		if owner[list[1]] == "" {
			log.Fatalf("%s: no module has the commands %s", s.file, list[1])
		}
		found := command.FindAllStringSubmatch(list[2], -1)
		if n := strings.Count(list[2], "ngx_string("); n != len(found) {
			log.Fatalf("%s: %d of %d commands read in %s", s.file, len(found), n, list[1])
		}
		for _, m := range found {
			e := entry{name: m[1], module: owner[list[1]], setter: m[3]}
			fields := strings.Split(m[4], ",")
			e.post = strings.TrimPrefix(strings.TrimSpace(fields[len(fields)-1]), "&")
			e.flags(m[2])
			e.kind = kinds[e.setter]
			if e.kind == "Enum" || e.kind == "Bitmask" {
				if e.words = lists[e.post]; e.words == nil {
					log.Fatalf("%s: no words %s for %s", s.file, e.post, e.name)
				}
			}
			e.instead = s.deprecated(e.post)
			e.unique = refusesSecond(bodies, e.setter) && !secondUnlessOff[e.name]
			entries = append(entries, e)
		}
	}
	return entries
}

// secondUnlessOff are directives that may stand on a level any number of times, but not beside themselves with "off".
var secondUnlessOff = map[string]bool{
	"http2_push": true, "mirror": true, "proxy_cookie_domain": true, "proxy_cookie_flags": true, "proxy_cookie_path": true,
	"proxy_redirect": true,
}

// refusesSecond says whether a function refuses a second directive before it looks at any argument in a loop. (limit_req
// has the words "is duplicate" as well, but only for a second limit by the same zone.)
func refusesSecond(bodies map[string]string, setter string) bool {
	body, ok := bodies[setter]
	if !ok {
		log.Fatalf("no function %s", setter)
	}
	if at := loop.FindStringIndex(body); at != nil {
		body = body[:at[0]]
	}
	if several[setter] {
		return false
	}
	if m := common.FindStringSubmatch(body); m != nil && m[1] != setter {
		return refusesSecond(bodies, m[1])
	}
	return strings.Contains(body, `return "is duplicate"`)
}

var (
	common = regexp.MustCompile(`\b(ngx_(?:conf|http|stream)_set_\w+_slot)\(cf, cmd, conf\)`)

	// several functions call a second directive duplicate only beside "off".
	several = map[string]bool{"ngx_http_mirror": true, "ngx_http_v2_push": true}
)

var kinds = map[string]string{
	"ngx_conf_set_flag_slot": "Flag", "ngx_conf_set_str_slot": "String", "ngx_conf_set_num_slot": "Number",
	"ngx_conf_set_size_slot": "Size", "ngx_conf_set_off_slot": "Offset", "ngx_conf_set_msec_slot": "Msec",
	"ngx_conf_set_sec_slot": "Sec", "ngx_conf_set_enum_slot": "Enum", "ngx_conf_set_bitmask_slot": "Bitmask",
	"ngx_conf_set_bufs_slot": "Buffers", "ngx_conf_set_path_slot": "Path", "ngx_conf_set_access_slot": "Access",
	"ngx_conf_set_keyval_slot": "Pair", "ngx_conf_set_str_array_slot": "List",
	"ngx_http_set_complex_value_slot": "Complex", "ngx_http_set_complex_value_zero_slot": "Complex",
	"ngx_http_set_complex_value_size_slot": "Complex", "ngx_stream_set_complex_value_slot": "Complex",
	"ngx_stream_set_complex_value_zero_slot": "Complex", "ngx_stream_set_complex_value_size_slot": "Complex",
}

// flags sorts the bits of a command's type into places and numbers of arguments. NGX_DIRECT_CONF and the like say where
// the value is kept and are no concern of ours.
func (e *entry) flags(text string) {
	for _, flag := range strings.Split(text, "|") {
		flag = strings.TrimSpace(flag)
		switch {
		case flag == "NGX_CONF_BLOCK":
			e.block = true
		case flag == "NGX_CONF_FLAG":
			e.args = []string{"Take1"}
		case contexts[flag] != "":
			e.contexts = append(e.contexts, contexts[flag])
		case arguments[flag] != "":
			e.args = append(e.args, arguments[flag])
		case strings.HasPrefix(flag, "NGX_CONF_TAKE"):
			for _, digit := range strings.TrimPrefix(flag, "NGX_CONF_TAKE") {
				e.args = append(e.args, "Take"+string(digit))
			}
		case flag != "NGX_DIRECT_CONF" && flag != "0":
			log.Fatalf("%s: unknown flag %s", e.name, flag)
		}
	}
}

var arguments = map[string]string{
	"NGX_CONF_NOARGS": "Take0", "NGX_CONF_ANY": "Any", "NGX_CONF_1MORE": "OneMore", "NGX_CONF_2MORE": "TwoMore",
}

var contexts = map[string]string{
	"NGX_ANY_CONF": "Everywhere", "NGX_MAIN_CONF": "Main", "NGX_EVENT_CONF": "Events",
	"NGX_HTTP_MAIN_CONF": "HTTP", "NGX_HTTP_SRV_CONF": "Server", "NGX_HTTP_LOC_CONF": "Location",
	"NGX_HTTP_UPS_CONF": "Upstream", "NGX_HTTP_SIF_CONF": "ServerIf", "NGX_HTTP_LIF_CONF": "LocationIf",
	"NGX_HTTP_LMT_CONF": "LimitExcept", "NGX_MAIL_MAIN_CONF": "Mail", "NGX_MAIL_SRV_CONF": "MailServer",
	"NGX_STREAM_MAIN_CONF": "Stream", "NGX_STREAM_SRV_CONF": "StreamServer", "NGX_STREAM_UPS_CONF": "StreamUpstream",
}

var (
	wordList = regexp.MustCompile(`(?s)ngx_conf_(?:enum|bitmask)_t\s+(\w+)\[\]\s*=\s*\{(.*?)\n\};`)
	word     = regexp.MustCompile(`ngx_string\("([^"]*)"\)`)
)

// wordLists returns the words of all enums and bitmasks by the name of their array.
func wordLists(sources []source) map[string][]string {
	lists := map[string][]string{}
	for _, s := range sources {
		for _, m := range wordList.FindAllStringSubmatch(s.text, -1) {
			var words []string
			for _, w := range word.FindAllStringSubmatch(m[2], -1) {
				words = append(words, w[1])
			}
			if old := lists[m[1]]; old != nil && !slices.Equal(old, words) {
				log.Fatalf("%s: a second list %s", s.file, m[1])
			}
			lists[m[1]] = words
		}
	}
	return lists
}

// deprecated returns what nginx names in a directive's place when it warns of it.
func (s source) deprecated(post string) string {
	m := regexp.MustCompile(`(?s)ngx_conf_deprecated_t\s+` + regexp.QuoteMeta(post) + `\s*=\s*\{\s*ngx_conf_deprecated,\s*"[^"]*",\s*"([^"]*)"`).FindStringSubmatch(s.text)
	if m == nil {
		return ""
	}
	return m[1]
}

func render(version string, entries []entry) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by gen.go from the source of nginx %s. DO NOT EDIT.\n\npackage directive\n\n", version)
	fmt.Fprintf(&b, "// TableVersion is the nginx whose source the table was made from.\nconst TableVersion Version = %d // %s\n\n", number(version), version)
	b.WriteString("var table = []Variant{\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "{Name: %q, Module: %q, Contexts: %s, Args: %s", e.name, e.module, strings.Join(e.contexts, "|"), strings.Join(e.args, "|"))
		field(&b, "Block", e.block, "true")
		field(&b, "Unique", e.unique, "true")
		field(&b, "Kind", e.kind != "", e.kind)
		field(&b, "Words", e.words != nil, fmt.Sprintf("%#v", e.words))
		field(&b, "Since", e.since != "", fmt.Sprint(number(e.since)))
		field(&b, "Instead", e.instead != "", fmt.Sprintf("%q", e.instead))
		obsolete := old[e.module+" "+e.name]
		field(&b, "Obsolete", strings.Contains(e.module, "_v2_") && obsolete != "", "true")
		field(&b, "Old", obsolete != "", fmt.Sprint(number(obsolete)))
		field(&b, "Gone", gone[e.module+" "+e.name] != "", fmt.Sprint(number(gone[e.module+" "+e.name])))
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func renderChanges(version string, news facts) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by gen.go from the change log of nginx %s. DO NOT EDIT.\n\npackage directive\n\n", version)
	var lines []string
	for _, f := range news.parameters {
		for _, of := range f.of {
			for _, name := range f.names {
				lines = append(lines, fmt.Sprintf("{%q, %q, %d},\n", of, name, number(f.version)))
			}
		}
	}
	slices.Sort(lines)
	fmt.Fprintf(&b, "var parameters = []parameter{\n%s}\n\n", strings.Join(lines, ""))
	lines = nil
	for _, f := range news.variables {
		for _, name := range f.names {
			if strings.HasPrefix(name, "$") {
				lines = append(lines, fmt.Sprintf("{%q, %d},\n", name[1:], number(f.version)))
			}
		}
	}
	slices.Sort(lines)
	fmt.Fprintf(&b, "var variables = []variable{\n%s}\n", strings.Join(lines, ""))
	return b.Bytes()
}

func write(file string, code []byte) {
	text, err := format.Source(code)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		log.Fatal(err)
	}
}

// old says since when nginx warns of what it calls deprecated or obsolete, from its change logs.
var old = map[string]string{
	"ngx_http_ssl_module ssl":                         "1.15.0",
	"ngx_mail_ssl_module ssl":                         "1.15.0",
	"ngx_stream_proxy_module proxy_downstream_buffer": "1.9.4",
	"ngx_stream_proxy_module proxy_upstream_buffer":   "1.9.4",
	"ngx_http_v2_module http2_recv_timeout":           "1.19.7",
	"ngx_http_v2_module http2_idle_timeout":           "1.19.7",
	"ngx_http_v2_module http2_max_requests":           "1.19.7",
	"ngx_http_v2_module http2_max_field_size":         "1.19.7",
	"ngx_http_v2_module http2_max_header_size":        "1.19.7",
	"ngx_http_v2_module http2_push":                   "1.25.1",
	"ngx_http_v2_module http2_push_preload":           "1.25.1",
	"ngx_http_v2_module http2_max_concurrent_pushes":  "1.25.1",
}

// gone says which entries of this source a later nginx no longer has like this, from its later change logs; what took
// their place is in extra.txt.
var gone = map[string]string{
	"ngx_http_ssl_module ssl":                      "1.25.1",
	"ngx_mail_ssl_module ssl":                      "1.25.1",
	"ngx_http_upstream_keepalive_module keepalive": "1.29.7",
	"ngx_http_geo_module geo":                      "1.29.3",
	"ngx_stream_geo_module geo":                    "1.29.3",
}

func field(b *bytes.Buffer, name string, set bool, value string) {
	if set {
		fmt.Fprintf(b, ", %s: %s", name, value)
	}
}
