package config

import (
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// Newest is the version of nginx that is judged for where none is asked for.
var Newest = directive.Newest.String()

// Options say how a configuration is to be resolved.
type Options struct {
	Version string // the nginx to judge for, as in 1.22.1; "" is Newest, and so is what is no version
}

// Resolve reads a configuration as nginx would, from its main file through every include, and returns what it comes
// to. Unlike nginx it goes on behind each refusal, so that a person sees all of them at once. An incomplete input
// gives a tree of what could be read.
func Resolve(in *load.Input, o Options) *Tree {
	r := newResolver(in, o)
	if in.Main != nil {
		r.document(in.Main, nil, r.outermost())
	}
	r.closeAll()
	r.finish()
	return r.tree
}

// A resolver holds what is known while a configuration is read. Everything is read once, in nginx's order; what
// depends on a level's outer one, or on what comes later, is settled when the http block closes.
type resolver struct {
	in      *load.Input
	tree    *Tree
	version directive.Version

	checks   map[checkKey]checked
	problems map[*source.File][]int // indexes of the input's problems, in the order of their places
	told     []bool                 // of each problem
	found    []found
	entry    int                 // the line of a block of entries that is read or looked at
	broken   bool                // a place was met that could not be read
	muted    int                 // above 0: what is read is not nginx's reading any more, nothing is refused
	kept     map[RefusalKind]int // how many refusals of each kind are kept
	seen     map[refusalKey]struct{}
	refused  int  // refusals of which nginx does not only warn
	turn     turn // the one that is open

	http      *HTTP
	errorLogs *Setting[[]*ErrorLog] // outside of http
	open      []*scope              // the main level and those that a fragment's context implies, outermost first
	zones     zones
	ports     ports
	mapHash   hash   // as set up to now
	steps     int64  // that may still be spent on filling tables
	reserves  []Item // upstreams of nothing but backup servers
	long      map[listAt][]longName
	doubtful  bool // a table of a level may not be built although no name is long
	referers  map[*Level]*takenNames
	typed     map[*Level]map[string]string // types by the extension
	charsets  map[[2]string]bool           // the pairs of charset_map, in alphabetical order

	regexes map[regexKey]looked

	used       map[string]bool           // variables that something asks for
	uses       []use                     // of them those that nginx itself has not, in the order of their first use
	templates  map[string]value.Template // that were read
	late       []use                     // words that nginx reads when http closes
	wellFormed map[string]bool           // the texts among them that are
	foreigners bool                      // a module that is not nginx's own is in use
	modules    loadedModules

	scratch []Item       // items of the levels that are open, the innermost's last
	unique  []uniqueItem // the directives that may stand on a level once, of the levels that are open
	items   arena
	spare   []Location // for locations to come

	spareScopes []*scope // likewise

	depth    int // of blocks and includes that are open
	expanded int // directives seen through includes, and the includes themselves
}

func newResolver(in *load.Input, o Options) *resolver {
	version, err := directive.ParseVersion(o.Version)
	if err != nil {
		version = directive.Newest
	}
	r := &resolver{
		errorLogs:  &Setting[[]*ErrorLog]{},
		in:         in,
		tree:       &Tree{Input: in, Version: version.String(), whole: in.Decisive()},
		version:    version,
		checks:     make(map[checkKey]checked),
		seen:       make(map[refusalKey]struct{}),
		regexes:    make(map[regexKey]looked),
		kept:       make(map[RefusalKind]int),
		used:       make(map[string]bool),
		templates:  make(map[string]value.Template),
		wellFormed: make(map[string]bool),
		zones:      newZones(),
		ports:      newPorts(),
		referers:   make(map[*Level]*takenNames),
		typed:      make(map[*Level]map[string]string),
		charsets:   make(map[[2]string]bool),
		long:       make(map[listAt][]longName),
		mapHash:    hash{name: "map_hash", bucket: cacheLine, most: 2048},
		steps:      mostSteps,
		modules:    loadedModules{at: make(map[string]source.Span)},
	}
	r.tree.LeftOut = in.LeftOut
	r.sortProblems()
	return r
}

// The bounds on what is expanded. nginx itself has none, but for its stack and for its open files; no configuration
// that serves anybody comes near.
const (
	maxDepth    = 10_000    // blocks and includes within each other
	maxExpanded = 4_000_000 // directives reached through includes
)

// A scope is a place that is being read: where it is to nginx, and what is collected there.
type scope struct {
	at       directive.Context
	level    *Level  // the nearest; nil outside of http
	into     *[]Item // where the items go when the scope closes; nil where they are of no use
	server   *Server
	location *Location
	plain    bool // an include is an entry like any other
	peers    bool // of an upstream: it has a server
	primary  bool // of an upstream: it has one that is no backup
	balanced bool // of an upstream: its method is set
	noBackup bool // of an upstream: its method knows no server to fall back to
	first    int  // of the level's items in scratch
	once     int  // of the level's directives in unique
}

// A visit is one reading of a document, at one place that includes it.
type visit struct {
	doc    *syntax.Document
	via    *Via
	errors []syntax.Error // not come upon yet
}

// document reads a document into a scope.
func (r *resolver) document(doc *syntax.Document, via *Via, s *scope) {
	v := &visit{doc: doc, via: via, errors: doc.Errors}
	r.body(doc.Directives, v, s)
	r.syntaxErrors(v, s.level, len(doc.File.Text)+1, 0)
}

// body reads the directives of a document or of a block.
func (r *resolver) body(ds []syntax.Directive, v *visit, s *scope) {
	for i := range ds {
		if r.over() {
			return
		}
		d := &ds[i]
		if s.at == directive.Entries {
			r.entry = len(r.scratch) - s.first
		}
		torn := len(v.errors) > 0 && r.syntaxErrors(v, s.level, reached(d), d.Name().Start)
		if v.via != nil {
			if r.expanded++; r.expanded > maxExpanded {
				r.stop(v.via.Include, s.level, "the files that are included here come to more than 4,000,000 directives; the rest was not read")
				return
			}
		}
		if d.Name().Value == "include" && !s.plain && (s.at != directive.Entries || d.NumArgs() == 1) {
			r.include(d, v, s)
			continue
		}
		r.directive(Item{Directive: d, Via: v.via}, torn, v, s)
	}
}

// include reads the files that an include leads to, at its place.
func (r *resolver) include(d *syntax.Directive, v *visit, s *scope) {
	if !r.check(Item{Directive: d, Via: v.via}, s) {
		return
	}
	r.problemsOf(d, s.level)
	docs := r.in.Includes(d)
	if len(docs) == 0 {
		return
	}
	if !r.descend(d, s.level) {
		return
	}
	via := &Via{Include: d, Outer: v.via}
	for _, doc := range docs {
		if r.over() {
			break
		}
		if r.expanded++; r.expanded > maxExpanded {
			r.stop(d, s.level, "this include leads to more than 4,000,000 directives; the rest was not read")
			break
		}
		if r.turn.open || !r.in.Again(doc) {
			r.document(doc, via, s)
			continue
		}
		r.turn = turn{open: true, refused: r.refused}
		r.document(doc, via, s)
		r.turn.open = false
		if s.level != nil {
			s.level.Unread = true
		}
	}
	r.depth--
}

// A turn is the second reading of a file within itself. It is read for what nginx refuses of it, which is the end; what
// follows in it is not wrong as it stands.
type turn struct {
	open    bool
	refused int // refusals before it
}

// ended says that nginx has refused something of the second turn.
func (r *resolver) ended() bool { return r.turn.open && r.refused > r.turn.refused }

// over says that nothing more is to be read here.
func (r *resolver) over() bool { return r.tree.cut || r.ended() }

// descend counts one more block or include within the others; it says no where there are too many.
func (r *resolver) descend(d *syntax.Directive, l *Level) bool {
	if r.depth >= maxDepth {
		r.stop(d, l, "blocks and includes are nested more than 10,000 deep here; the rest was not read")
		return false
	}
	r.depth++
	return true
}

// stop ends the reading at a bound, and says so.
func (r *resolver) stop(d *syntax.Directive, l *Level, text string) {
	r.refuse(l, Refusal{Kind: SyntaxError, Span: d.Span(), Line: line(d), Text: text})
	r.tree.cut = true
}

// block reads the inside of a block into a scope, and closes it.
func (r *resolver) block(it Item, v *visit, s *scope) {
	b := it.Block
	if b == nil || b.Code || !r.descend(it.Directive, s.level) {
		return
	}
	r.enter(s)
	r.body(b.Directives, v, s)
	if s.at == directive.Entries {
		r.entry = len(r.scratch) - s.first
	}
	r.syntaxErrors(v, s.level, int(b.Close)+1, 0)
	r.leave(s)
	r.depth--
}

// tornIn says whether an error of grammar within a block, that was not told yet, keeps nginx from reading its end.
func (v *visit) tornIn(b *syntax.Block) bool {
	return len(v.errors) > 0 && b.Open < v.errors[0].Span.Start && v.errors[0].Span.Start <= b.Close
}

// enter opens a level: its items are collected from here on.
func (r *resolver) enter(s *scope) { s.first, s.once = len(r.scratch), len(r.unique) }

// leave closes a level.
func (r *resolver) leave(s *scope) {
	if s.into != nil {
		*s.into = r.items.keep(r.scratch[s.first:])
		if s.level != nil && s.into == &s.level.Items {
			s.level.buildIndex()
		}
	}
	r.scratch = r.scratch[:s.first]
	r.unique = r.unique[:s.once]
}

// An arena keeps the items of all levels in few large pieces.
type arena struct{ free []Item }

func (a *arena) keep(items []Item) []Item {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(a.free) {
		a.free = make([]Item, max(n, min(4096, 64+2*cap(a.free))))
	}
	kept := a.free[:n:n]
	a.free = a.free[n:]
	copy(kept, items)
	return kept
}
