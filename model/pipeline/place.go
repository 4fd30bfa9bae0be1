package pipeline

import (
	"cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A Place is where a request counts: the level whose limits judged it, else the one that answered. It is comparable by
// its Level.
type Place struct {
	Level    *config.Level // nil where nginx took the request for no server
	Server   *config.Server
	Location *config.Location // nil for the server itself
}

func (c *conf) place() Place {
	if c == nil {
		return Place{}
	}
	// An if is a location of its own to nginx; to people it belongs to the location it stands in.
	if c.loc != nil {
		return PlaceOf(c.loc)
	}
	return Place{Level: &c.server().Level, Server: c.server()}
}

// PlaceOf returns the place that a location is.
func PlaceOf(l *config.Location) Place { return Place{Level: &l.Level, Server: l.Server, Location: l} }

// Place returns where the request counts. It is known once the request is done.
func (f *Flight) Place() Place { return f.at.end.place() }

// Place returns where the request would count if every limiter let it pass.
func (pl *Plan) Place() Place {
	n := pl.root
	for n.kind != finished {
		n = n.passed
	}
	return n.end.place()
}

// place returns where a request counts.
func (e *ending) place() Place {
	if e.placed == nil {
		var p Place
		switch {
		case e.reqRan:
			p = e.reqAt.place()
		case e.connRan:
			p = e.connAt.place()
		default:
			p = e.conf.place()
		}
		e.placed = &p
	}
	return *e.placed
}

// ServerName is the server's first name as written; "" where it has none.
func (p Place) ServerName() string {
	if p.Server == nil || len(p.Server.Names) == 0 {
		return ""
	}
	return p.Server.Names[0].Text
}

// Label is the location's label; "" for the server itself.
func (p Place) Label() string {
	if p.Location == nil {
		return ""
	}
	return p.Location.Label()
}

// File and Line say where the place's block begins.
func (p Place) File() string {
	if p.Level == nil || p.Level.Directive == nil {
		return ""
	}
	return p.Level.Directive.File.Path
}

// Line is the line of the block's first word, counted from 1; 0 where it has none.
func (p Place) Line() int {
	if p.Level == nil || p.Level.Directive == nil {
		return 0
	}
	return p.Level.Directive.Span().From().Line
}

// Limited says whether some limit_req or limit_conn is in effect.
func (p Place) Limited() bool {
	return p.Level != nil && p.Level.Settings != nil &&
		len(p.Level.Settings.LimitReqs.Value)+len(p.Level.Settings.LimitConns.Value) > 0
}

// Compare orders places as they stand in the configuration.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.File(), q.File()), cmp.Compare(p.Line(), q.Line()), cmp.Compare(p.column(), q.column()))
}

func (p Place) column() int {
	if p.Level == nil || p.Level.Directive == nil {
		return 0
	}
	return p.Level.Directive.Span().From().Column
}
