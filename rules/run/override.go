package run

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
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
}

func (o *Override) means(f *rule.Finding, places *places) bool {
	file := f.Primary.File
	if len(o.Files) > 0 && !rule.MatchFile(o.Files, file.Path) && (file.Disk == "" || !rule.MatchFile(o.Files, file.Disk)) {
		return false
	}
	if len(o.Servers)+len(o.Locations) == 0 {
		return true
	}
	server, location := places.of(f)
	return rule.MatchServer(o.Servers, server) && rule.MatchLocation(o.Locations, location)
}

// grade gives a finding its severity: an override's, else the settings', else the rule's.
func grade(found []rule.Finding, o *Options, tree *config.Tree) {
	if len(o.Severities)+len(o.Overrides) == 0 {
		return
	}
	places := newPlaces(tree)
	for i := range found {
		f := &found[i]
		s, ok := o.override(f, places)
		if !ok {
			s, ok = o.Severities[f.Rule.Name]
		}
		if ok && s != AsRuled {
			f.Severity = s
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
func dropOff(found []rule.Finding) []rule.Finding {
	return slices.DeleteFunc(found, func(f rule.Finding) bool { return f.Severity == Off })
}

// places find the server and the location that a finding stands in.
type places struct {
	tree      *config.Tree
	servers   map[*config.Level]*config.Server
	locations map[*config.Level]*config.Location
}

func newPlaces(tree *config.Tree) *places { return &places{tree: tree} }

// index is built when it is first asked for: most overrides speak of files.
func (p *places) index() {
	if p.servers != nil {
		return
	}
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
	p.index()
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
