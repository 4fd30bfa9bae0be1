package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// countDefault counts the places where a limit can refuse and nothing sets the status of the refusal.
func (d *defaulted) countDefault(places []rule.Place, status func(*config.Settings) (*config.Setting[int], bool)) int {
	n := 0
	for _, place := range places {
		s, dry := status(place.Settings)
		if s.From() == config.Default && !dry && place.Judges() && !mapsStatus(place.Settings.ErrorPages.Value, s.Value) && !d.written(place.Level) {
			n++
		}
	}
	return n
}

// mapsStatus says whether an error_page gives refusals another status: error_page 503 =429 /slow-down.
func mapsStatus(pages []*config.ErrorPage, status int) bool {
	for _, page := range pages {
		if page.Answer != 0 && slices.Contains(page.Codes, status) {
			return true
		}
	}
	return false
}

// defaulted are the lists of one kind of limit whose refusals carry the default status. One line in http mends them all,
// so that they are one finding, at the first of them.
type defaulted struct {
	name   string
	limits []config.Item // the first of each list
	at     *config.Level // of the first list
	levels int           // that list's
	places int
	mapped bool // an error_page somewhere rests on the default status
	zone   *syntax.Directive

	refused bool                   // nginx refuses something: it may be a status
	wrote   map[*config.Level]bool // whether a status that nginx refuses is in effect, of the levels that were asked about
}

// written says whether a status is written for a level although none is set: one that nginx refuses, which is said elsewhere.
func (d *defaulted) written(l *config.Level) bool {
	if !d.refused || l == nil {
		return false
	}
	wrote, known := d.wrote[l]
	if !known {
		wrote = len(l.FindAll(d.name+"_status")) > 0 || d.written(l.Parent)
		d.wrote[l] = wrote
	}
	return wrote
}

func (d *defaulted) add(at *config.Level, levels int, limit config.Item, places []rule.Place, status func(*config.Settings) (*config.Setting[int], bool)) {
	for _, place := range places {
		if s, _ := status(place.Settings); s.From() == config.Default && mapsStatus(place.Settings.ErrorPages.Value, s.Value) {
			d.mapped = true
		}
	}
	n := d.countDefault(places, status)
	if n == 0 {
		return
	}
	if d.at == nil {
		d.at, d.levels = at, levels
	}
	d.limits = append(d.limits, limit)
	d.places += n
}

func (d *defaulted) report(p *rule.Pass) {
	if len(d.limits) == 0 || !p.Whole() {
		return // the status may be set in what was not read
	}
	status := d.name + "_status"
	f := rule.Of(d.limits[0], d.at)
	f.Places, f.About = d.levels, status
	where := ""
	if len(d.limits) > 1 {
		where = fmt.Sprintf(" in %s with limits of their own", rule.Plural(int64(len(d.limits)), "block", "blocks"))
	}
	f.Message = fmt.Sprintf("refusals of %s carry the default status 503%s, because no %s is in effect", d.name, where, status)
	f.Evidence = map[string]any{"status": int64(503), "places": int64(d.places)}
	f.Fix = &rule.Fix{Title: "set " + status + " 429", Edits: d.edits(status)}
	p.Report(f)
}

// edits set the status: beside the limit where there is one list; else once in http, where zones are defined; but beside
// each of many lists where the line in http would change what an error_page of another level takes.
func (d *defaulted) edits(status string) []source.Edit {
	if len(d.limits) > 1 && !d.mapped && d.zone != nil {
		return []source.Edit{rule.InsertBefore(d.zone, status+" 429;")}
	}
	edits := make([]source.Edit, 0, len(d.limits))
	for _, limit := range d.limits {
		edits = append(edits, rule.InsertBefore(limit.Directive, status+" 429;"))
	}
	return edits
}
