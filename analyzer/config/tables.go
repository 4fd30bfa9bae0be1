package config

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A table is one that nginx makes of the names which the directives of a level list. A level with a list of its own has a
// table of its own; the list of http is made into a table with the first server that shares it, at that server's sizes.
type table struct {
	name  string   // of the table in messages
	by    []string // the directives whose names it holds, then those that only take names out
	fixed bool     // no directive sets its sizes
	http  bool     // http's table is made with the first server, whether that shares it or not
}

// tables are nginx's, in the order in which its modules make them.
var tables = []table{
	{name: "types_hash", by: []string{"types"}, http: true},
	{name: "referer_hash", by: []string{"valid_referers"}},
	{name: "proxy_headers_hash", by: []string{"proxy_hide_header", "proxy_pass_header"}},
	{name: "proxy_headers_hash", by: []string{"proxy_set_header"}},
	{name: "fastcgi_hide_headers_hash", by: []string{"fastcgi_hide_header", "fastcgi_pass_header"}, fixed: true},
	{name: "fastcgi_params_hash", by: []string{"fastcgi_param"}, fixed: true},
	{name: "uwsgi_hide_headers_hash", by: []string{"uwsgi_hide_header", "uwsgi_pass_header"}, fixed: true},
	{name: "uwsgi_params_hash", by: []string{"uwsgi_param"}, fixed: true},
	{name: "scgi_hide_headers_hash", by: []string{"scgi_hide_header", "scgi_pass_header"}, fixed: true},
	{name: "scgi_params_hash", by: []string{"scgi_param"}, fixed: true},
	{name: "grpc_headers_hash", by: []string{"grpc_hide_header", "grpc_pass_header"}, fixed: true},
	{name: "grpc_headers_hash", by: []string{"grpc_set_header"}, fixed: true},
	{name: "test_types_hash", by: []string{"gzip_types"}, fixed: true},
	{name: "test_types_hash", by: []string{"ssi_types"}, fixed: true},
	{name: "test_types_hash", by: []string{"charset_types"}, fixed: true},
	{name: "test_types_hash", by: []string{"xslt_types"}, fixed: true},
	{name: "test_types_hash", by: []string{"sub_filter_types"}, fixed: true},
	{name: "test_types_hash", by: []string{"addition_types"}, fixed: true},
}

var referers = tableOf("valid_referers")

// tableOf returns the table that a directive fills; nil where it fills none.
func tableOf(directive string) *table {
	for i := range tables {
		if tables[i].by[0] == directive {
			return &tables[i]
		}
	}
	return nil
}

// A longName is a name that does not fit into a table of plain sizes.
type longName struct {
	text  string // as the table holds it
	level *Level
	kind  NameKind
	span  source.Span
}

// A listAt is what fills a table at a level.
type listAt struct {
	table *table
	level *Level // nil for a table of which there is one
}

// longWord notes a name that a directive puts into its table, if it is long.
func (r *resolver) longWord(t *table, it Item, w syntax.Word, text string, kind NameKind, l *Level) {
	if fixedHash("").takesName(text, kind) {
		return
	}
	at := listAt{t, l}
	if t == variables {
		at.level = nil
	}
	r.long[at] = append(r.long[at], longName{text, l, kind, it.WordSpan(w)})
}

// tableHandler returns what notes the long names of a directive that fills a table.
func tableHandler(name string) handler {
	t := tableOf(name)
	switch {
	case t == nil && (strings.HasSuffix(name, "_hash_max_size") || strings.HasSuffix(name, "_hash_bucket_size")):
		return (*resolver).oddSize
	case t == nil:
		return nil
	case name == "types":
		return func(r *resolver, it Item, v *visit, s *scope) { r.types(t, it, v, s) }
	case strings.HasSuffix(name, "_types"):
		return func(r *resolver, it Item, _ *visit, s *scope) {
			for _, w := range it.Args() {
				r.longWord(t, it, w, w.Value, NameExact, s.level)
			}
		}
	case strings.HasSuffix(name, "_param"):
		return func(r *resolver, it Item, _ *visit, s *scope) {
			if header, ok := strings.CutPrefix(it.Arg(0), "HTTP_"); ok {
				r.longWord(t, it, it.Word(0), header, NameExact, s.level)
			}
		}
	}
	return func(r *resolver, it Item, _ *visit, s *scope) {
		r.longWord(t, it, it.Word(0), it.Arg(0), NameExact, s.level)
	}
}

