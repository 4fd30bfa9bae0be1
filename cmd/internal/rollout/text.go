package rollout

import (
	"strings"

	gonginx "github.com/tufanbarisyildirim/gonginx/config"
	"github.com/tufanbarisyildirim/gonginx/dumper"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// directiveOf builds a directive; args are as they stand in the text, quotes included.
func directiveOf(name string, args ...string) *gonginx.Directive {
	d := &gonginx.Directive{Name: name}
	for _, arg := range args {
		d.Parameters = append(d.Parameters, gonginx.Parameter{Value: arg})
	}
	return d
}

func printed(list ...gonginx.IDirective) string {
	return dumper.DumpBlock(&gonginx.Block{Directives: list}, dumper.IndentedStyle)
}

// http writes the zones and what else belongs to the http block.
func (w *writer) http() {
	var list []gonginx.IDirective
	for _, l := range w.p.inOrder() {
		list = append(list, directiveOf("limit_req_zone", l.Group.Key, "zone="+l.Zone+":"+l.Size, "rate="+l.Choice.Text))
	}
	if w.tree.HTTP.Settings.LimitReqStatus.Origin == nil && knows(w.tree, "limit_req_status") {
		list = append(list, directiveOf("limit_req_status", "429"))
	}
	if format := w.logFormat(); format != nil {
		list = append(list, format)
	}
	w.stage.HTTP = printed(list...)
	if anchor := w.replaceZones(); anchor != nil {
		w.in[anchor] = w.stage.HTTP
		return
	}
	w.openBlock(&w.tree.HTTP.Level, w.stage.HTTP)
}

// replaceZones takes zones away that no limit uses any more, and returns one in whose place others may stand.
func (w *writer) replaceZones() (anchor *syntax.Directive) {
	for _, z := range idle(w.facts, w.p.gone) {
		d := z.Req.Directive
		if anchor == nil && z.Item.Via == w.tree.HTTP.Via {
			anchor = d
			continue
		}
		w.stage.Edits = append(w.stage.Edits, rule.RemoveDirective(d))
	}
	return anchor
}

// server writes what belongs to a server: limits in locations that are there, and new locations.
func (w *writer) server(s *config.Server) {
	var touched bool
	var total *Limit
	for i := range w.p.Limits {
		if l := &w.p.Limits[i]; l.Group.Kind == tune.Total && l.Group.Server == s {
			total = l
		}
	}
	for i := range w.p.Limits {
		l := &w.p.Limits[i]
		if l.Group.Server != s || l.Group.Kind == tune.Total {
			continue
		}
		lines := []*Limit{l}
		if total != nil && l.Group.Kind != tune.Login {
			lines = append(lines, total)
		}
		w.place(l, lines)
		touched = true
	}
	if touched {
		w.accessLog(s)
		w.tellOwnLogs(s)
	}
}

// limits are the directives of a limited location; around is the level that it stands in.
func (w *writer) limits(lines []*Limit, around *config.Level) []gonginx.IDirective {
	var list []gonginx.IDirective
	for _, l := range lines {
		words := strings.Fields(l.Line())
		list = append(list, directiveOf(words[0], words[1:]...))
	}
	switch {
	case w.dry:
		list = append(list, directiveOf("limit_req_dry_run", "on"))
	case w.inheritsDryRun(around):
		list = append(list, directiveOf("limit_req_dry_run", "off"))
	}
	return list
}

// inheritsDryRun says whether what stands in a level only counts, where it does not say so itself.
func (w *writer) inheritsDryRun(l *config.Level) bool {
	for l != nil {
		dry := l.Settings.LimitReqDryRun
		if dry.At == nil || !w.p.gone[dry.Origin] {
			return dry.Value
		}
		l = dry.At.Parent
	}
	return false
}

// place writes the limits of a group where its requests come to.
func (w *writer) place(l *Limit, lines []*Limit) {
	g := l.Group
	if ownPlace(g) {
		level := levelOf(g)
		text := printed(w.limits(lines, level.Parent)...)
		w.part(where(g.Server, g.Label()), text)
		if own := w.ownLimit(level); own != nil {
			w.in[own] = text
			return
		}
		w.openBlock(level, text)
		return
	}
	modifier := ""
	if g.Kind == tune.Login {
		modifier = "="
	}
	block, why := w.location(g, modifier, lines)
	if why != "" {
		until := ""
		if g.Kind == tune.Part && len(levelOf(g).Settings.LimitReqs.Value) > 0 {
			until = "; until then the limit of today stays"
		}
		w.p.note("%s: write location %s by hand: %s%s", where(g.Server, g.Label()), g.Label(), why, until)
	}
	w.part(where(g.Server, "a new location"), printed(block))
	if why != "" {
		return
	}
	switch here := g.Location; {
	case here != nil:
		w.made[here.Directive] += printed(block) + "\n\n"
	case len(g.Server.Locations) > 0:
		w.made[g.Server.Locations[0].Directive] += printed(block) + "\n\n"
	default:
		w.openBlock(&g.Server.Level, printed(block))
	}
}

func (w *writer) part(where, text string) {
	if n := len(w.stage.Rest); n > 0 && w.stage.Rest[n-1].Where == where {
		w.stage.Rest[n-1].Text += "\n\n" + text
		return
	}
	w.stage.Rest = append(w.stage.Rest, Part{where, text})
}

// ownLimit is the first limit that stands at a level itself and is taken away.
func (w *writer) ownLimit(level *config.Level) *syntax.Directive {
	for _, item := range level.Items {
		if item.Name().Value == "limit_req" && w.p.gone[item.Directive] && item.Via == level.Via {
			return item.Directive
		}
	}
	return nil
}

// location builds a location with limits and with what the location around says that takes the requests today; why is
// given where that cannot be copied.
func (w *writer) location(g *tune.Group, modifier string, lines []*Limit) (block *gonginx.Directive, why string) {
	words := []string{modifier, word(g.Path)}
	if modifier == "" {
		words = words[1:]
	}
	block = directiveOf("location", words...)
	around := &g.Server.Level
	if g.Location != nil {
		around = g.Location.Parent
	}
	list := w.limits(lines, around)
	same, why := copied(g)
	block.Block = &gonginx.Block{Directives: append(list, same...)}
	return block, why
}

// copied is what the location says that takes a group's requests today, for one of its own.
func copied(g *tune.Group) (list []gonginx.IDirective, why string) {
	switch here := g.Location; {
	case g.HandedOn:
		return nil, "another location takes its requests first, and hands them on to the one that is asked today (try_files, error_page, rewrite)"
	case here == nil:
		return nil, ""
	case here.Directive == nil || here.Directive.Block == nil:
		return nil, "the location that takes its requests today was not read"
	default:
		return copyOf(here.Directive.Block.Directives, here, g.Path)
	}
}

// word quotes a word where nginx's grammar asks for it.
func word(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\r\n;{}\"'\\#$") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// copyOf copies the directives of a location for a path below it, without its limits.
func copyOf(list []syntax.Directive, from *config.Location, path string) (out []gonginx.IDirective, why string) {
	for i := range list {
		d := &list[i]
		name := d.Name().Value
		switch {
		case name == "limit_req" || name == "limit_req_dry_run":
			continue
		case name == "location":
			return out, "the location that takes its requests today holds locations of its own"
		case d.Block != nil && d.Block.Code:
			return out, "the location that takes its requests today holds code"
		}
		c := directiveOf(name)
		for n, w := range d.Args() {
			text := d.WordSpan(w).Text()
			if strings.ContainsAny(text, "\r\n") {
				return out, "a word in the location that takes its requests today goes over several lines"
			}
			if n == 0 && (name == "proxy_pass" || name == "alias") {
				if text, why = below(name, text, from, path); why != "" {
					return out, why
				}
			}
			c.Parameters = append(c.Parameters, gonginx.Parameter{Value: text})
		}
		if d.Block != nil {
			inner, problem := copyOf(d.Block.Directives, from, path)
			if problem != "" {
				return out, problem
			}
			c.Block = &gonginx.Block{Directives: inner}
		}
		out = append(out, c)
	}
	return out, ""
}

// below is what proxy_pass and alias of a location become for a path below it: nginx puts their path in place of the
// location's own.
func below(name, text string, from *config.Location, path string) (result, why string) {
	if from.Modifier != "" && from.Modifier != "^~" {
		if strings.Contains(text, "$1") {
			return text, name + " takes a part of the location's expression"
		}
		return text, ""
	}
	rest := strings.TrimPrefix(path, from.Pattern)
	if name == "proxy_pass" {
		_, address, _ := strings.Cut(text, "://")
		if !strings.Contains(address, "/") {
			return text, "" // no path: the request's own is handed on
		}
	}
	if strings.ContainsAny(text, `$"'`) {
		return text, "what " + name + " makes of the path rests on a variable"
	}
	return text + rest, ""
}

// openBlock puts text at the start of a level's block.
func (w *writer) openBlock(level *config.Level, text string) {
	d := level.Directive
	if d == nil || d.Block == nil {
		w.p.note("%s: what is new has no place to stand in what was read: put it there by hand", strings.Join(level.Context(), ", "))
		return
	}
	if len(d.Block.Directives) > 0 {
		w.made[&d.Block.Directives[0]] += text + "\n\n"
		return
	}
	at := d.Block.Open + 1
	w.edit(d, at, at, "\n"+text+"\n")
}
