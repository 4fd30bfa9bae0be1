// Package compare knows in what the limits of two configurations differ in effect: how many requests they let through, of
// whom, and what the others are answered. It sets what holds at a place of the one against what holds at a place of the
// other; names of zones and files, the order of directives and the way in which a number is written are no difference.
//
// It refuses to know which request comes to which place, and what a page suffers: it decides no request.
package compare

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A Direction says which way a limit was changed.
type Direction string

// The directions, the gravest first: what protected no longer does, or lets more through.
const (
	Lost      Direction = "lost"      // a limit no longer holds
	Loosened  Direction = "loosened"  // more comes through, or comes through sooner
	Changed   Direction = "changed"   // more in one way and less in another, or other requests are counted together
	Tightened Direction = "tightened" // less comes through, or later
	Gained    Direction = "gained"    // a limit holds that did not
	Other     Direction = "other"     // as much comes through: another status, another size of a zone
)

// directions are all of them, the gravest first.
var directions = []Direction{Lost, Loosened, Changed, Tightened, Gained, Other}

// Gravest returns the gravest direction of several differences; "" of none.
func Gravest(list []Difference) Direction {
	for _, d := range directions {
		for i := range list {
			if list[i].Direction == d {
				return d
			}
		}
	}
	return ""
}

// Worse says whether less is protected than before.
func (d Direction) Worse() bool { return d == Lost || d == Loosened || d == Changed }

// A Difference is one thing that holds at the place of one configuration and not at that of the other.
type Difference struct {
	Subject   string // the directive that makes it: "limit_req", "limit_conn", "limit_req_status", "set_real_ip_from" ...
	Direction Direction
	Text      string      // one clause: "5r/s for each $server_name (burst 10) becomes 30r/s (burst 10)"
	Old, New  source.Span // the directive before and after; no file where there is none
}

// Worse says whether less is protected than before. Whom realip believes moves requests from one count to another one: that
// is to be looked at, and no loss.
func (d *Difference) Worse() bool {
	return d.Direction.Worse() && (d.Direction != Changed || !strings.Contains(d.Subject, "real_ip"))
}

// A Comparer compares places of two configurations. It is for one goroutine.
type Comparer struct {
	old, new *signer
	known    map[[2]*config.Settings][]Difference
	believed map[trust][]Difference
	uses     uses
}

// New returns a Comparer of two configurations, either of which may lack an http block.
func New(old, renewed *config.Tree) *Comparer {
	return &Comparer{
		old: newSigner(old), new: newSigner(renewed),
		known: map[[2]*config.Settings][]Difference{}, believed: map[trust][]Difference{}, uses: newUses(),
	}
}

// Levels returns in what the limits in effect at two levels differ, in a fixed order. A nil level has no limits. The list
// is shared, and must not be changed.
func (c *Comparer) Levels(old, renewed *config.Level) []Difference {
	o, n := settingsOf(old), settingsOf(renewed)
	list, ok := c.known[[2]*config.Settings{o, n}]
	if !ok {
		list = c.settings(o, n)
		c.known[[2]*config.Settings{o, n}] = list
	}
	return list
}

func settingsOf(l *config.Level) *config.Settings {
	if l == nil {
		return nil
	}
	return l.Settings
}

func (c *Comparer) settings(old, renewed *config.Settings) []Difference {
	o, n := requestSide(old, c.old), requestSide(renewed, c.new)
	list := c.limits(o, n)
	oc, nc := connSide(old, c.old), connSide(renewed, c.new)
	list = append(list, c.limits(oc, nc)...)
	if len(o.limits)+len(oc.limits) > 0 && len(n.limits)+len(nc.limits) > 0 {
		list = append(list, c.trusts(old, renewed)...)
	}
	return list
}

// spanOf is where a setting is written; of no file for a default.
func spanOf[T any](s *config.Setting[T]) source.Span {
	if s == nil || s.Origin == nil {
		return source.Span{}
	}
	return s.Origin.Head()
}
