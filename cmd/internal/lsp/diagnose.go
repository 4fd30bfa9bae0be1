package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// diagnose judges everything that is open, and returns what is to be shown of each file that has findings or is open.
// The messages are for the person.
func (n *snapshot) diagnose(client *initializeParams) (files map[string]*publishParams, messages []string) {
	files = map[string]*publishParams{}
	versions := client.Capabilities.TextDocument.PublishDiagnostics.VersionSupport
	for _, d := range n.docs {
		files[d.uri] = n.published(d.uri, versions)
	}
	for _, v := range n.all() {
		if err := v.settings().err; err != nil {
			messages = append(messages, fmt.Sprintf("the settings are not used: %v", err))
		}
		result := v.result()
		messages = append(messages, result.Defects...)
		for i := range result.Findings {
			f := &result.Findings[i]
			if f.Primary.File == nil {
				continue
			}
			one := v.diagnostic(f, client)
			for _, uri := range v.urisOf(f.Primary.File) {
				if files[uri] == nil {
					files[uri] = n.published(uri, versions)
				}
				files[uri].Diagnostics = append(files[uri].Diagnostics, one)
			}
		}
	}
	for _, file := range files {
		file.Diagnostics = distinct(file.Diagnostics)
	}
	return files, messages
}

// all are the configurations that something open belongs to, each once.
func (n *snapshot) all() []*view {
	var all []*view
	for _, d := range n.docs {
		for _, v := range n.of(d) {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// published is what is told of a file before anything was found in it.
func (n *snapshot) published(uri string, versions bool) *publishParams {
	p := &publishParams{URI: uri, Diagnostics: []diagnostic{}}
	for _, d := range n.docs {
		if d.uri == uri && versions {
			p.Version = &d.version
		}
	}
	return p
}

// distinct sorts diagnostics by their place and takes out what two configurations say of a file in the same words.
func distinct(all []diagnostic) []diagnostic {
	slices.SortStableFunc(all, func(a, b diagnostic) int {
		x, y := a.Range, b.Range
		return cmp.Or(cmp.Compare(x.Start.Line, y.Start.Line), cmp.Compare(x.Start.Character, y.Start.Character),
			cmp.Compare(x.End.Line, y.End.Line), cmp.Compare(x.End.Character, y.End.Character),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(all, func(a, b diagnostic) bool {
		return a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
	})
}

// without are the rules about text that has no effect, which editors show in a fainter colour.
var without = map[string]bool{
	"nodelay-without-burst": true, "delay-beside-nodelay": true, "delay-not-below-burst": true, "map-entry-unreachable": true,
	"limit-never-runs": true, "zone-unused": true, "realip-header-without-trust": true, "realip-list-replaced": true,
}

func tagsOf(f *rule.Finding) []int {
	if without[f.Rule.Name] {
		return []int{tagUnnecessary}
	}
	return nil
}

func severityOf(s rule.Severity) int {
	switch s {
	case rule.Error:
		return severityError
	case rule.Warning:
		return severityWarning
	case rule.Note:
	}
	return severityInformation
}

// diagnostic words a finding for the client.
func (v *view) diagnostic(f *rule.Finding, client *initializeParams) diagnostic {
	can := &client.Capabilities.TextDocument.PublishDiagnostics
	d := diagnostic{
		Range: v.rangeOf(f.Primary), Severity: severityOf(f.Severity), Code: f.Rule.Name, Source: "ngxlimit", Message: visible(f.Message),
	}
	if f.Places > 1 {
		d.Message += fmt.Sprintf(" (and in %d more places)", f.Places-1)
	}
	if can.CodeDescriptionSupport {
		d.CodeDescription = &codeDescription{report.HelpURI(f.Rule.Name)}
	}
	if can.TagSupport != nil {
		d.Tags = slices.DeleteFunc(tagsOf(f), func(tag int) bool { return !slices.Contains(can.TagSupport.ValueSet, tag) })
	}
	if can.RelatedInformation {
		for _, label := range f.Related {
			if label.Span.File != nil {
				d.Related = append(d.Related, related{v.locate(label.Span), visible(label.Message)})
			}
		}
	}
	return d
}

// visible shows text of a configuration, which may hold any bytes, without what steers a terminal or the direction of
// text: an editor may hand a message on to one.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
