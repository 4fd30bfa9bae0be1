// Package rollout writes what was tuned as nginx text: zones, locations and limits, first as a dry run with the log that the
// check of it needs, then in earnest. gonginx builds and prints the directives; where they go in the configuration's own
// text, and what they take the place of, is decided here. What it cannot write without guessing it leaves to people, and says so.
package rollout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A Proposal is a plan as nginx text.
type Proposal struct {
	Limits  []Limit
	DryRun  *Stage // nil for an nginx that has no dry run
	Enforce *Stage
	Notes   []string // what is left to people, and what changes beside the limits

	gone map[*syntax.Directive]bool // limits, and whether they count only, that are taken away
}

// A Limit is one group with the zone that counts it.
type Limit struct {
	Group  *tune.Group
	Choice tune.Choice
	Zone   string
	Size   string // of the zone: "10m"
	Burst  int64
}

// Line is the limit_req of the limit, without its ";".
func (l *Limit) Line() string {
	if l.Burst == 0 {
		return "limit_req zone=" + l.Zone
	}
	return fmt.Sprintf("limit_req zone=%s burst=%d nodelay", l.Zone, l.Burst)
}

// A Stage is the configuration with edits made.
type Stage struct {
	Edits []source.Edit
	HTTP  string // what is new in the http block, for those who write it by hand
	Rest  []Part // what is new elsewhere
	Tree  *config.Tree
}

// A Part is new text, and where it belongs.
type Part struct{ Where, Text string }

// A writer makes one stage.
type writer struct {
	facts *rule.Facts
	tree  *config.Tree
	p     *Proposal
	dry   bool
	stage *Stage
	made  map[*syntax.Directive]string // new text by the directive before which, or in whose place, it stands
	in    map[*syntax.Directive]string // text in place of a directive
}

// Options say how much room is left, and more.
type Options struct {
	Headroom float64 // by which each measured burst is multiplied; 1 for none
}

// Of writes a plan for a configuration.
func Of(facts *rule.Facts, plan *tune.Plan, o Options) (*Proposal, error) {
	p := &Proposal{}
	for _, g := range plan.Groups {
		if !shows(g.Path) {
			p.note("no location for %s is written: its path has characters that do not show, for which nginx has no escapes", strconv.QuoteToASCII(g.Path))
			continue
		}
		c := g.Frontier[g.Chosen]
		p.Limits = append(p.Limits, Limit{Group: g, Choice: c, Burst: int64(float64(c.Burst)*o.Headroom + 0.999)})
	}
	p.takeAway()
	names := namesOf(facts, p.gone)
	for i := range p.Limits {
		l := &p.Limits[i]
		l.Zone = names.own(l.Group)
	}
	for i := range p.Limits {
		l := &p.Limits[i]
		if l.Zone == "" {
			l.Zone = names.free(zoneName(l.Group), l.Group.Key)
		}
		l.Size = sizeFor(l.Group, l.Zone)
	}
	var err error
	if p.Enforce, err = p.write(facts, false); err != nil {
		return nil, err
	}
	if !knows(facts.Tree, "limit_req_dry_run") {
		p.note("nginx %s has no limit_req_dry_run (1.17.1): the limits can be tried in earnest only", facts.Tree.Version)
		return p, nil
	}
	p.DryRun, err = p.write(facts, true)
	return p, err
}

