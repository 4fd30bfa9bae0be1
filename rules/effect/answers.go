package effect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// answer notes where a request is answered otherwise. Only who answers counts, not which location has it do so.
func (p *prober) answer(was, is *pipeline.Trace, url string) {
	before, after := answered(was, p.old.Tree), answered(is, p.new.Tree)
	if before.sign == after.sign {
		return
	}
	p.touched[is.Server] = true
	key := before.sign + "\x00" + after.sign + "\x00" + serverName(is.Server)
	if i, ok := p.answers[key]; ok {
		p.effect.Answers[i].Others++
		return
	}
	p.answers[key] = len(p.effect.Answers)
	p.effect.Answers = append(p.effect.Answers, Answer{
		Severity: rule.Note, URL: url, Was: before.words(was), Is: after.words(is), At: after.at,
	})
}

// An answering is who answers a request.
type answering struct {
	sign string // equal where the same is answered
	text string
	at   source.Span
}

func (a *answering) words(t *pipeline.Trace) string {
	if l := label(t.Location); l != "" {
		return a.text + " in location " + l
	}
	return a.text + " in the server"
}

func answered(t *pipeline.Trace, tree *config.Tree) answering {
	level := &t.Server.Level
	var handler *config.Item
	if t.Location != nil {
		level, handler = &t.Location.Level, t.Location.Handler
	}
	a := answering{at: headOf(level)}
	switch {
	case t.Redirect != "":
		a.text = fmt.Sprintf("%d to %s", t.Status, t.Redirect)
	case t.Status != 0 && t.EndsIn != pipeline.EndContent:
		a.text = fmt.Sprintf("status %d", t.Status)
	case handler != nil && handler.Directive != nil:
		a.text = rule.Quoted(handler.Directive)
		a.sign = upstreamSign(handler, tree)
	default:
		a.text = "a file"
		for _, name := range []string{"alias", "root"} {
			if it, ok := level.Effective(name); ok {
				a.text = "a file below " + it.Arg(0)
				break
			}
		}
	}
	if a.sign == "" {
		a.sign = a.text
	}
	return a
}

// upstreamSign is the handler's words, with what an upstream block says in place of its name.
func upstreamSign(it *config.Item, tree *config.Tree) string {
	words := make([]string, 0, 1+it.NumArgs())
	for _, w := range it.Words() {
		words = append(words, w.Value)
	}
	if len(words) < 2 {
		return strings.Join(words, " ")
	}
	scheme, rest, found := strings.Cut(words[1], "://")
	if !found {
		scheme, rest = "", words[1]
	}
	name, uri, hasURI := strings.Cut(rest, "/")
	block, ok := tree.HTTP.Upstreams[name]
	if !ok || block.Block == nil {
		return strings.Join(words, " ")
	}
	lines := make([]string, 0, len(block.Block.Directives))
	for i := range block.Block.Directives {
		var line []string
		for _, w := range block.Block.Directives[i].Words() {
			line = append(line, w.Value)
		}
		lines = append(lines, strings.Join(line, " "))
	}
	slices.Sort(lines)
	words[1] = fmt.Sprintf("%s://{%s} %v /%s", scheme, strings.Join(lines, ";"), hasURI, uri)
	return strings.Join(words, " ")
}

func headOf(l *config.Level) source.Span {
	if l == nil || l.Directive == nil {
		return source.Span{}
	}
	return l.Directive.Head()
}

// maxZones is how many zones are named.
const maxZones = 3

func zoneNames(zones map[string]bool) string {
	names := slices.Sorted(maps.Keys(zones))
	word := "zone "
	if len(names) > 1 {
		word = "zones "
	}
	if len(names) > maxZones {
		return fmt.Sprintf("%s%s and %d more", word, strings.Join(names[:maxZones], ", "), len(names)-maxZones)
	}
	return word + strings.Join(names, ", ")
}
