// Package draft knows which settings a configuration suggests: its zones, what it trusts in front, which paths look as if
// nobody waited there. It writes a commented settings file, and decides nothing: what cannot be told from a configuration
// stands in it as a comment to be filled in.
package draft

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// most bounds each list of the draft: a settings file is read by people.
const most = 50

// Of writes the settings that configurations suggest. Schema is the address of the schema, page of the page that explains
// the keys.
func Of(all []*rule.Facts, schema, page string) string {
	d := &draft{}
	d.line("# yaml-language-server: $schema=%s", schema)
	d.line("# What the configuration cannot tell ngxlimit. %s explains each key.", page)
	d.line("# Written by ngxlimit init; what stands behind # is to be filled in or left out.")
	d.servers(all)
	d.line("")
	d.line("# How many people share the largest office's public address; %d where nothing is said.", rule.DefaultClientsPerAddress)
	d.line("#clients_per_address: %d", rule.DefaultClientsPerAddress)
	d.zones(all)
	d.proxies(all)
	d.background(all)
	d.line("")
	d.line("# URI prefixes on which people wait, whatever their names suggest.")
	d.line("#interactive: [/export/preview/]")
	d.fans(all)
	d.line("")
	d.line("# Rules: on, off, error, warning or note. ngxlimit rules lists them; overrides speaks of some files, servers or locations.")
	d.line("#rules:")
	d.line("#  realip-missing: off")
	return d.text.String()
}

type draft struct{ text strings.Builder }

func (d *draft) line(format string, args ...any) {
	fmt.Fprintf(&d.text, format+"\n", args...)
}

// more says how many entries a list had no room for.
func (d *draft) more(n int) {
	if n > most {
		d.line("# and %d more", n-most)
	}
}

func (d *draft) servers(all []*rule.Facts) {
	var names []string
	for _, f := range all {
		if f.Tree.HTTP == nil {
			continue
		}
		for _, s := range f.Tree.HTTP.Servers {
			for _, n := range s.Names {
				if n.Text != "" && !slices.Contains(names, n.Text) && len(names) <= most {
					names = append(names, n.Text)
				}
			}
		}
	}
	if len(names) > 0 {
		d.line("# Servers: %s", comment(strings.Join(names[:min(len(names), most)], ", ")))
	}
}

func (d *draft) zones(all []*rule.Facts) {
	seen := map[string]bool{}
	n := 0
	for _, f := range all {
		for _, z := range f.Zones() {
			if seen[z.Name] {
				continue
			}
			seen[z.Name] = true
			if n++; n == 1 {
				d.line("")
				d.line("# What is expected of each zone at a time. A zone forgets what it has no room for.")
				d.line("zones:")
			}
			if n <= most {
				d.zone(f, z)
			}
		}
	}
	d.more(n)
}

func (d *draft) zone(f *rule.Facts, z *rule.Zone) {
	bytes := f.Key(z.Key).Bytes
	holds, what := limitreq.Capacity(z.Size, len(z.Name), bytes), "limit_req"
	if z.Req == nil {
		holds, what = limitconn.Capacity(z.Size, len(z.Name), bytes), "limit_conn"
	}
	d.line("  # %s, key %s: room for %s keys of %s (%s)", what, comment(z.KeySpan.Text()), rule.Count(int64(holds)), rule.Plural(int64(bytes), "byte", "bytes"), place(z.Item.Head()))
	d.line("  %s:", quoted(z.Name))
	d.line("    #expected_keys: 10000")
	if f.Key(z.Key).PerAddress {
		d.line("    #expected_clients: 10000")
	}
}

