package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// settling are the keys of the settings file that settle a fact, in the order in which they do it best, each with an example.
var settling = []struct{ key, line string }{
	{"proxies", "proxies: false (or the networks of what stands in front)"},
	{"chain", "chain: [cloudflare, nginx=10.20.0.0/24] (the proxies that requests pass)"},
	{"zones", "zones: {%s: {expected_keys: 20_000}}"},
	{"clients_per_address", "clients_per_address: 1 (or as many people as share one)"},
	{"fans", "fans: [{fan: FILE.har}] (the page that is really loaded)"},
	{"interactive", "interactive: [/PATH/] (or background: [/PATH/])"},
}

// Settle returns the line of the settings file that settles what the finding rests on outside of the configuration; "" where it
// rests on the configuration alone. Where no fact of the file is asked for, it is the line that accepts what was found.
func (f *Finding) Settle() string {
	if f.Confidence == High || f.Rule == nil {
		return ""
	}
	for _, s := range settling {
		if !slices.Contains(f.Rule.Settings, s.key) {
			continue
		}
		if s.key == "zones" {
			zone, _ := f.Evidence["zone"].(string)
			return fmt.Sprintf(s.line, yamlName(zone))
		}
		return s.line
	}
	if f.Confidence == Low {
		return "rules: {" + f.Rule.Name + ": off} (where it is meant so)"
	}
	return ""
}

// yamlName writes the name of a zone as a key of YAML.
func yamlName(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
	switch {
	case name == "":
		return "ZONE"
	case plain && unicode.IsLetter([]rune(name)[0]):
		return name
	}
	return strconv.Quote(name)
}
