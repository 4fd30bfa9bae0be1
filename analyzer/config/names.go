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
			r.regex(it, w, pattern, strings.ToLower(pattern) != pattern, s)
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

// conflictingNames warns of names that two servers of one address share, and refuses what cannot be a name
// (ngx_http_server_names). nginx finds them when the http block has closed.
func (r *resolver) conflictingNames() {
	for _, at := range r.ports.order {
		if len(at.servers) < 2 {
			continue
		}
		taken := make(map[string]*Name, len(at.servers))
		for _, s := range at.servers {
			for _, n := range s.Names {
				if n.Kind != NameRegex {
					r.takeName(n, s, at, taken)
				}
			}
		}
	}
}

// takeName notes a name at an address. Exact names, leading and trailing wildcards are apart; ".a.example" is the first two at once.
func (r *resolver) takeName(n *Name, s *Server, at *portServers, taken map[string]*Name) {
	text := lower(n.Text)
	on := listenText(at.key.host, at.key.port)
	if !validName(text, n.Kind) {
		r.refuseName(n, s, nil, fmt.Sprintf(`invalid server name or wildcard "%s" on %s`, text, on))
		return
	}
	keys := []string{"=" + text}
	switch n.Kind {
	case NameLeading:
		keys[0] = "*" + text[1:]
	case NameDot:
		keys = []string{"=" + text[1:], "*" + text}
	case NameTrailing:
		keys[0] = text
	default:
	}
	for _, key := range keys {
		if earlier := taken[key]; earlier != nil {
			r.refuseName(n, s, earlier, fmt.Sprintf(`conflicting server name "%s" on %s, ignored`, text, on))
			return
		}
		taken[key] = n
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
