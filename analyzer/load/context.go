package load

import (
	"fmt"
	"math/bits"
	"path"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// contextKey starts the comment by which a fragment says where it belongs: `# ngxlimit:context http,server`.
const contextKey = "ngxlimit:context"

// preferred are the places from which fragments are taken, the usual one first where several would do: directives of
// one location stand in a file more often than such that hold for a whole server. Those of mail and stream come last.
var preferred = []directive.Context{
	directive.Location, directive.Server, directive.HTTP, directive.Upstream, directive.Events, directive.Main,
	directive.LocationIf, directive.ServerIf, directive.LimitExcept,
	directive.StreamServer, directive.Stream, directive.StreamUpstream, directive.MailServer, directive.Mail,
}

// known says whether any directive of the document, at any depth, is one of nginx's or of a module of note.
func known(doc *syntax.Document) bool {
	stack := [][]syntax.Directive{doc.Directives}
	for len(stack) > 0 {
		list := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range list {
			if _, ok := directive.Lookup(list[i].Name().Value); ok {
				return true
			}
			if b := list[i].Block; b != nil && len(b.Directives) > 0 {
				stack = append(stack, b.Directives)
			}
		}
	}
	return false
}

// place decides where the main document of an input belongs: Main for a whole configuration. It looks at the
// directives that stand at the top, those of included files among them, and takes the place in which most of them may
// stand; among equals the first of preferred. Blocks tell more than lines: a server or a location that may not stand
// at a place rules it out.
func place(in *Input) directive.Context {
	votes := map[directive.Context]int{}
	whole, server, blocks := false, false, directive.Everywhere
	in.top(func(d *syntax.Directive) {
		switch d.Name().Value {
		case "include":
			return
		case "events", "http", "mail", "stream":
			whole = whole || d.Block != nil || d.NumArgs() == 0
		case "location":
			server = true // in a file of its own it is a server's, not another location's
		}
		allowed := places(d)
		if common := blocks & allowed; d.Block != nil && common != 0 {
			blocks = common
		} else if d.Block != nil && d.Name().Value == "server" && allowed != 0 {
			blocks = allowed
		}
		for allowed != 0 {
			c := directive.Context(1) << bits.TrailingZeros32(uint32(allowed))
			votes[c]++
			allowed &^= c
		}
	})
	if whole {
		return directive.Main
	}
	if server {
		votes[directive.Server]++
	}
	best := directive.Main
	if len(votes) == 0 && strings.HasSuffix(path.Base(in.Path), "nginx.conf") {
		return best
	}
	for _, c := range preferred {
		if blocks&c == 0 {
			continue
		}
		if votes[c] > votes[best] || votes[c] == votes[best] && best == directive.Main && votes[c] > 0 {
			best = c
		}
	}
	return best
}

// places returns the places that take the directive as it stands, with its block or without.
func places(d *syntax.Directive) directive.Context {
	known, ok := directive.Lookup(d.Name().Value)
	if !ok {
		return 0
	}
	var fit, any directive.Context
	for v := range known.Variants {
		any |= v.Contexts
		if v.Block == (d.Block != nil) {
			fit |= v.Contexts
		}
	}
	if fit == 0 {
		return any
	}
	return fit
}

// fits says that the directives at the top of a further text may stand where those of a first one stand.
func fits(first, further *syntax.Document) bool {
	at := ^directive.Context(0)
	for _, doc := range []*syntax.Document{first, further} {
		for i := range doc.Directives[:min(len(doc.Directives), maxTop)] {
			if allowed := places(&doc.Directives[i]); allowed != 0 {
				at &= allowed
			}
		}
	}
	return at != 0
}

// maxTop bounds how many directives are asked for a fragment's place.
const maxTop = 10_000

// top calls see for the directives that stand at the top of the main document, includes expanded.
func (in *Input) top(see func(*syntax.Directive)) {
	left := maxTop
	var walk func(doc *syntax.Document)
	walk = func(doc *syntax.Document) { // includes are nested at most maxDepth deep
		for i := range doc.Directives {
			if left--; left < 0 {
				return
			}
			d := &doc.Directives[i]
			see(d)
			for _, included := range in.includes[d] {
				walk(included)
			}
		}
	}
	walk(in.Main)
}

// settle decides between a whole configuration and a fragment, and for a fragment its context: the one in its comment,
// the one that was given, or the one that its directives tell.
func (in *Input) settle(given []string) {
	at := place(in)
	if at == directive.Main && len(in.Main.Directives) == 0 && in.Main.Complete() && path.Base(in.Path) != "nginx.conf" {
		at = directive.HTTP // an include in which all is commented out may stand anywhere
	}
	if at == directive.Main {
		return
	}
	in.Kind, in.Context = Fragment, at.Path()
	if given != nil {
		in.Context = given
	}
	comment, span, ok := contextComment(in.Main)
	if !ok {
		return
	}
	if _, err := directive.ParsePath(comment); err != nil {
		in.problem(span, fmt.Sprintf("the context of this comment is not taken: %v", err))
		return
	}
	in.Context = comment
}

// contextComment returns what the first comment of its kind says.
func contextComment(doc *syntax.Document) (blocks []string, at source.Span, ok bool) {
	for _, c := range doc.Comments {
		span := source.Span{File: doc.File, Start: c.Start, End: c.End}
		text := strings.TrimSpace(strings.TrimLeft(span.Text(), "#"))
		if rest, found := strings.CutPrefix(text, contextKey); found {
			first, _, _ := strings.Cut(strings.TrimLeft(rest, ": \t")+" ", " ")
			return strings.Split(first, ","), span, true
		}
	}
	return nil, source.Span{}, false
}