// longTableNames refuses what does not fit into the tables of the levels, and tables of sizes that cannot be. nginx finds
// both when the http block closes, module by module, and names no place.
func (r *resolver) longTableNames() {
	if r.partial() || len(r.long) == 0 && !r.doubtful {
		return
	}
	for i := range tables {
		t := &tables[i]
		shared := false // http's own is made
		for _, s := range r.http.Servers {
			shared = r.tableOfServer(t, s, shared)
			for l := range s.AllLocations {
				if t.listed(&l.Level) {
					r.buildTable(t, s, &l.Level, &l.Level)
				}
			}
		}
	}
}

// tableOfServer makes those tables that nginx makes with a server, and says whether http's is made by now.
func (r *resolver) tableOfServer(t *table, s *Server, shared bool) bool {
	own := t.listed(&s.Level)
	outer := t.listed(&r.http.Level) || len(t.by) > 1 // of headers to hide http always has some
	if outer && !shared && (t.http || !own) {
		r.buildTable(t, s, &r.http.Level, &s.Level)
		shared = true
	}
	if own || !outer && t != referers {
		r.buildTable(t, s, &s.Level, &s.Level)
	}
	return shared
}

// listed says whether a level has a list of its own.
func (t *table) listed(l *Level) bool {
	return slices.ContainsFunc(t.by, func(name string) bool { return l.first(name, nameBit(name)) >= 0 })
}

// buildTable makes the table of the list at one level, at the sizes in effect at another, with a server or within it.
func (r *resolver) buildTable(t *table, s *Server, of, at *Level) {
	h := fixedHash(t.name)
	if !t.fixed {
		h = at.hash(t.name)
	}
	if t == referers && !r.refererNames(of, s) || t.takesAll(of) {
		return
	}
	if text := h.sizes(); text != "" {
		r.refuseSizes(t.name, at, text)
		return
	}
	for _, n := range r.long[listAt{t, of}] {
		if !h.takesName(n.text, n.kind) && !t.takenOut(n.text, at) {
			r.refuse(of, Refusal{Kind: InvalidValue, Span: n.span, Text: h.text()})
			return
		}
	}
}

// takesAll says whether the list of a level is of types and has "*", which makes a table needless.
func (t *table) takesAll(of *Level) bool {
	return t.name == "test_types_hash" && slices.ContainsFunc(of.FindAll(t.by[0]), func(it Item) bool {
		return slices.ContainsFunc(it.Words(), func(w syntax.Word) bool { return w.Value == "*" })
	})
}

// takenOut says whether a name is taken out of the table again.
func (t *table) takenOut(name string, at *Level) bool {
	if len(t.by) < 2 {
		return false
	}
	_, with, ok := at.EffectiveAt(t.by[1])
	return ok && slices.ContainsFunc(with.FindAll(t.by[1]), func(it Item) bool { return strings.EqualFold(it.Arg(0), name) })
}

// refuseSizes refuses the sizes of a table at the directive that sets them.
func (r *resolver) refuseSizes(name string, l *Level, text string) {
	it, ok := l.Effective(name + "_max_size")
	if ok {
		n, _ := atoi(it.Arg(0))
		ok = n == 0
	}
	if !ok {
		it, _ = l.Effective(name + "_bucket_size")
	}
	r.refuse(l, Refusal{Kind: InvalidValue, Span: it.Head(), Text: text})
}

// oddSize notes that a size is set with which a table may not be built whatever its names.
func (r *resolver) oddSize(it Item, _ *visit, _ *scope) {
	h := fixedHash("")
	h.size(it)
	r.doubtful = r.doubtful || h.sizes() != ""
}

// variables is the table of all variables that the configuration defines.
var variables = &table{name: "variables_hash"}

// longVariables refuses the names of variables, if one is too long for the table that nginx makes of them.
func (r *resolver) longVariables() {
	if r.partial() {
		return
	}
	h := r.http.hash(variables.name)
	if text := h.sizes(); text != "" {
		r.refuseSizes(variables.name, &r.http.Level, text)
		return
	}
	for _, n := range r.long[listAt{table: variables}] {
		if !h.takes(n.text) {
			r.refuse(n.level, Refusal{Kind: InvalidValue, Span: n.span, Text: h.text()})
			return
		}
	}
}
