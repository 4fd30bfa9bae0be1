package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// keyHeaders are the headers and cookies of requests that the keys of a configuration are made of. They are what has to
// be known of a recording beside its URLs.
type keyHeaders struct {
	headers map[string]bool // as in $http_NAME
	cookies map[string]bool // as in $cookie_NAME
}

// others are headers that do not come from a browser's code: the host, and what proxies add.
var others = []string{"host", "x_forwarded_for", "x_real_ip", "forwarded", "cf_connecting_ip", "true_client_ip", "x_client_ip"}

func keyHeadersOf(tree *config.Tree) keyHeaders {
	k := keyHeaders{map[string]bool{}, map[string]bool{}}
	seen := map[string]bool{}
	for _, z := range tree.HTTP.Zones {
		k.add(z.Key, tree.HTTP.Variables, seen)
	}
	for _, z := range tree.HTTP.ConnZones {
		k.add(z.Key, tree.HTTP.Variables, seen)
	}
	return k
}

// add takes what a key is made of, through the maps that make it.
func (k *keyHeaders) add(key value.Template, defs *value.Definitions, seen map[string]bool) {
	names := key.Variables()
	for len(names) > 0 {
		name := names[len(names)-1]
		names = names[:len(names)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		if header, ok := strings.CutPrefix(name, "http_"); ok && !slices.Contains(others, header) {
			k.headers[header] = true
		}
		if cookie, ok := strings.CutPrefix(name, "cookie_"); ok {
			k.cookies[cookie] = true
		}
		names = append(names, defs.Sources(name)...)
	}
}

// keep says what of a header a recording is to keep. What tells people apart is not kept with its content: with one
// recorded key all clients would share a bucket, and it is nobody else's to see.
func (k *keyHeaders) keep(name string) traffic.Keep {
	switch {
	case !k.headers[variableOf(name)]:
		return traffic.Nothing
	case personal(name):
		return traffic.Presence
	}
	return traffic.Content
}

func (k *keyHeaders) cookie(name string) bool { return k.cookies[strings.ToLower(name)] }

// variableOf is a header's name as it stands in $http_NAME.
func variableOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

// personal says whether a header tells who asks, by the words of its name.
func personal(name string) bool {
	if variableOf(name) == "user_agent" {
		return false
	}
	for word := range strings.SplitSeq(variableOf(name), "_") {
		switch word {
		case "key", "apikey", "token", "secret", "auth", "authorization", "session", "sessionid", "sid", "cookie", "csrf", "xsrf", "password",
			"user", "username", "account", "customer", "tenant", "client", "device", "id", "email", "signature", "jwt":
			return true
		}
	}
	return false
}

// missing says which headers and cookies of keys no request of a recording has, and for which others stand.
func (k *keyHeaders) missing(name string, rec *traffic.Recording) []string {
	headers, cookies := map[string]bool{}, map[string]bool{}
	for i := range rec.Fan.Requests {
		for _, h := range rec.Fan.Requests[i].Headers {
			headers[variableOf(h.Name)] = true
			if strings.EqualFold(h.Name, "Cookie") {
				for pair := range strings.SplitSeq(h.Value, "; ") {
					cookie, _, _ := strings.Cut(pair, "=")
					cookies[strings.ToLower(cookie)] = true
				}
			}
		}
	}
	var said []string
	tell := func(kind string, wanted, there map[string]bool, stands func(string) bool) {
		for _, w := range slices.Sorted(maps.Keys(wanted)) {
			switch {
			case !there[w]:
				said = append(said, fmt.Sprintf("%s: no request has the %s %s, of which a key is made; browsers mostly leave credentials out of what they export", name, kind, w))
			case stands(w):
				said = append(said, fmt.Sprintf("%s: the %s %s, of which a key is made, has a value of its own for each client in place of the recorded one", name, kind, w))
			}
		}
	}
	tell("header", k.headers, headers, personal)
	tell("cookie", k.cookies, cookies, func(string) bool { return true })
	return said
}
