package settings

import (
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A key is a word that a mapping may hold: what it is for, what its value may be, and what reads it.
type key struct {
	name   string
	doc    string // one line, for the schema
	schema func() *Schema
	read   func(ast.Node) error
}

// topKeys is the one table of what the file may hold; the schema is made of it.
func (r *reader) topKeys() []key {
	return []key{
		{"rules", "what is said of each rule: on, off, or a severity", r.ruleSchema, func(n ast.Node) error { return r.rules(n, r.wholeRun) }},
		{
			"overrides", "what is said of rules in some files, servers or locations only; the last that applies counts",
			func() *Schema { return listOf(schemaOf(r.overrideKeys(new(run.Override)))) }, r.overrides,
		},
		{"clients_per_address", "how many people share the largest office's public address", countSchema, r.clients},
		{"zones", "what is expected of each zone, by its name", func() *Schema { return mapOf(orNothing(schemaOf(r.zoneKeys("")))) }, r.zones},
		{"fans", "which page loads stand for what people ask for, where it is not the built-in portal", func() *Schema { return listOf(schemaOf(r.fanKeys(new(rule.FanFor)), "fan")) }, r.fans},
		{"proxies", "what stands in front of nginx: true, false, or networks, known fronts and files", proxySchema, r.proxies},
		{"chain", "the proxies that requests pass, the one that connects to nginx last: [cloudflare, alb=subnets.json, nginx=10.20.0.5]", chainSchema, r.chain},
		{"background", "URI prefixes that only programs ask for, so that nobody waits there", prefixList, r.prefixes(&r.out.Facts.Background)},
		{"interactive", "URI prefixes on which people wait, whatever their names suggest; the longest prefix of both lists decides", prefixList, r.prefixes(&r.out.Facts.Interactive)},
	}
}

// The words that may be said of a rule.
const (
	wordOn  = "on"
	wordOff = "off"
)

var ruleWords = []string{wordOn, wordOff, string(rule.Error), string(rule.Warning), string(rule.Note)}

// rules reads what is said of rules.
func (r *reader) rules(n ast.Node, say func(name, word string)) error {
	return r.entries(n, func(name string, at, value ast.Node) error {
		if !slices.Contains(r.known, name) {
			return r.fail(at, "unknown rule %q%s", name, didYouMean(name, r.known))
		}
		word, _ := scalar(value)
		switch word {
		case "true":
			word = wordOn
		case "false":
			word = wordOff
		}
		if !slices.Contains(ruleWords, word) {
			return r.fail(value, "unknown value %s for rule %s: want %s", describe(value), name, strings.Join(ruleWords, ", "))
		}
		say(name, word)
		return nil
	})
}

// wholeRun takes what is said of a rule everywhere.
func (r *reader) wholeRun(name, word string) {
	switch word {
	case wordOn:
	case wordOff:
		r.out.Off = append(r.out.Off, name)
	default:
		if r.out.Severities == nil {
			r.out.Severities = map[string]rule.Severity{}
		}
		r.out.Severities[name] = rule.Severity(word)
	}
}

func (r *reader) overrides(n ast.Node) error {
	return r.each(n, "a list of overrides", func(n ast.Node) error {
		o := run.Override{Rules: map[string]rule.Severity{}, Place: r.path + at(first(n).GetToken())}
		if err := r.keys(n, r.overrideKeys(&o)); err != nil {
			return err
		}
		switch {
		case len(o.Files)+len(o.Servers)+len(o.Locations) == 0:
			return r.fail(n, "an override without files, servers or locations: what holds everywhere stands under rules")
		case len(o.Rules) == 0:
			return r.fail(n, "an override without rules")
		}
		r.out.Overrides = append(r.out.Overrides, o)
		return nil
	})
}

func (r *reader) overrideKeys(o *run.Override) []key {
	return []key{
		{"files", "the files that it is for: conf.d/legacy-*.conf, **/old/**", textList, r.texts(&o.Files, "a file pattern")},
		{"servers", "the servers that it is for, by name: old.example.com, *.example.com", textList, r.texts(&o.Servers, "a server name")},
		{"locations", "the locations that it is for: a URI prefix, or as written, such as \"= /login\"", textList, r.texts(&o.Locations, "a location")},
		{"rules", "what is said of rules there: on, off, or a severity", r.ruleSchema, func(n ast.Node) error {
			return r.rules(n, func(name, word string) { o.Rules[name] = severityOf(word) })
		}},
	}
}

// severityOf is what a word says to an override.
func severityOf(word string) rule.Severity {
	switch word {
	case wordOn:
		return run.AsRuled
	case wordOff:
		return run.Off
	}
	return rule.Severity(word)
}

func (r *reader) clients(n ast.Node) error {
	v, err := r.number(n, 1, 1_000_000)
	r.out.Facts.ClientsPerAddress = int(v)
	return err
}

func (r *reader) zones(n ast.Node) error {
	return r.entries(n, func(zone string, name, value ast.Node) error {
		if err := r.keys(value, r.zoneKeys(zone)); err != nil {
			return err
		}
		_, keys := r.out.Facts.ExpectedKeys[zone]
		_, clients := r.out.Facts.ExpectedClients[zone]
		if !keys && !clients {
			return nil // only the name, as init writes it
		}
		if r.out.ZonePlaces == nil {
			r.out.ZonePlaces = map[string]string{}
		}
		r.out.ZonePlaces[zone] = r.path + at(name.GetToken())
		return nil
	})
}

func (r *reader) zoneKeys(zone string) []key {
	count := func(into *map[string]int64) func(ast.Node) error {
		return func(n ast.Node) error {
			v, err := r.number(n, 1, math.MaxInt64)
			if err != nil {
				return err
			}
			if *into == nil {
				*into = map[string]int64{}
			}
			(*into)[zone] = v
			return nil
		}
	}
	return []key{
		{"expected_keys", "how many different keys are active at a time", countSchema, count(&r.out.Facts.ExpectedKeys)},
		{"expected_clients", "how many clients are active at a time: as many keys, where the key is their address", countSchema, count(&r.out.Facts.ExpectedClients)},
	}
}

func (r *reader) fans(n ast.Node) error {
	return r.each(n, "a list of fans", func(n ast.Node) error {
		var of rule.FanFor
		if err := r.keys(n, r.fanKeys(&of)); err != nil {
			return err
		}
		if of.Fan == nil {
			return r.fail(n, "an entry without a fan")
		}
		r.out.Facts.Fans = append(r.out.Facts.Fans, of)
		return nil
	})
}

func (r *reader) fanKeys(of *rule.FanFor) []key {
	return []key{
		{"fan", "a built-in fan (ngxlimit fans lists them), or a .json or .har file beside this one", textSchema, func(n ast.Node) (err error) {
			name, ok := scalar(n)
			if !ok || name == "" {
				return r.fail(n, "want the name of a fan or a file, not %s", describe(n))
			}
			if of.Fan, err = r.readFan(name); err != nil {
				return r.fail(n, "%v", err)
			}
			return nil
		}},
		{"servers", "the servers at which it is loaded, by name; without them at all", textList, r.texts(&of.Servers, "a server name")},
		{"locations", "the locations that it stands for; without them all", textList, r.texts(&of.Locations, "a location")},
	}
}

// proxies reads what stands in front: true, false, or a list of networks, of fronts that are known, and of files that list
// networks.
func (r *reader) proxies(n ast.Node) error {
	if s, ok := bare(n).(*ast.SequenceNode); ok {
		for _, v := range s.Values {
			if err := r.proxy(v); err != nil {
				return err
			}
		}
		r.out.Facts.Front = rule.FrontProxy
		if len(s.Values) == 0 {
			r.out.Facts.Front = rule.FrontNone
		}
		return nil
	}
	switch word, _ := scalar(n); word {
	case "true":
		r.out.Facts.Front = rule.FrontProxy
	case "false":
		r.out.Facts.Front = rule.FrontNone
	default:
		return r.fail(n, "unknown value %s for proxies: want true, false, or a list of networks", describe(n))
	}
	return nil
}
