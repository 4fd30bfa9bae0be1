package config

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// variableBlock reads map, geo and split_clients into the variables that they define.
func (r *resolver) variableBlock(it Item, v *visit, s *scope) {
	entries := r.entries(it, v, s)
	if name, ok := strings.CutPrefix(it.LastWord().Value, "$"); ok {
		r.longWord(variables, it, it.LastWord(), name, NameExact, s.level)
	}
	r.http.Blocks = append(r.http.Blocks, VariableBlock{Item: it, Entries: entries.items})
	args := make([]string, it.NumArgs())
	for i, w := range it.Args() {
		args[i] = w.Value
	}
	words := make([][]string, len(entries.items))
	for i, e := range entries.items {
		words[i] = entryWords(e.Directive)
		if it.Name().Value == "map" && e.NumArgs() == 1 && strings.Contains(e.Arg(0), "$") {
			r.line(entries, i)
			r.template(e, e.Word(0), s.level)
		}
	}
	if name, ok := strings.CutPrefix(args[0], "$"); ok && it.Name().Value == "geo" && len(args) == 2 {
		r.use(name, it, it.Word(0), s.level)
	}
	variables := r.http.Variables
	var problems []value.Problem
	switch it.Name().Value {
	case "map":
		problems = variables.Map(args, words)
		r.mapRegexes(entries.items, s)
	case "geo":
		problems = variables.Geo(args, words)
	default:
		problems = variables.SplitClients(args, words)
	}
	for _, p := range problems {
		if atEnd(p) && v.tornIn(it.Block) {
			continue // nginx does not come to the end
		}
		r.refuseEntry(it, entries, p, s.level)
	}
	if it.Name().Value == "map" {
		r.line(entries, len(entries.items))
		r.longKeys(it, entries.items, s.level)
	}
	r.inOrder(entries)
}

func entryWords(d *syntax.Directive) []string {
	words := make([]string, 1, 1+d.NumArgs())
	words[0] = d.Name().Value
	for _, w := range d.Args() {
		words = append(words, w.Value)
	}
	return words
}

// atEnd says whether a problem is found at the end of the block.
func atEnd(p value.Problem) bool { return p.Entry < 0 && strings.HasPrefix(p.Text, "percent total") }

// refuseEntry tells what is wrong with a block of entries: with one of them, or with the block as a whole.
func (r *resolver) refuseEntry(it Item, entries *entries, p value.Problem, l *Level) {
	r.line(entries, p.Entry)
	out := Refusal{Kind: InvalidValue, Text: p.Text, Warning: p.Warning}
	switch {
	case p.Entry >= 0:
		e := entries.items[p.Entry]
		out.Span, out.Line = e.Head(), line(e.Directive)
	case atEnd(p):
		r.line(entries, len(entries.items))
		out.Span, out.Line = it.Head(), it.File.Position(it.Block.Close).Line
	default:
		out.Span, out.Line = it.Head(), line(it.Directive)
	}
	r.refuse(l, out)
}

// declare makes a variable known that gets its value while a request runs; see value.Definitions.Declare.
func (r *resolver) declare(it Item, w syntax.Word, name, reason string, s *scope) bool {
	if err := r.http.Variables.Declare(name, reason); err != nil {
		r.refuseWord(it, w, s.level, InvalidValue, err.Error())
		return false
	}
	r.longWord(variables, it, w, name, NameExact, s.level)
	return true
}

// setVariable reads set.
func (r *resolver) setVariable(it Item, _ *visit, s *scope) {
	name, ok := strings.CutPrefix(it.Arg(0), "$")
	if !ok {
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, "invalid variable name "+quoted(it.Arg(0)))
		return
	}
	if r.declare(it, it.Word(0), name, "", s) {
		r.template(it, it.Word(1), s.level)
	}
}

// fillVariable reads a directive that fills the variable of its first argument while a request runs.
func (r *resolver) fillVariable(it Item, _ *visit, s *scope) {
	name, ok := strings.CutPrefix(it.Arg(0), "$")
	if !ok {
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, "invalid variable name "+quoted(it.Arg(0)))
		return
	}
	r.declare(it, it.Word(0), name, fmt.Sprintf("$%s is set by %s", name, it.Name().Value), s)
}

// foreign notes the variables that a directive of another project's module may define: each of its words that is a
// variable and nothing else.
func (r *resolver) foreign(it Item) {
	r.foreigners = true
	if r.http == nil {
		return
	}
	for _, w := range it.Words() {
		if name, ok := strings.CutPrefix(w.Value, "$"); ok && name != "" && strings.Trim(name, wordCharacters) == "" {
			_ = r.http.Variables.Declare(name, fmt.Sprintf("$%s is set by %s", name, it.Name().Value)) // a word that nginx defines itself is only used here
		}
	}
}

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
