package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/effect"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A Change is what a diff found: the step from one configuration to another one, or from one of each of several pairs.
type Change struct {
	Version string // of ngxlimit
	Steps   []Step
}

// A Step is one configuration before and after.
type Step struct {
	Before, After Input // of no files where there is none on that side
	*effect.Effect
	OldDir string // the folder that places before are shown from; "" takes that of the options
}

// DiffFormats are the formats of a diff.
var DiffFormats = []string{"text", "json", "markdown"}

// A changeLine is one thing that is otherwise, for people.
type changeLine struct {
	severity rule.Severity
	kind     string // one word: "lost", "answer", "new finding"
	text     string
	url      string
	old, new source.Span
}

// lines are what is otherwise for requests, in the order to be shown.
func (s *Step) lines() []changeLine {
	list := make([]changeLine, 0, len(s.Limits)+len(s.Sharing)+len(s.Servers)+len(s.Answers))
	for i := range s.Limits {
		list = append(list, limitLine(&s.Limits[i]))
	}
	for _, d := range s.Sharing {
		list = append(list, changeLine{effect.SeverityOf(d), string(d.Direction), d.Text, "", d.Old, d.New})
	}
	for _, v := range s.Servers {
		l := changeLine{severity: v.Severity, kind: "server", text: v.Name + " is new: " + v.Text, new: v.At}
		if v.Gone {
			l.text, l.old, l.new = v.Name+" is gone: "+v.Text, v.At, source.Span{}
		}
		list = append(list, l)
	}
	for _, a := range s.Answers {
		text := fmt.Sprintf("%s is answered by %s instead of %s", a.URL, a.Is, a.Was)
		switch {
		case a.Others == 1:
			text += ", and so is another address"
		case a.Others > 1:
			text += fmt.Sprintf(", and so are %s", moreOf(a.Others, "address"))
		}
		list = append(list, changeLine{severity: a.Severity, kind: "answer", text: text, new: a.At})
	}
	return list
}

// foundLines are the findings that came.
func (s *Step) foundLines() []changeLine {
	list := make([]changeLine, 0, len(s.New))
	for i := range s.New {
		f := &s.New[i]
		list = append(list, changeLine{f.Severity, "new finding", f.Message + " [" + f.Rule.Name + "]", "", source.Span{}, f.Primary})
	}
	return list
}

// mended names the rules whose findings went; "" where none did.
func (s *Step) mended() string {
	n := map[string]int{}
	for i := range s.Mended {
		n[s.Mended[i].Rule.Name]++
	}
	names := slices.Sorted(maps.Keys(n))
	for i, name := range names {
		if n[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, n[name])
		}
	}
	return strings.Join(names, ", ")
}

func limitLine(l *effect.Limits) changeLine {
	out := changeLine{severity: l.Severity, kind: string(l.Direction), url: l.URL}
	texts := make([]string, 0, len(l.Differences))
	for _, d := range l.Differences {
		texts = append(texts, d.Text)
	}
	place := l.Place()
	if l.Was != "" {
		place += " (before: " + l.Was + ")"
	}
	out.text = place + ": " + strings.Join(texts, "; ")
	if len(l.Others) > 0 {
		out.text += "; likewise at " + rule.Some(l.Others)
	}
	// The place that has most to do with it: that of the gravest difference.
	for _, d := range l.Differences {
		if d.Direction == l.Direction && d.Direction != "" {
			out.old, out.new = d.Old, d.New
			break
		}
	}
	return out
}

// moreOf words how many others there are.
func moreOf(n int, noun string) string {
	if n == 1 {
		return "1 more " + noun
	}
	return strings.Replace(count(n, noun), " ", " more ", 1)
}

// spot names the place of a span; "" where it has no file.
func (o Options) spot(s source.Span) string {
	if s.File == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", o.place(s.File), s.From().Line)
}