// shows says whether a path can stand in a text that people read before they take it. A client chose it.
func shows(path string) bool {
	return utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (p *Proposal) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// write makes one stage, and reads what came of it.
func (p *Proposal) write(facts *rule.Facts, dry bool) (*Stage, error) {
	w := &writer{
		facts: facts, tree: facts.Tree, p: p, dry: dry, stage: &Stage{},
		made: make(map[*syntax.Directive]string), in: make(map[*syntax.Directive]string),
	}
	for _, s := range w.tree.HTTP.Servers {
		w.server(s)
	}
	w.http()
	w.finish()
	in, err := w.tree.Input.Edited(w.stage.Edits)
	if err != nil {
		return nil, fmt.Errorf("write the limits: %w", err)
	}
	w.stage.Tree = config.Resolve(in, config.Options{Version: w.tree.Version})
	if was, is := refusals(w.tree), refusals(w.stage.Tree); len(is) > len(was) {
		return nil, fmt.Errorf("write the limits: nginx would refuse them: %s", is[len(is)-1].Text)
	}
	w.tellLost()
	return w.stage, nil
}

// knows says whether the nginx that is judged for has a directive.
func knows(t *config.Tree, name string) bool {
	version, err := directive.ParseVersion(t.Version)
	d, ok := directive.Lookup(name)
	return err == nil && ok && d.Known(version)
}

func refusals(t *config.Tree) []config.Refusal {
	return slices.DeleteFunc(slices.Clone(t.Refusals), func(r config.Refusal) bool { return r.Warning })
}

// takeAway notes the limits in effect where the groups' requests come to today: new ones take their place. Where only a login
// is taken out of a location, that location keeps its limit: other paths come there (/login/), though the traffic had none. So
// does one of which a part is left to be written by hand.
func (p *Proposal) takeAway() {
	p.gone = make(map[*syntax.Directive]bool)
	byHand := make(map[*config.Level]bool)
	for i := range p.Limits {
		if g := p.Limits[i].Group; g.Kind == tune.Part {
			_, why := copied(g)
			byHand[levelOf(g)] = byHand[levelOf(g)] || why != ""
		}
	}
	for i := range p.Limits {
		g := p.Limits[i].Group
		level := levelOf(g)
		if g.Kind == tune.Total || g.Kind == tune.Login && !ownPlace(g) || byHand[level] {
			continue
		}
		for _, l := range level.Settings.LimitReqs.Value {
			p.gone[l.Directive] = true
		}
		if dry := level.Settings.LimitReqDryRun; dry.At == level {
			p.gone[dry.Origin] = true
		}
	}
}

// levelOf is where a group's requests come to today.
func levelOf(g *tune.Group) *config.Level {
	if g.Location != nil {
		return &g.Location.Level
	}
	return &g.Server.Level
}

// ownPlace says whether a group's limit is written where its requests come to today, and not in a new location.
func ownPlace(g *tune.Group) bool {
	here := g.Location
	return g.Kind == tune.Place || here != nil && here.Modifier == "=" && here.Pattern == g.Path
}

// tellLost says which places lose a limit without getting another.
func (w *writer) tellLost() {
	for i, s := range w.tree.HTTP.Servers {
		if i >= len(w.stage.Tree.HTTP.Servers) {
			return
		}
		limited := make(map[string]bool)
		for l := range w.stage.Tree.HTTP.Servers[i].AllLocations {
			limited[l.Label()] = limited[l.Label()] || len(l.Settings.LimitReqs.Value) > 0
		}
		for l := range s.AllLocations {
			if len(l.Settings.LimitReqs.Value) > 0 && !limited[l.Label()] {
				w.p.note("%s has no limit_req any more: what needs one has a location of its own", where(s, "location "+l.Label()))
			}
		}
	}
}

func where(s *config.Server, what string) string {
	if name := s.Names[0].Text; name != "" {
		return "server " + name + ", " + what
	}
	return what
}

// zoneName is a name for the zone of a group.
func zoneName(g *tune.Group) string {
	if g.Kind == tune.Login {
		return "login_per_ip"
	}
	if g.Kind == tune.Total {
		return "total"
	}
	path := g.Path
	if path == "" && g.Location != nil {
		path = g.Location.Pattern
	}
	word := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, path), "_")
	if word == "" {
		word = "site"
	}
	if g.Declared != nil && g.Key != "$binary_remote_addr" && g.Key != "$remote_addr" {
		return word + "_limit"
	}
	return word + "_per_ip"
}

// sizeFor is a zone size with room for four times the keys that were seen.
func sizeFor(g *tune.Group, name string) string {
	keyLen := 16
	if g.Key != "$binary_remote_addr" {
		keyLen = 64
	}
	for _, mb := range []int64{10, 20, 50, 100, 200, 500} {
		if limitreq.Capacity(mb<<20, len(name), keyLen) >= 4*g.Clients {
			return fmt.Sprintf("%dm", mb)
		}
	}
	return "1g"
}
