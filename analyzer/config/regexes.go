package config

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A Regex is a regular expression that deserves a look: one that nginx takes and that is not run here, or one with a repeat
// within a repeat. Each is kept once, where it first stands.
type Regex struct {
	*pcre.Regex
	Item   Item        // the directive, or the entry of a map
	Span   source.Span // the word that holds it
	At     *Level
	Places int // how many words hold it
}

// looked is what is kept of a regular expression that was looked at: the same few patterns come again and again.
type looked struct {
	names   []string
	refused error
	groups  int
	kept    int // its place in the tree's Regexes, from 1; 0 where it is not kept
}

// regexKey tells regular expressions apart.
type regexKey struct {
	pattern  string
	caseless bool
}

// regex looks at a regular expression of a directive: what PCRE refuses is refused, and its named groups become variables.
func (r *resolver) regex(it Item, w syntax.Word, pattern string, caseless bool, s *scope) bool {
	l, ok := r.plainRegex(it, w, pattern, caseless, s)
	if !ok {
		return false
	}
	for _, name := range l.names {
		if !r.declare(it, w, name, "", s) {
			return false
		}
	}
	return true
}

// plainRegex is regex for a directive whose groups name no variables.
func (r *resolver) plainRegex(it Item, w syntax.Word, pattern string, caseless bool, s *scope) (looked, bool) {
	key := regexKey{pattern, caseless}
	l, known := r.regexes[key]
	if !known {
		re := pcre.New(pattern, caseless)
		l = looked{refused: re.Refused(), groups: re.Groups()}
		for _, n := range re.Names() {
			l.names = append(l.names, n.Name)
		}
		l.kept = r.keepRegex(re, it, w, s)
		r.regexes[key] = l
	} else if l.kept > 0 {
		r.tree.Regexes[l.kept-1].Places++
	}
	if l.refused != nil {
		r.refuseWord(it, w, s.level, InvalidValue, l.refused.Error())
		return l, false
	}
	return l, true
}

// keepRegex keeps a regular expression that deserves a look, and returns its place; 0 for any other.
func (r *resolver) keepRegex(re *pcre.Regex, it Item, w syntax.Word, s *scope) int {
	if re.Refused() != nil || re.NotRun() == nil && !re.MayBeCatastrophic() || len(r.tree.Regexes) >= regexesMax {
		return 0
	}
	r.tree.Regexes = append(r.tree.Regexes, Regex{Regex: re, Item: it, Span: it.WordSpan(w), At: s.level, Places: 1})
	return len(r.tree.Regexes)
}

// regexesMax bounds what is kept.
const regexesMax = 10_000

// mapRegexes looks at the regular expressions of a map, which have been read with it.
func (r *resolver) mapRegexes(entries []Item, s *scope) {
	for _, e := range entries {
		pattern, ok := strings.CutPrefix(e.Name().Value, "~")
		if !ok {
			continue
		}
		pattern, caseless := strings.CutPrefix(pattern, "*")
		key := regexKey{pattern, caseless}
		if l, known := r.regexes[key]; known {
			if l.kept > 0 {
				r.tree.Regexes[l.kept-1].Places++
			}
			continue
		}
		re := r.http.Variables.Regex(pattern, caseless)
		if at := r.keepRegex(re, e, e.Name(), s); at > 0 {
			l := looked{groups: re.Groups(), kept: at}
			for _, n := range re.Names() {
				l.names = append(l.names, n.Name)
			}
			r.regexes[key] = l
		}
	}
}

// regexHandler returns what looks at the regular expressions of directives that decide nothing about limits.
func regexHandler(name string) handler {
	switch name {
	case "valid_referers":
		return (*resolver).validReferers
	case "gzip_disable":
		return (*resolver).gzipDisable
	case "fastcgi_split_path_info":
		return (*resolver).splitPathInfo
	case "proxy_redirect", "proxy_cookie_path":
		return func(r *resolver, it Item, _ *visit, s *scope) { r.replacement(it, false, s) }
	case "proxy_cookie_domain", "proxy_cookie_flags":
		return func(r *resolver, it Item, _ *visit, s *scope) { r.replacement(it, true, s) }
	}
	return nil
}

func (r *resolver) gzipDisable(it Item, _ *visit, s *scope) {
	for _, w := range it.Args() {
		if w.Value == "msie6" || w.Value == "degradation" {
			continue
		}
		if _, ok := r.plainRegex(it, w, w.Value, true, s); !ok {
			return
		}
	}
}

func (r *resolver) splitPathInfo(it Item, _ *visit, s *scope) {
	w := it.Word(0)
	if l, ok := r.plainRegex(it, w, w.Value, false, s); ok && l.groups != 2 {
		r.refuseWord(it, w, s.level, InvalidValue, fmt.Sprintf(`pattern "%s" must have 2 captures`, w.Value))
	}
}

// replacement looks at what a directive rewrites in the headers of an upstream's answer.
func (r *resolver) replacement(it Item, caseless bool, s *scope) {
	pattern, ok := strings.CutPrefix(it.Arg(0), "~")
	if !ok || it.NumArgs() < 2 {
		return
	}
	if !caseless {
		pattern, caseless = strings.CutPrefix(pattern, "*")
	}
	r.regex(it, it.Word(0), pattern, caseless, s)
}
