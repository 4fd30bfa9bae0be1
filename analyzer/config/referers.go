package config

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// validReferers reads valid_referers. The names of several at one level share one table.
func (r *resolver) validReferers(it Item, _ *visit, s *scope) {
	taken := r.referers[s.level]
	if taken == nil {
		taken = &takenNames{exact: make(map[string]*Name)}
		r.referers[s.level] = taken
	}
	for _, w := range it.Args() {
		if !r.validReferer(it, w, s, taken) {
			return
		}
	}
	r.doubtful = true
}

func (r *resolver) validReferer(it Item, w syntax.Word, s *scope, taken *takenNames) bool {
	name, kind, ok := refererName(w.Value)
	text := ""
	switch {
	case w.Value == "":
		text = `invalid referer ""`
	case w.Value == "~":
		text = `empty regex in "~"`
	case kind == NameRegex:
		_, ok := r.plainRegex(it, w, w.Value[1:], true, s)
		return ok
	case !ok:
		return true
	case !validName(lower(name), kind):
		text = `invalid hostname or wildcard ` + quoted(name)
	case taken.take(&Name{Text: name, Kind: kind}, lower(name)) != nil:
		text = `conflicting parameter ` + quoted(lower(name))
	}
	if text != "" {
		r.refuseWord(it, w, s.level, InvalidValue, text)
		return false
	}
	r.longWord(referers, it, w, name, kind, s.level)
	return true
}

// refererName returns the host name in a word of valid_referers, without the path behind it; no where it holds none.
func refererName(word string) (name string, kind NameKind, ok bool) {
	switch {
	case word == "none", word == "blocked", word == "server_names", word == "":
		return "", NameExact, false
	case word[0] == '~':
		return "", NameRegex, false
	}
	name, _, _ = strings.Cut(word, "/")
	return name, nameKind(name), true
}

// refererNames puts the server's names into the table of a level's referers, where the list says so, and says whether the
// table has any name. Where it has none, and the list has "none" or "blocked", nginx refuses it when the http block closes.
func (r *resolver) refererNames(l *Level, of *Server) bool {
	lists := l.FindAll(referers.by[0])
	any, special := false, false
	for _, it := range lists {
		for _, w := range it.Args() {
			_, _, ok := refererName(w.Value)
			any = any || ok || w.Value == "server_names" && r.serverReferers(it, w, l, of)
			special = special || w.Value == "none" || w.Value == "blocked"
		}
	}
	if special && !any {
		r.refuse(l, Refusal{
			Kind: InvalidValue, Span: lists[0].Head(),
			Text: `the "none" or "blocked" referers are specified in the "valid_referers" directive without any valid referer`,
		})
	}
	return any
}

// serverReferers puts the names of a server into the table of a level's referers, and says whether there are any.
func (r *resolver) serverReferers(it Item, w syntax.Word, l *Level, of *Server) bool {
	any := false
	for _, n := range of.Names {
		if n.Kind == NameRegex {
			continue
		}
		any = true
		text := lower(n.Text)
		if !validName(text, n.Kind) {
			continue // refused as a name
		}
		if r.referers[l].take(n, text) != nil {
			r.refuse(l, Refusal{Kind: DuplicateDirective, Span: it.WordSpan(w), Line: r.lastLine(), Text: "conflicting parameter " + quoted(text)})
			continue
		}
		r.longWord(referers, it, w, text, n.Kind, l)
	}
	return any
}
