//go:build ignore

package main

import (
	"log"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A fact is one version's news of names: directives, parameters of directives, variables, or modules.
type fact struct {
	version string
	names   []string
	of      []string // the directives, for parameters
	scope   string   // a module, or "mail" or "stream" for all of that kind; "" for wherever the name occurs
}

// facts are what the file of changes says in plain words, newest first.
type facts struct{ directives, parameters, variables, modules []fact }

const (
	list = `(?:"[^"]+"(?:, and the |, and | and the | and |, the |, )?)+`
	vars = `(?:\$[a-z0-9_]+(?:, and | and |, )?)+`
)

var (
	release   = regexp.MustCompile(`(?m)^Changes with nginx (\d+\.\d+\.\d+) .*$`)
	item      = regexp.MustCompile(`(?m)^    \*\) `)
	sentence  = regexp.MustCompile(`(?:^Feature: |; )(?:now )?(?:the )?`)
	directive = regexp.MustCompile(`^(` + list + `) directives?(?: inside the "upstream" block)?(?: in (?:the )?([a-z0-9_]+)(?: module| proxy)?)?(?:[.;,]| and )`)
	parameter = regexp.MustCompile(`^(` + list + `) parameters? of the (` + list + `) directives?[.;,]`)
	variable  = regexp.MustCompile(`^(` + vars + `) variables?[.;,]`)
	module    = regexp.MustCompile(`^((?:ngx_\w+(?:, and | and |, )?)+)(?: modules?)?[.;]`)
	quoted    = regexp.MustCompile(`"([^"]+)"`)
	bare      = regexp.MustCompile(`\$?[a-z0-9_]+`)
	spaces    = regexp.MustCompile(`\s+`)
)

func changes(file string) facts {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var all facts
	heads := release.FindAllStringSubmatchIndex(string(text), -1)
	for i, head := range heads {
		version := string(text[head[2]:head[3]])
		if strings.HasPrefix(version, "0.") {
			break // what is older than 1.0 is there in every version that matters
		}
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		for _, entry := range item.Split(string(text[head[1]:end]), -1) {
			all.add(version, spaces.ReplaceAllString(strings.TrimSpace(entry), " "))
		}
	}
	return all
}

// add takes the news of one entry, which may consist of several clauses.
func (f *facts) add(version, entry string) {
	if !strings.HasPrefix(entry, "Feature: ") {
		return
	}
	for _, at := range sentence.FindAllStringIndex(entry, -1) {
		clause := entry[at[1]:]
		if m := directive.FindStringSubmatch(clause); m != nil {
			f.directives = append(f.directives, fact{version: version, names: unquote(m[1]), scope: m[2]})
		} else if m := parameter.FindStringSubmatch(clause); m != nil {
			f.parameters = append(f.parameters, fact{version: version, names: unquote(m[1]), of: unquote(m[2])})
		} else if m := variable.FindStringSubmatch(clause); m != nil {
			f.variables = append(f.variables, fact{version: version, names: bare.FindAllString(m[1], -1)})
		} else if m := module.FindStringSubmatch(clause); m != nil {
			f.modules = append(f.modules, fact{version: version, names: bare.FindAllString(m[1], -1)})
		}
	}
}

func unquote(list string) []string {
	var names []string
	for _, m := range quoted.FindAllStringSubmatch(list, -1) {
		names = append(names, m[1])
	}
	return names
}

// since returns the version in which a module's directive came: the earliest one that is said of its name, or that of
// the module if that is later; "" where nothing is said.
func (f facts) since(name, module string) string {
	version := said[name]
	if version == "" && module == "ngx_http_v2_module" {
		version = "1.9.5"
	}
	for _, fact := range f.directives {
		if slices.Contains(fact.names, name) && (fact.scope == "" || fact.scope == module || fact.scope == family(module)) {
			version = fact.version
		}
	}
	came := ""
	if family(module) == "stream" {
		came = "1.9.0" // the change log names the modules of that version only together
	}
	for _, fact := range f.modules {
		if slices.Contains(fact.names, module) {
			came = fact.version
		}
	}
	if number(came) > number(version) {
		return came
	}
	return version
}

// said are versions that the change log names in words of other kinds.
var said = map[string]string{
	"etag": "1.3.3", "limit_conn_zone": "1.1.8", "subrequest_output_buffer_size": "1.13.10",
	"http2_body_preread_size": "1.11.0", "http2_push": "1.13.9", "http2_push_preload": "1.13.9", "http2_max_concurrent_pushes": "1.13.9",
	"ssl_ocsp": "1.19.0", "ssl_ocsp_cache": "1.19.0", "ssl_ocsp_responder": "1.19.0",
	"ssl_stapling": "1.3.7", "ssl_stapling_file": "1.3.7", "ssl_stapling_responder": "1.3.7", "ssl_stapling_verify": "1.3.7",
	"proxy_cache_lock": "1.1.12", "fastcgi_cache_lock": "1.1.12", "scgi_cache_lock": "1.1.12", "uwsgi_cache_lock": "1.1.12",
	"proxy_cache_lock_timeout": "1.1.12", "fastcgi_cache_lock_timeout": "1.1.12",
	"scgi_cache_lock_timeout": "1.1.12", "uwsgi_cache_lock_timeout": "1.1.12",
	"proxy_cache_lock_age": "1.7.8", "fastcgi_cache_lock_age": "1.7.8", "scgi_cache_lock_age": "1.7.8", "uwsgi_cache_lock_age": "1.7.8",
}

// family returns "http", "mail" or "stream" for a module of that kind.
func family(module string) string {
	parts := strings.Split(module, "_")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// number writes a version as Version counts it; no version is 0.
func number(version string) int {
	if version == "" {
		return 0
	}
	var n int
	for _, part := range strings.Split(version, ".") {
		k, err := strconv.Atoi(part)
		if err != nil {
			log.Fatal(err)
		}
		n = n*1000 + k
	}
	return n
}
