package config

import (
	"fmt"
	"strings"
)

// serverName reads server_name.
func (r *resolver) serverName(it Item, _ *visit, s *scope) {
	for _, w := range it.Args() {
		text := w.Value
		switch {
		case strings.HasPrefix(text, "*") && (len(text) < 3 || text[1] != '.'), text == ".":
			r.refuseWord(it, w, s.level, InvalidValue, fmt.Sprintf(`server name "%s" is invalid`, text))
			return
		case text == "~":
			r.refuseWord(it, w, s.level, InvalidValue, fmt.Sprintf(`empty regex in server name "%s"`, text))
			return
		case strings.Contains(text, "/"):
			r.refuse(s.level, Refusal{
				Kind: InvalidValue, Span: it.WordSpan(w), Line: line(it.Directive), Warning: true,
				Text: fmt.Sprintf(`server name "%s" has suspicious symbols`, text),
			})
		}
		if pattern, ok := strings.CutPrefix(text, "~"); ok {
			caseless := lower(pattern) != pattern
			r.regex(it, w, pattern, caseless, s)
			s.server.captures = r.regexes[regexKey{pattern, caseless}].groups > 0
		}
		s.server.Names = append(s.server.Names, &Name{Text: text, Kind: nameKind(text), Span: it.WordSpan(w)})
	}
}

func nameKind(text string) NameKind {
	switch {
	case strings.HasPrefix(text, "~"):
		return NameRegex
	case strings.HasPrefix(text, "*."):
		return NameLeading
	case strings.HasPrefix(text, "."):
		return NameDot
	case strings.HasSuffix(text, ".*"):
		return NameTrailing
	}
	return NameExact
}

// conflictingNames warns of names that stand twice at one address, and refuses what cannot be a name
// (ngx_http_server_names). nginx finds them when the http block has closed.
func (r *resolver) conflictingNames() {
	h := r.http.hash("server_names_hash")
	for _, at := range r.ports.order {
		if len(at.servers) == 0 || len(at.servers) == 1 && !at.servers[0].captures {
			continue // there is nothing to choose between
		}
		count := 0
		for _, s := range at.servers {
			count += len(s.Names)
		}
		taken := takenNames{exact: make(map[string]*Name, count)}
		for _, s := range at.servers {
			for _, n := range s.Names {
				if n.Kind != NameRegex {
					r.takeName(n, s, at, &taken)
				}
			}
		}
		r.longNames(at, &taken, h)
	}
}

// takenNames are the names at an address. Exact names, leading and trailing wildcards are apart; ".a.example" is the
// first two at once.
type takenNames struct{ exact, leading, trailing map[string]*Name }

// take notes a name, given in lower case, unless it is taken: then it returns the earlier one.
func (t *takenNames) take(n *Name, text string) (earlier *Name) {
	switch n.Kind {
	case NameLeading:
		return takeAs(&t.leading, n, text[1:])
	case NameDot:
		if earlier = takeAs(&t.exact, n, text[1:]); earlier != nil {
			return earlier
		}
		return takeAs(&t.leading, n, text)
	case NameTrailing:
		return takeAs(&t.trailing, n, text)
	case NameExact, NameRegex:
	}
	return takeAs(&t.exact, n, text)
}

// all yields the names, wildcards in the form of their kind.
func (t *takenNames) all(yield func(string, NameKind) bool) {
	for text, n := range t.exact {
		if n.Kind == NameExact && !yield(text, NameExact) {
			return
		}
	}
	for text := range t.leading {
		if !yield(text, NameDot) {
			return
		}
	}
	for text := range t.trailing {
		if !yield(text, NameTrailing) {
			return
		}
	}
}

func takeAs(names *map[string]*Name, n *Name, key string) (earlier *Name) {
	if earlier = (*names)[key]; earlier != nil {
		return earlier
	}
	if *names == nil {
		*names = make(map[string]*Name)
	}
	(*names)[key] = n
	return nil
}

// takeName notes a name at an address.
func (r *resolver) takeName(n *Name, s *Server, at *portServers, taken *takenNames) {
	text := lower(n.Text)
	if !validName(text, n.Kind) {
		r.refuseName(n, s, nil, fmt.Sprintf(`invalid server name or wildcard "%s" on %s`, text, listenText(at.key.host, at.key.port)))
		return
	}
	if earlier := taken.take(n, text); earlier != nil {
		r.refuseName(n, s, earlier, fmt.Sprintf(`conflicting server name "%s" on %s, ignored`, text, listenText(at.key.host, at.key.port)))
	}
}

// refuseName tells of a name; with an earlier one nginx only warns.
func (r *resolver) refuseName(n *Name, s *Server, earlier *Name, text string) {
	out := Refusal{Kind: InvalidValue, Span: n.Span, Text: text}
	if earlier != nil {
		out.Kind, out.Warning = DuplicateDirective, true
		if earlier.Span.File != nil {
			out.Related = &earlier.Span
		}
	}
	if out.Span.File == nil && s.Directive != nil {
		out.Span = s.Directive.Head()
	}
	if out.Span.File != nil {
		r.refuse(&s.Level, out)
	}
}

// validName says whether a name can be put into nginx's tables (ngx_hash_add_key): one "*" at most, at an end, and no
// two dots in a row.
func validName(text string, kind NameKind) bool {
	if strings.Contains(text, "..") || strings.Contains(text, "\x00") {
		return false
	}
	stars := strings.Count(text, "*")
	if kind == NameLeading || kind == NameTrailing {
		return stars == 1
	}
	return stars == 0
}