// proxies names what set_real_ip_from trusts: known fronts by their names, other networks as they are.
func (d *draft) proxies(all []*rule.Facts) {
	var names []string
	var from []string
	everyone := false
	add := func(name string, at source.Span) {
		if !slices.Contains(names, name) {
			names, from = append(names, name), append(from, place(at))
		}
	}
	for _, f := range all {
		for _, p := range f.Places() {
			for _, t := range p.Settings.RealIPFrom.Value {
				switch front := fronts.BuiltIn().Of(t.Prefix); {
				case !t.Prefix.IsValid():
				case t.Prefix.Bits() == 0:
					everyone = true
				case front != nil:
					add(front.ID, t.Span)
				default:
					add(t.Prefix.Masked().String(), t.Span)
				}
			}
		}
	}
	d.line("")
	d.line("# What stands in front of nginx: true, false, or its networks and known fronts.")
	if everyone {
		d.line("# The configuration trusts every address; name here what really connects.")
	}
	if len(names) == 0 {
		d.sign(all)
		return
	}
	d.line("proxies:")
	for i := range min(len(names), most) {
		d.line("  - %s # trusted at %s", quoted(names[i]), from[i])
	}
	d.more(len(names))
}

// sign writes what else says that something stands in front.
func (d *draft) sign(all []*rule.Facts) {
	var best *rule.FrontSign
	for _, f := range all {
		for _, p := range f.Places() {
			if s := f.FrontSign(p); s.Surer(best) {
				best = s
			}
		}
	}
	switch {
	case best == nil:
		d.line("#proxies: false")
	case best.Confidence == rule.High:
		d.line("proxies: true # %s (%s)", comment(best.Text), place(best.Span))
	default:
		d.line("#proxies: true # perhaps: %s (%s)", comment(best.Text), place(best.Span))
	}
}

func (d *draft) background(all []*rule.Facts) {
	var found []*config.Location
	seen := map[string]bool{}
	for _, f := range all {
		for _, p := range f.Places() {
			l := p.Location
			if l == nil || p.Kind != config.KindLocation || seen[l.Pattern] || f.Use(p) != rule.ForPrograms {
				continue
			}
			if l.Modifier != "~" && l.Modifier != "~*" && strings.HasPrefix(l.Pattern, "/") && l.Directive != nil {
				seen[l.Pattern] = true
				found = append(found, l)
			}
		}
	}
	d.line("")
	d.line("# URI prefixes that only programs ask for, so that nobody waits there.")
	if len(found) == 0 {
		d.line("#background: [/hooks/]")
		return
	}
	d.line("background:")
	for _, l := range found[:min(len(found), most)] {
		d.line("  - %s # by its name (%s)", quoted(l.Pattern), place(l.Directive.Head()))
	}
	d.more(len(found))
}

func (d *draft) fans(all []*rule.Facts) {
	d.line("")
	d.line("# Page loads that stand for what people ask for, where it is not the built-in portal. ngxlimit fans lists them.")
	d.line("#fans:")
	d.line("#  - fan: block-editor")
	for _, f := range all {
		for _, p := range f.Places() {
			if l := p.Location; l != nil && strings.Contains(l.Pattern, "wp-admin") {
				d.line("#    locations: [/wp-admin/, /wp-json/] # WordPress, by %s", place(l.Directive.Head()))
				return
			}
		}
	}
	d.line("#    locations: [/wp-admin/, /wp-json/]")
}

// plainWord is a word that YAML takes as text without quotes.
var plainWord = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)

// taken are words that YAML does not take as text.
var taken = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

// quoted writes a text as YAML. The double quotes of JSON are among YAML's.
func quoted(s string) string {
	if plainWord.MatchString(s) && !taken[strings.ToLower(s)] {
		return s
	}
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // no string is refused
	}
	return string(b)
}

// comment makes a text stand in a comment: on one line, and without what steers a terminal.
func comment(s string) string {
	const longest = 200
	text := []rune(strings.Join(strings.Fields(s), " "))
	for i, r := range text {
		if r < ' ' || r == 0x7f || !unicode.IsPrint(r) {
			text[i] = '?'
		}
	}
	if len(text) > longest {
		return string(text[:longest]) + "..."
	}
	return string(text)
}

func place(s source.Span) string {
	return fmt.Sprintf("%s:%d", comment(s.File.Path), s.From().Line)
}
