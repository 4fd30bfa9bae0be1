package run

import (
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// What an override may say of a rule besides a severity.
const (
	Off     rule.Severity = "off" // its findings are dropped
	AsRuled rule.Severity = "on"  // the severity that the rule says
)

// An Override says something else of rules in some files, servers or locations: a finding is meant where all three lists
// mean it; see rule.MatchFile, rule.MatchServer and rule.MatchLocation. Where several overrides mean a finding and speak of
// its rule, the last one counts.
type Override struct {
	Files, Servers, Locations []string
	Rules                     map[string]rule.Severity

	Place string // where it is written, for messages
}

// Unmet returns those of the override's patterns that mean nothing in any of the configurations: "file" and the pattern,
// "server" and the pattern, "location" and the pattern.
func (o *Override) Unmet(trees []*config.Tree) (unmet [][2]string) {
	add := func(kind string, patterns []string, met func(pattern []string, t *config.Tree) bool) {
		for i, p := range patterns {
			if !slices.ContainsFunc(trees, func(t *config.Tree) bool { return met(patterns[i:i+1], t) }) {
				unmet = append(unmet, [2]string{kind, p})
			}
		}
	}
	add("file", o.Files, func(pattern []string, t *config.Tree) bool {
		return slices.ContainsFunc(t.Input.Documents, func(d *syntax.Document) bool { return inFile(pattern, d.File) })
	})
	add("server", o.Servers, func(pattern []string, t *config.Tree) bool {
		return t.HTTP != nil && slices.ContainsFunc(t.HTTP.Servers, func(s *config.Server) bool { return rule.MatchServer(pattern, s) })
	})
	add("location", o.Locations, func(pattern []string, t *config.Tree) bool {
		return t.HTTP != nil && slices.ContainsFunc(t.HTTP.Servers, func(s *config.Server) bool {
			for l := range s.AllLocations {
				if rule.MatchLocation(pattern, l) {
					return true
				}
			}
			return false
		})
	})
	return unmet
}

func inFile(patterns []string, f *source.File) bool {
	return rule.MatchFile(patterns, f.Path) || f.Disk != "" && rule.MatchFile(patterns, f.Disk)
}

func (o *Override) means(f *rule.Finding, places *places) bool {
	if len(o.Files) > 0 && !inFile(o.Files, f.Primary.File) {
		return false
	}
	if len(o.Servers)+len(o.Locations) == 0 {
		return true
	}
	server, location := places.of(f)
	return rule.MatchServer(o.Servers, server) && rule.MatchLocation(o.Locations, location)
}

// grade gives a finding its severity: an override's, else the settings', else the rule's.
func (s *sifter) grade(found []*rule.Finding) {
	o := s.options
	if len(o.Severities)+len(o.Overrides) == 0 {
		return
	}
	for _, f := range found {
		severity, ok := o.override(f, s.places)
		if !ok {
			severity, ok = o.Severities[f.Rule.Name]
		}
		if ok && severity != AsRuled {
			f.Severity = severity
		}
	}
}

// override returns what the last override says that means a finding.
func (o *Options) override(f *rule.Finding, places *places) (rule.Severity, bool) {
	for _, over := range slices.Backward(o.Overrides) {
		if s, ok := over.Rules[f.Rule.Name]; ok && over.means(f, places) {
			return s, true
		}
	}
	return "", false
}

// dropOff drops what is off.
func dropOff(found []*rule.Finding) []*rule.Finding {
	return slices.DeleteFunc(found, func(f *rule.Finding) bool { return f.Severity == Off })
}

// places find the server and the location that a finding stands in.
type places struct {
	tree      *config.Tree
	byLevel   sync.Once
	servers   map[*config.Level]*config.Server
	locations map[*config.Level]*config.Location
	byName    sync.Once
	spots     map[string]spot // by context, for findings that stand at no level
}

// A spot is what a context names: of several that are called the same, the first.
type spot struct {
	server   *config.Server
	location *config.Location
}

func newPlaces(tree *config.Tree) *places { return &places{tree: tree} }

// index is built when it is first asked for: most overrides speak of files.
func (p *places) index() {
	p.servers, p.locations = map[*config.Level]*config.Server{}, map[*config.Level]*config.Location{}
	if p.tree == nil || p.tree.HTTP == nil {
		return
	}
	for _, s := range p.tree.HTTP.Servers {
		p.servers[&s.Level] = s
		for l := range s.AllLocations {
			p.locations[&l.Level] = l
		}
	}
}

func (p *places) of(f *rule.Finding) (server *config.Server, location *config.Location) {
	if f.At == nil {
		n := p.byContext(f.Within())
		return n.server, n.location
	}
	p.byLevel.Do(p.index)
	for l := f.At; l != nil; l = l.Parent {
		if location == nil {
			location = p.locations[l]
		}
		if server = p.servers[l]; server != nil {
			return server, location
		}
	}
	return server, location
}

// byContext finds what a context names, or the most of it that the configuration holds: what nginx refuses stands in no tree.
func (p *places) byContext(context []string) spot {
	if p.tree == nil || p.tree.HTTP == nil || len(context) == 0 {
		return spot{}
	}
	p.byName.Do(p.indexNames)
	for n := len(context); n > 0; n-- {
		if found, ok := p.spots[strings.Join(context[:n], "\x00")]; ok {
			return found
		}
	}
	return spot{}
}

func (p *places) indexNames() {
	p.spots = map[string]spot{}
	add := func(l *config.Level, n spot) {
		if key := strings.Join(l.Context(), "\x00"); p.spots[key].server == nil {
			p.spots[key] = n
		}
	}
	for _, s := range p.tree.HTTP.Servers {
		add(&s.Level, spot{s, nil})
		for l := range s.AllLocations {
			add(&l.Level, spot{s, l})
		}
	}
}