// spots say where to look, before and after.
func (s *Step) spots(l *changeLine, o Options) string {
	before := o
	if s.OldDir != "" {
		before.Dir = s.OldDir
	}
	old, renewed := before.spot(l.old), o.spot(l.new)
	switch {
	case old != "" && renewed != "":
		return renewed + " (before: " + old + ")"
	case old != "":
		return "before: " + old
	}
	return renewed
}

// pairName is what the step is about, where there are several.
func (s *Step) pairName() string {
	switch {
	case s.Before.Files == 0:
		return s.After.Path + " is new"
	case s.After.Files == 0:
		return s.Before.Path + " is gone"
	}
	return s.After.Path
}

// summary is the line that sums a step up.
func (s *Step) summary() string {
	var parts []string
	n := map[compare.Direction]int{}
	for i := range s.Limits {
		n[s.Limits[i].Direction]++
	}
	for _, d := range s.Sharing {
		n[d.Direction]++
	}
	for _, of := range []compare.Direction{compare.Lost, compare.Loosened, compare.Changed, compare.Tightened, compare.Gained} {
		if n[of] > 0 {
			parts = append(parts, numeral.Count(n[of])+" "+string(of))
		}
	}
	text := "no limit is otherwise"
	if len(parts) > 0 {
		text = "limits: " + strings.Join(parts, ", ")
	} else if n[compare.Other] > 0 {
		text = "limits let as much through as before"
	}
	if s.Empty() {
		text = "nothing changed in effect"
	}
	if len(s.New)+len(s.Mended) > 0 {
		text += fmt.Sprintf("; findings: %s new, %s mended", numeral.Count(len(s.New)), numeral.Count(len(s.Mended)))
	}
	worse, better := s.pageTally()
	if worse+better > 0 {
		text += fmt.Sprintf("; pages: %s worse, %s better", numeral.Count(worse), numeral.Count(better))
	}
	if s.Same > 0 {
		text += fmt.Sprintf("; pages of %s as before", count(s.Same, "server"))
	}
	if s.Skipped > 0 {
		text += fmt.Sprintf("; pages of %s not simulated", count(s.Skipped, "further server"))
	}
	if s.Unasked {
		text += "; there are more addresses than were tried"
	}
	if s.Before.Files > 0 && s.Before.lacking() || s.After.Files > 0 && s.After.lacking() {
		text += "; part of the input could not be read, so there may be more"
	}
	return text
}

// pageTally counts pages that stand for what people load.
func (s *Step) pageTally() (worse, better int) {
	for i := range s.Pages {
		switch p := &s.Pages[i]; {
		case !p.Stands || p.Clients > 1:
		case p.Severity != "":
			worse++
		default:
			better++
		}
	}
	return worse, better
}

// changeHead are the columns of the table of pages before and after.
var changeHead = []string{"page", "clients", "before", "after"}

// changeCells are one row of it.
func changeCells(p *effect.Page, width int) []string {
	name := p.Fan
	if p.Others > 0 {
		name += fmt.Sprintf(" at %s and %s alike", clean(p.Server), count(p.Others, "server"))
	} else {
		name += " at " + clean(p.Server)
	}
	return []string{middle(name, width), numeral.Count(p.Clients), loadWords(p.Old, p.Clients), loadWords(p.New, p.Clients)}
}

// loadWords says what those who load the page see.
func loadWords(l effect.Load, clients int) string {
	switch {
	case l.Broken > 0 && clients == 1:
		return fmt.Sprintf("broken, %s refused", numeral.Count(l.Rejected))
	case l.Broken > 0:
		return fmt.Sprintf("%s broken, %s refused", numeral.Count(l.Broken), numeral.Count(l.Rejected))
	case clients > 1 && l.P95Ms > l.P50Ms:
		return fmt.Sprintf("%s, p95 %s", duration(l.P50Ms), duration(l.P95Ms))
	}
	return duration(l.P50Ms)
}

// pageNote says which rows are only for comparison.
func (s *Step) pageNote() string {
	for i := range s.Pages {
		if !s.Pages[i].Stands {
			return "\"portal\" stands for what people load where the settings name nothing else; the others are pages that are known, for comparison"
		}
	}
	return ""
}
