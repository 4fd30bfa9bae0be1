// Package report writes what a command found, in the format that was asked for. It decides nothing: order, severity and
// what is suppressed are settled before. It knows how to show bytes that nobody vouches for, so that no control
// character of a configuration reaches a terminal and no text of it becomes a command of a build log.
package report

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A Report is what one run of check found.
type Report struct {
	Version    string         // of ngxlimit
	Inputs     []Input        // in the order given
	Findings   []rule.Finding // in the order to be shown
	LeftOut    int            // findings beyond those that are kept
	Suppressed int            // findings that a comment in the configuration held back
	Held       []run.Held     // the first of them, for formats that have a place for what is suppressed
	Known      int            // findings that were there before: in the baseline, or in an older revision
	Written    int            // findings that were written to a baseline
	Silent     []string       // rules that may have kept findings to themselves, since the configuration is not whole
	Rules      []*rule.Rule   // the whole catalogue, sorted by name
	Assumed    []string       // modules that are taken to be built into nginx, for want of a load_module
	Unlimited  bool           // no limit_req and no limit_conn is in effect anywhere
	Pages      []Page         // what page loads suffer; empty where nothing is limited
	Defects    []string       // faults of ngxlimit's own rules; people are told
	Mending    *Mending       // nil where no fixes were asked for
	Fleet      *Fleet         // nil unless the dumps of several machines were read
}

// Mending is what became of fixes.
type Mending struct {
	Fixed []rule.Finding // mended in files on disk, as they were found
	Left  []Left         // fixes that were not made
	Held  int            // findings whose fix was not asked for, since answers would differ after it
	Diff  string         // for what a dump or standard input carries, which is not changed
}

// Left is a finding whose fix was not made.
type Left struct {
	rule.Finding
	Why string
}

// An Input is one configuration that was named: one that could not be read at all is a fragment of no files.
type Input struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"` // dump, tree or fragment
	Files    int    `json:"files"`
	Complete bool   `json:"complete"` // all of it was read and understood
	Decisive bool   `json:"-"`        // all that lacks, if anything does, comes with nginx and holds no limit: nothing more is to be found
}

// A Page is what loads of one page suffer at one server.
type Page struct {
	Input  string   // the input's path
	Hosts  []string // the inputs of several machines that have it so, where they are told together
	Server *config.Server
	simulate.Page
}

// name is the server's first name.
func (p *Page) name() string {
	if p.Server == nil || len(p.Server.Names) == 0 {
		return ""
	}
	return p.Server.Names[0].Text
}

// label is the server for people: its name, else where it listens.
func (p *Page) label() string {
	switch name := p.name(); {
	case name != "":
		return clean(name)
	case p.Server != nil && len(p.Server.Listens) > 0:
		return clean("server " + p.Server.Listens[0].Text)
	}
	return "the server"
}

// Options say how to show a report.
type Options struct {
	Color   bool              // with escape sequences for colours
	Width   int               // columns of the terminal; 0 is DefaultWidth
	Wrap    bool              // break the first line of a finding too, which else stays whole for those who search it
	Dir     string            // the working folder, absolute; places below it are shown relative to it
	MapPath map[string]string // whole path components to show in place of those that a dump names
}

// DefaultWidth is the width, in columns, to which source lines are cut where the terminal's is not known.
const DefaultWidth = 100

func (o Options) width() int {
	if o.Width <= 0 {
		return DefaultWidth
	}
	return max(o.Width, 40)
}

// place names a file for people: relative to the working folder where it lies on disk below it, else as nginx names it.
func (o Options) place(f *source.File) string {
	if f.Disk == "" {
		return o.mapped(f.Path)
	}
	return o.relative(f.Disk)
}

// relative returns path seen from the working folder, where it lies below it.
func (o Options) relative(path string) string {
	if strings.Contains(path, "..") { // main/../parts/a.conf, as an include leads there
		path = filepath.Clean(path)
	}
	if o.Dir == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(o.Dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}

// mapped replaces the longest of the mapped leading paths, by whole components.
func (o Options) mapped(path string) string {
	best := ""
	for from := range o.MapPath {
		from = strings.TrimSuffix(from, "/")
		if len(from) > len(best) && (path == from || strings.HasPrefix(path, from+"/")) {
			best = from
		}
	}
	if best == "" {
		return path
	}
	to, ok := o.MapPath[best]
	if !ok {
		to = o.MapPath[best+"/"]
	}
	return strings.TrimSuffix(to, "/") + path[len(best):]
}

// counts returns how many findings there are of each severity.
func (r *Report) counts() map[rule.Severity]int {
	n := map[rule.Severity]int{rule.Error: 0, rule.Warning: 0, rule.Note: 0}
	for i := range r.Findings {
		n[r.Findings[i].Severity]++
	}
	return n
}

// lacking says that something was not read in which there may be more to find.
func (in Input) lacking() bool { return !in.Complete && !in.Decisive }

// complete says that every input was read, but for files that come with nginx.
func (r *Report) complete() bool {
	for _, in := range r.Inputs {
		if in.lacking() {
			return false
		}
	}
	return true
}

// errWriter remembers the first error, so that a writer of many pieces checks once.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) print(parts ...string) {
	for _, s := range parts {
		if e.err != nil {
			return
		}
		_, e.err = io.WriteString(e.w, s)
	}
}
