package report

import (
	"github.com/fatih/color"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A palette colours pieces of text, or leaves them alone.
type palette struct{ on bool }

func (p palette) paint(s string, attributes ...color.Attribute) string {
	if !p.on || s == "" {
		return s
	}
	c := color.New(attributes...)
	c.EnableColor() // the decision was made by whoever knows the writer
	return c.Sprint(s)
}

func (p palette) bold(s string) string   { return p.paint(s, color.Bold) }
func (p palette) faint(s string) string  { return p.paint(s, color.Faint) }
func (p palette) gutter(s string) string { return p.paint(s, color.FgBlue) }
func (p palette) related(s string) string {
	return p.paint(s, color.FgBlue)
}

func (p palette) help(s string) string { return p.paint(s, color.FgGreen) }

func (p palette) severity(s rule.Severity, text string) string {
	switch s {
	case rule.Error:
		return p.paint(text, color.FgRed, color.Bold)
	case rule.Warning:
		return p.paint(text, color.FgYellow, color.Bold)
	case rule.Note:
		return p.paint(text, color.FgCyan, color.Bold)
	}
	return text
}
