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
			markdownText.Replace(clean(said(f))), f.Rule.Name, HelpURI(f.Rule.Name))
		if size += len(row); size > maxMarkdown {
			e.print(fmt.Sprintf("\nand %s more\n", count(len(sorted)-i, "finding")))
			break
		}
		if i == 0 {
			e.print("\n| severity | place | finding | rule |\n| --- | --- | --- | --- |\n")
		}
		e.print(row)
	}
	markdownFleet(e, r.Fleet)
	markdownPages(e, r)
	return e.err
}

// markdownPages writes the tables of page loads.
func markdownPages(e *errWriter, r *Report) {
	for _, p := range pageTables(r) {
		markdownPage(e, p)
	}
}

func markdownPage(e *errWriter, p *pageTable) {
	e.print("\n", markdownText.Replace(p.title()), "\n\n")
	if len(p.rows) > 0 {
		e.print("| ", strings.Join(pageHead, " | "), " |\n| ---", strings.Repeat(" | ---:", len(pageHead)-1), " |\n")
	}
	for _, row := range p.rows {
		for _, cells := range row.cells(120) {
			for _, c := range cells {
				e.print("| ", markdownText.Replace(fmt.Sprint(c)), " ")
			}
			e.print("|\n")
		}
	}
	for _, s := range p.words() {
		e.print("\n", markdownText.Replace(s), "\n")
	}
}
