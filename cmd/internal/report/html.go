package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed html/simulation.html
var simulationHTML string

//go:embed html/simulation.css
var simulationCSS string

// WriteSimulationHTML writes a simulation as one page that needs nothing else: no script, no network. Colours have
// patterns beside them, and it follows the reader's light or dark setting and the width of the screen.
func WriteSimulationHTML(w io.Writer, s Simulation) error {
	page, err := template.New("simulation").Parse(simulationHTML)
	if err != nil {
		return fmt.Errorf("parse the page's template: %w", err)
	}
	if err := page.Execute(w, viewOf(s)); err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	return nil
}

// A pageView is what the template shows. Text in it is clean; numbers are ready to be printed.
type pageView struct {
	CSS                            template.CSS
	Title, Input, Feeling, Version string
	Change                         *changeView   // nil where nobody suffers
	Trusting                       *trustingView // nil where clients connect themselves
	Sides                          []sideView    // the configuration as it is, and with the change
	Figures                        []figureRow
	Falls                          [][]fallView  // one row of each: the sides
	Charts                         [][]chartView // likewise
	Added                          []addedRow
	Tests                          []testView
	Assumptions                    []string
}

// A testView is one of the named tests, of the configuration as it is.
type testView struct {
	Passed        bool
	Name, Message string
}

// A sideView is one of the configurations that are compared.
type sideView struct {
	Name                     string
	Locations, Crowds, Zones []numbersRow
	Front                    string // the edge's product; "" where there is none
	Edge                     []numbersRow
	EdgeLines                []string
}

type numbersRow struct {
	Name  string
	Cells []string
}

// A figureRow is one key figure on each side.
type figureRow struct {
	Name  string
	Cells []figureCell
}

type figureCell struct {
	ID, Text string
	Value    int64 // milliseconds or a number of requests or pages
	Bad      bool
}

// An addedRow says how many requests were held up for so long, on each side.
type addedRow struct {
	Name    string
	Refused bool
	Cells   []addedCell
}

type addedCell struct {
	Class   string
	Percent float64 // of the longest bar
	N       int64
}

// percent is part of whole as the width or place of something in a page, to three digits.
func percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part*100_000/whole) / 1000
}

// A tickView is a label of an axis.
type tickView struct {
	Left float64
	Text string
}

// timeTicks divides an axis of times into at most five round steps.
func timeTicks(span int64) []tickView {
	step := int64(1)
	for factors := [...]int64{2, 5, 10}; span/step > 5; {
		for _, f := range factors {
			if span/(step*f) <= 5 {
				step *= f
				break
			}
		}
		if span/step > 5 {
			step *= 10
		}
	}
	ticks := []tickView{{0, "0"}}
	for t := step; t <= span; t += step {
		ticks = append(ticks, tickView{percent(t, span), duration(t)})
	}
	return ticks
}

// cleanAll makes text from a configuration fit to be shown.
func cleanAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = clean(strings.TrimRight(l, "\r\n"))
	}
	return out
}
