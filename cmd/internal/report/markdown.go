package report

import (
	"fmt"
	"io"
	"strings"
)

// A job summary takes one mebibyte; what would pass it is counted instead.
const maxMarkdown = 900 << 10

var markdownText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_",
	"[", "\\[", "]", "\\]", "#", "\\#", "@", "&#64;", "\\", "\\\\")

// writeMarkdown writes tables for a job summary or a comment on a change, worst first.
func writeMarkdown(w io.Writer, r *Report, o Options) error {
	e := &errWriter{w: w}
	t := &textWriter{o: o}
	e.print("### ngxlimit: ", markdownText.Replace(t.summary(r)), "\n")
	size := 0
	sorted := worstFirst(r.Findings)
	for i := range sorted {
		f := &sorted[i]
		at := f.Primary.From()
		row := fmt.Sprintf("| %s | %s:%d | %s | [%s](%s) |\n", f.Severity, markdownText.Replace(clean(o.place(f.Primary.File))), at.Line,
			markdownText.Replace(clean(f.Message)), f.Rule.Name, HelpURI(f.Rule.Name))
		if size += len(row); size > maxMarkdown {
			e.print(fmt.Sprintf("\nand %s more\n", count(len(sorted)-i, "finding")))
			break
		}
		if i == 0 {
			e.print("\n| severity | place | finding | rule |\n| --- | --- | --- | --- |\n")
		}
		e.print(row)
	}
	markdownPages(e, r)
	return e.err
}

// markdownPages writes the table of page loads.
func markdownPages(e *errWriter, r *Report) {
	rows := pageRows(r)
	if len(rows) == 0 {
		return
	}
	e.print(fmt.Sprintf("\nWhat a load of the page %q suffers:\n\n", rows[0].page.Fan),
		"| location | clients | requests | delayed | refused | added p95 | longest |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for i, row := range rows {
		if i == maxPageRows {
			e.print(fmt.Sprintf("\nand %s more\n", count(len(rows)-i, "limited location")))
			return
		}
		name := markdownText.Replace(row.name(120))
		one, many := row.loc.One, row.loc.Office
		e.print(fmt.Sprintf("| %s | 1 | %d | %d | %d | %s | %s |\n", name, one.Requests, one.Delayed, one.Rejected, added(one.AddedMs.P95), added(one.AddedMs.Max)))
		if row.page.Clients > 1 {
			e.print(fmt.Sprintf("| | %d | %d | %d | %d | %s | %s |\n", row.page.Clients, many.Requests, many.Delayed, many.Rejected, added(many.AddedMs.P95), added(many.AddedMs.Max)))
		}
	}
}
