package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/effect"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A Fleet is what was seen of several machines by their dumps. The first group is the largest, with which the others are
// compared.
type Fleet struct {
	Hosts  int
	Groups []HostGroup
}

// A HostGroup is machines with the very same configuration.
type HostGroup struct {
	Hosts  []string       // the inputs
	Effect *effect.Effect // in what it differs from the first group; nil for that one, and where there are too many to compare
}

// HostName is what people call the machine of a dump: the file's name without what stands behind its last point.
func HostName(path string) string {
	base := filepath.Base(path)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return base
}

// hostNames names up to three machines.
func hostNames(paths []string) string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = HostName(p)
	}
	return few(names)
}

// said is a finding's message, with the machines that have it.
func said(f *rule.Finding) string {
	if len(f.Hosts) == 0 {
		return f.Message
	}
	return fmt.Sprintf("%s (on %s)", f.Message, hostNames(f.Hosts))
}

// Bounds of what is told of machines that differ.
const (
	maxGroups     = 20
	maxGroupLines = 3
)

// lines tell which machines are alike, and in what the others differ.
func (f *Fleet) lines() (title string, lines []string) {
	first := &f.Groups[0]
	if len(f.Groups) == 1 {
		return fmt.Sprintf("All %d hosts have the same configuration", f.Hosts), nil
	}
	title = fmt.Sprintf("%d hosts have %d configurations", f.Hosts, len(f.Groups))
	lines = append(lines, fmt.Sprintf("%s: %s", hostNames(first.Hosts), alike(len(first.Hosts))))
	for i := 1; i < len(f.Groups); i++ {
		if i == maxGroups {
			return title, append(lines, fmt.Sprintf("and %s", moreOf(len(f.Groups)-i, "other configuration")))
		}
		lines = append(lines, f.Groups[i].lines(first)...)
	}
	return title, lines
}

func alike(n int) string {
	if n == 1 {
		return "compared with the others"
	}
	return fmt.Sprintf("the same on %d, compared with the others", n)
}

func (g *HostGroup) lines(first *HostGroup) []string {
	name := hostNames(g.Hosts)
	if g.Effect == nil {
		return []string{name + ": another configuration"}
	}
	step := Step{Before: Input{Files: 1, Complete: true}, After: Input{Files: 1, Complete: true}, Effect: g.Effect}
	all := step.lines()
	if len(all) == 0 {
		return []string{name + ": written in another way, the same in effect"}
	}
	lines := []string{name + ": " + step.summary()}
	for i, l := range all {
		if i == maxGroupLines {
			lines = append(lines, fmt.Sprintf("  and %s: ngxlimit diff %s %s", moreOf(len(all)-i, "difference"), first.Hosts[0], g.Hosts[0]))
			break
		}
		lines = append(lines, "  "+l.kind+": "+l.text)
	}
	return lines
}

func (t *textWriter) fleet(f *Fleet) {
	if f == nil {
		return
	}
	title, lines := f.lines()
	t.print("\n", t.p.bold(title), "\n")
	for _, l := range lines {
		t.print(wrap(clean(l), t.o.width()), "\n")
	}
}

func markdownFleet(e *errWriter, f *Fleet) {
	if f == nil {
		return
	}
	title, lines := f.lines()
	e.print("\n", title, "\n\n")
	for _, l := range lines {
		indent := ""
		if strings.HasPrefix(l, " ") {
			indent = "  "
		}
		e.print(indent, "- ", markdownText.Replace(clean(strings.TrimSpace(l))), "\n")
	}
}

type jsonGroup struct {
	Hosts    []string     `json:"hosts"`
	Compared bool         `json:"compared"` // with the first group
	Limits   []jsonLimits `json:"limits"`
	Answers  []jsonAnswer `json:"answers"`
	Servers  []jsonServer `json:"servers"`
}

func (g *HostGroup) toJSON() jsonGroup {
	out := jsonGroup{Hosts: g.Hosts, Limits: []jsonLimits{}, Answers: []jsonAnswer{}, Servers: []jsonServer{}}
	if g.Effect == nil {
		return out
	}
	step := (&Step{Effect: g.Effect}).toJSON(Options{})
	out.Compared, out.Limits, out.Answers, out.Servers = true, step.Limits, step.Answers, step.Servers
	return out
}
