package pipeline

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A standing is what stands at one level of the directives that inner levels inherit as a list. A large http block is
// read once for all its servers.
type standing struct {
	access  []accessRule
	opaque  []opaque
	index   []string
	mirrors []string
	mirror  bool // some mirror directive, be it off
	root    *config.Item
}

// at returns what stands at a level.
func (g *program) at(level *config.Level) *standing {
	if level.Kind == config.KindLocation || level.Kind == config.KindIf || level.Kind == config.KindLimitExcept {
		return readStanding(level) // asked for once, by its own conf or by those of few nested locations
	}
	g.mu.RLock()
	s := g.standings[level]
	g.mu.RUnlock()
	if s != nil {
		return s
	}
	s = readStanding(level)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.standings[level] = s
	return s
}

func readStanding(level *config.Level) *standing {
	s := &standing{}
	for i := range level.Items {
		item := &level.Items[i]
		switch name := item.Name().Value; name {
		case "allow", "deny":
			if rule, ok := readAccess(*item); ok {
				s.access = append(s.access, rule)
			}
		case "index":
			for _, arg := range item.Args() {
				s.index = append(s.index, arg.Value)
			}
		case "mirror":
			if s.mirror = true; item.Arg(0) != "off" {
				s.mirrors = append(s.mirrors, item.Arg(0))
			}
		case "root", "alias":
			s.root = item
		default:
			if phase, ok := phaseOf(name); ok && phase != contentPhase && !strings.HasPrefix(name, "set_") {
				s.opaque = append(s.opaque, opaque{name, phase})
			}
		}
	}
	return s
}

// inherit gives a conf the lists in effect at its level: those of the nearest level that has any.
func (c *conf) inherit(g *program, level *config.Level) {
	rooted, indexed, mirrored := false, false, false
	c.files = docroot{path: template("html"), alias: noAlias}
	for at := level; at != nil; at = at.Parent {
		s := g.at(at)
		if len(c.access) == 0 {
			c.access = s.access
		}
		for _, o := range s.opaque {
			if !c.hasOpaque(o.phase) {
				c.opaque = append(c.opaque, o)
			}
		}
		if !indexed && s.index != nil {
			indexed = true
			for _, name := range s.index {
				c.index = append(c.index, template(name))
			}
		}
		if !mirrored && s.mirror {
			mirrored = true
			c.mirrors = s.mirrors
		}
		if !rooted && s.root != nil {
			rooted = true
			c.files = docroot{path: template(s.root.Arg(0)), alias: noAlias}
			if s.root.Name().Value == "alias" {
				c.files.alias = aliased(c.loc, at)
			}
		}
	}
	if !indexed {
		c.index = append(c.index, template("index.html"))
	}
}
