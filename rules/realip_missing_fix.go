package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// realipMissingFix trusts what was said to stand in front, beside the zone; nil where nothing was.
func realipMissingFix(p *rule.Pass, b *rule.Bucket, servers []*config.Server) *rule.Fix {
	if len(p.Settings.Fronts) == 0 {
		return nil
	}
	r, ok := readingOf(p, servers)
	lines := trustLines(p, servers, r)
	if !ok || len(lines) == 0 {
		return nil
	}
	title := "trust what stands in front"
	if !r.sure {
		title += ", if it sends " + r.header
	}
	lines = append(lines, "real_ip_header "+r.header+";")
	if r.recursive {
		lines = append(lines, "real_ip_recursive on;")
	}
	return &rule.Fix{Title: title, Safe: r.sure, Edits: []source.Edit{b.Item.InsertLines(lines)}}
}
