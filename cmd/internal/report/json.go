package report

import (
	"io"

	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// The parts of the report around its two long lists, which are written one element at a time.
type jsonHead struct {
	Schema int      `json:"schema"`
	Tool   jsonTool `json:"tool"`
	Inputs []Input  `json:"inputs"`
}

type jsonTail struct {
	Suppressed int         `json:"suppressed"`
	Known      int         `json:"known,omitempty"`  // in the baseline, or in an older revision
	Silent     []string    `json:"silent,omitempty"` // rules that conclude nothing from what was not read
	Assumed    []string    `json:"modules_assumed,omitempty"`
	LeftOut    int         `json:"left_out,omitempty"`
	Summary    jsonSummary `json:"summary"`
	Defects    []string    `json:"defects,omitempty"`

	// Only where fixes were asked for.
	Fixed *[]jsonFixed `json:"fixed,omitempty"`
	Left  *[]jsonFixed `json:"not_fixed,omitempty"`
	Held  int          `json:"unsafe_fixes,omitempty"`
	Diff  string       `json:"diff,omitempty"`
}

// A jsonFixed is a fix that was made, or was not; the place is that of its finding before.
type jsonFixed struct {
	Rule   string `json:"rule"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Title  string `json:"title"`
	Safe   bool   `json:"safe"`
	Reason string `json:"reason,omitempty"` // why it was not made
}

type jsonTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonSummary struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Note    int `json:"note"`
}

type jsonPage struct {
	Input     string             `json:"input"`
	Server    string             `json:"server"`
	Fan       string             `json:"fan"`
	Clients   int                `json:"clients"`
	One       jsonRun            `json:"one"`
	Office    jsonRun            `json:"office"`
	Locations []jsonPageLocation `json:"locations"`
}

type jsonRun struct {
	Requests   int               `json:"requests"`
	Delayed    int               `json:"delayed"`
	Rejected   int               `json:"rejected"`
	MaxAddedMs int64             `json:"max_added_ms"`
	Page       simulate.PageStat `json:"page"`
}

type jsonPageLocation struct {
	Server   string   `json:"server"`
	Location string   `json:"location"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Limited  bool     `json:"limited"`
	Zones    []string `json:"undefined_zones"` // named by limits there and defined nowhere, so that the figures lack them
	One      jsonStat `json:"one"`
	Office   jsonStat `json:"office"`
}

type jsonStat struct {
	Requests  int                `json:"requests"`
	Passed    int                `json:"passed"`
	Delayed   int                `json:"delayed"`
	Rejected  int                `json:"rejected"`
	AddedMs   simulate.Quantiles `json:"added_ms"`
	DryRun    int                `json:"dry_run"`
	NotIssued int                `json:"not_issued"`
}

// writeJSON writes one object, as the contract names its fields. Bytes that are no UTF-8 become U+FFFD.
func writeJSON(w io.Writer, r *Report, _ Options) error {
	n := r.counts()
	o := &objectWriter{errWriter: errWriter{w: w}}
	o.open()
	o.fields(jsonHead{Schema: 1, Tool: jsonTool{"ngxlimit", r.Version}, Inputs: append([]Input{}, r.Inputs...)})
	o.findings(r.Findings)
	tail := jsonTail{Suppressed: r.Suppressed, Known: r.Known, Silent: r.Silent, Assumed: r.Assumed, LeftOut: r.LeftOut, Summary: jsonSummary{n[rule.Error], n[rule.Warning], n[rule.Note]}, Defects: r.Defects}
	tail.mending(r.Mending)
	o.fields(tail)
	if r.Fleet != nil {
		o.list("fleet", len(r.Fleet.Groups), func(i int) any { return r.Fleet.Groups[i].toJSON() })
	}
	o.list("pages", len(r.Pages), func(i int) any { return toJSONPage(r.Pages[i]) })
	o.close()
	return o.err
}

func toJSONPage(p Page) jsonPage {
	out := jsonPage{
		Input: p.Input, Server: p.name(), Fan: p.Fan, Clients: p.Clients,
		One: toJSONRun(p.One), Office: toJSONRun(p.Office), Locations: make([]jsonPageLocation, len(p.Locations)),
	}
	for i, l := range p.Locations {
		zones, _ := undefinedZones(p, l)
		out.Locations[i] = jsonPageLocation{
			l.One.Server, l.One.Location, l.One.File, l.One.Line, l.One.Limited, append([]string{}, zones...),
			toJSONStat(l.One), toJSONStat(l.Office),
		}
	}
	return out
}

func toJSONStat(s simulate.LocationStat) jsonStat {
	return jsonStat{s.Requests, s.Passed, s.Delayed, s.Rejected, s.AddedMs, s.DryRun, s.NotIssued}
}

func toJSONRun(r simulate.PageRun) jsonRun {
	return jsonRun{r.Requests, r.Delayed, r.Rejected, r.MaxAddedMs, r.Stat}
}
