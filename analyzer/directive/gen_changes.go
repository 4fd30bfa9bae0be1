//go:build ignore

package main

import (
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
)

var (
	release = regexp.MustCompile(`(?m)^Changes with nginx (\d+\.\d+\.\d+) .*$`)
	item    = regexp.MustCompile(`(?m)^    \*\) `)
	// A directive comes with an entry that names nothing but directives: `the "a", "b", and "c" directives.`, perhaps
	// followed by where: `directive in the ngx_http_x_module.`, `in mail proxy`.
	feature = regexp.MustCompile(`^Feature: (?:the )?((?:"[a-z0-9_]+"(?:, and | and |, )?(?:the )?)+) directives?(?:\.| in | inside )`)
	quoted  = regexp.MustCompile(`"([a-z0-9_]+)"`)
	spaces  = regexp.MustCompile(`\s+`)
)

// changes returns the versions in which directives came, as far as the file of changes says so in plain words: the
// earliest one for each.
func changes(file string) map[string]string {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	since := map[string]string{}
	heads := release.FindAllStringSubmatchIndex(string(text), -1)
	for i, head := range heads { // newest first, so that the earliest one stays
		version := string(text[head[2]:head[3]])
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		for _, entry := range item.Split(string(text[head[1]:end]), -1) {
			m := feature.FindStringSubmatch(spaces.ReplaceAllString(entry, " "))
			if m == nil {
				continue
			}
			for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
				since[name[1]] = version
			}
		}
	}
	return since
}

// number writes a version as Version counts it; no version is 0.
func number(version string) string {
	if version == "" {
		return "0"
	}
	var n int
	for _, part := range strings.Split(version, ".") {
		k, err := strconv.Atoi(part)
		if err != nil {
			log.Fatal(err)
		}
		n = n*1000 + k
	}
	return strconv.Itoa(n)
}
