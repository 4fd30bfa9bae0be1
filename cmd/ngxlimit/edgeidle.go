package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// ofCloudflare are the flags that say something of Cloudflare's rules and of nothing else.
var ofCloudflare = []string{"edge-window", "edge-zone", "plan"}

// unasked refuses what is said of an edge where there is none.
func (f *edgeFlags) unasked() error {
	if len(f.paths) > 0 {
		return nil
	}
	return idle(f.given, "the rules of --edge, which was not given", append([]string{"list"}, ofCloudflare...)...)
}

// idle refuses what says something of rules that were read, and that none of them would use.
func (f *edgeFlags) idle(r *edgeRules) error {
	if r.aws != nil {
		if err := idle(f.given, "Cloudflare's rules, and these are a web ACL of AWS WAF", ofCloudflare...); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.lists.values)) {
		if plain := strings.TrimPrefix(name, "$"); !r.mentions(plain) {
			return fmt.Errorf("--list: %w", unknownName("list", plain, r.lists()))
		}
	}
	if r.cloudflare == nil {
		return nil
	}
	var zones []string
	for _, s := range r.cloudflare.Rulesets {
		if s.Zone != "" && !slices.Contains(zones, s.Zone) {
			zones = append(zones, s.Zone)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.zones.values)) {
		if !slices.Contains(zones, name) {
			return fmt.Errorf("--edge-zone: %w", unknownName("zone", name, zones))
		}
	}
	return nil
}

// mentions says whether a name stands anywhere in the files of the rules, be it in a rule that could not be understood.
func (r *edgeRules) mentions(name string) bool {
	whole := regexp.MustCompile(`(^|[^A-Za-z0-9_])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_])`)
	for _, file := range r.files {
		if whole.MatchString(file.Text) {
			return true
		}
	}
	return false
}

var listName = regexp.MustCompile(`\$([A-Za-z0-9_]+)(?:[^A-Za-z0-9_.]|$)`)

// lists are the names of lists that the rules seem to hold.
func (r *edgeRules) lists() (names []string) {
	for _, file := range r.files {
		for _, m := range listName.FindAllStringSubmatch(file.Text, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}
