package report

import (
	"fmt"
	"io"
	"strings"
)

// maxChangeMarkdown is what a comment on a pull request takes, with room for what is around it.
const maxChangeMarkdown = 60_000

// writeChangeMarkdown writes a comment on a change: what is otherwise as a list, the gravest first, then the table of pages.
func writeChangeMarkdown(w io.Writer, c *Change, o Options) error {
	e := &errWriter{w: w}
	size := 0
	for i := range c.Steps {
		s := &c.Steps[i]
		title := "### ngxlimit diff"
		if len(c.Steps) > 1 {
			title += ": " + markdownText.Replace(clean(s.pairName()))
		}
		e.print(title, "\n\n", markdownText.Replace(clean(s.summary())), "\n")
		size = s.markdownLines(e, s.lines(), size, o)
		size += s.markdownPages(e)
		size = s.markdownLines(e, s.foundLines(), size, o)
		if names := s.mended(); names != "" {
			e.print("\nmended: ", markdownText.Replace(names), "\n")
		}
		e.print("\n")
	}
	return e.err
}

// markdownLines writes a list, as far as it has room, and returns the size of all so far.
func (s *Step) markdownLines(e *errWriter, lines []changeLine, size int, o Options) int {
	if len(lines) > 0 {
		e.print("\n")
	}
	for n := range lines {
		text := s.markdownLine(&lines[n], o)
		if size += len(text); size > maxChangeMarkdown {
			e.print("- and ", moreOf(len(lines)-n, "change"), "\n")
			break
		}
		e.print(text)
	}
	return size
}

func (s *Step) markdownLine(l *changeLine, o Options) string {
	text := fmt.Sprintf("- **%s** %s", l.kind, markdownText.Replace(clean(l.text)))
	if l.url != "" {
		text += ", for example " + markdownText.Replace(clean(l.url))
	}
	if at := s.spots(l, o); at != "" {
		text += " — " + markdownText.Replace(clean(at))
	}
	return text + "\n"
}

// markdownPages writes the table of pages and returns its size.
func (s *Step) markdownPages(e *errWriter) (size int) {
	if len(s.Pages) == 0 {
		return 0
	}
	e.print("\n| ", strings.Join(changeHead, " | "), " |\n| --- | ---: | --- | --- |\n")
	for i := range s.Pages {
		if i == maxChangeRows {
			e.print("\nand ", count(len(s.Pages)-i, "more row"), "\n")
			break
		}
		cells := changeCells(&s.Pages[i], 120)
		for n, c := range cells {
			cells[n] = markdownText.Replace(c)
		}
		row := "| " + strings.Join(cells, " | ") + " |\n"
		size += len(row)
		e.print(row)
	}
	if note := s.pageNote(); note != "" {
		e.print("\n", markdownText.Replace(note), "\n")
	}
	return size
}
