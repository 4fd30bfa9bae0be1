package report

import (
	"io"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/effect"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type jsonChange struct {
	Schema  int           `json:"schema"`
	Tool    jsonTool      `json:"tool"`
	Worst   string        `json:"worst"` // gravest severity of what got worse; "" where nothing did
	Changes []jsonStepOut `json:"changes"`
}

type jsonStepOut struct {
	Old     *Input           `json:"old"` // null: there is none
	New     *Input           `json:"new"`
	Limits  []jsonLimits     `json:"limits"`
	Sharing []jsonDifference `json:"shared_counts"`
	Answers []jsonAnswer     `json:"answers"`
	Servers []jsonServer     `json:"servers"`
	Pages   []jsonLoads      `json:"pages"`
	Same    int              `json:"pages_as_before"`
	Skipped int              `json:"servers_not_simulated"`
	Unasked bool             `json:"addresses_left_out"` // there were more than are tried
	Come    []findingJSON    `json:"new_findings"`
	Mended  []findingJSON    `json:"mended_findings"` // places are those before
}

type jsonLimits struct {
	Direction   string           `json:"direction"`
	Severity    string           `json:"severity"`
	Server      string           `json:"server"`
	Location    string           `json:"location"`
	Was         string           `json:"was,omitempty"` // the location before, where it was another one
	URL         string           `json:"url,omitempty"`
	AlsoAt      []string         `json:"also_at"`
	Differences []jsonDifference `json:"differences"`
}

type jsonDifference struct {
	Subject   string    `json:"subject"`
	Direction string    `json:"direction"`
	Message   string    `json:"message"`
	Old       *Declared `json:"old"`
	New       *Declared `json:"new"`
}

type jsonAnswer struct {
	Severity string    `json:"severity"`
	URL      string    `json:"url"`
	Was      string    `json:"was"`
	Is       string    `json:"is"`
	Others   int       `json:"others"`
	At       *Declared `json:"at"`
}

type jsonServer struct {
	Severity string    `json:"severity"`
	Name     string    `json:"name"`
	Gone     bool      `json:"gone"`
	Message  string    `json:"message"`
	At       *Declared `json:"at"`
}

type jsonLoads struct {
	Severity string   `json:"severity"` // "": no worse
	Fan      string   `json:"fan"`
	Server   string   `json:"server"`
	Stands   bool     `json:"stands"` // for what people load there; else it is shown for comparison
	Clients  int      `json:"clients"`
	Others   int      `json:"others"`
	Old      jsonLoad `json:"old"`
	New      jsonLoad `json:"new"`
}

type jsonLoad struct {
	Broken   int   `json:"broken_pages"`
	Rejected int   `json:"rejected"`
	Delayed  int   `json:"delayed"`
	P50      int64 `json:"p50_ms"`
	P95      int64 `json:"p95_ms"`
}

func writeChangeJSON(w io.Writer, c *Change, o Options) error {
	out := jsonChange{Schema: 1, Tool: jsonTool{"ngxlimit", c.Version}, Worst: string(c.Worst()), Changes: []jsonStepOut{}}
	for i := range c.Steps {
		out.Changes = append(out.Changes, c.Steps[i].toJSON(o))
	}
	return EncodeJSON(w, out)
}

// Worst returns the gravest severity of what got worse in any step; "" where nothing did.
func (c *Change) Worst() rule.Severity {
	var worst rule.Severity
	for i := range c.Steps {
		if s := c.Steps[i].Worst(); s != "" && (worst == "" || s.AtLeast(worst)) {
			worst = s
		}
	}
	return worst
}

func (s *Step) toJSON(o Options) jsonStepOut {
	out := jsonStepOut{
		Limits: []jsonLimits{}, Sharing: []jsonDifference{}, Answers: []jsonAnswer{}, Servers: []jsonServer{}, Pages: []jsonLoads{},
		Come: []findingJSON{}, Mended: []findingJSON{}, Same: s.Same, Skipped: s.Skipped, Unasked: s.Unasked,
	}
	if s.Before.Files > 0 {
		out.Old = &s.Before
	}
	if s.After.Files > 0 {
		out.New = &s.After
	}
	before := o
	if s.OldDir != "" {
		before.Dir = s.OldDir
	}
	for i := range s.Limits {
		l := &s.Limits[i]
		out.Limits = append(out.Limits, jsonLimits{
			string(l.Direction), string(l.Severity), l.Server, l.Location, l.Was, l.URL,
			append([]string{}, l.Others...), toJSONDifferences(l.Differences, before, o),
		})
	}
	out.Sharing = toJSONDifferences(s.Sharing, before, o)
	for _, a := range s.Answers {
		out.Answers = append(out.Answers, jsonAnswer{string(a.Severity), a.URL, a.Was, a.Is, a.Others, o.declared(a.At)})
	}
	for _, v := range s.Servers {
		at := o
		if v.Gone {
			at = before
		}
		out.Servers = append(out.Servers, jsonServer{string(v.Severity), v.Name, v.Gone, v.Text, at.declared(v.At)})
	}
	for _, p := range s.Pages {
		out.Pages = append(out.Pages, jsonLoads{
			string(p.Severity), p.Fan, p.Server, p.Stands, p.Clients, p.Others, toJSONLoad(p.Old), toJSONLoad(p.New),
		})
	}
	for i := range s.New {
		out.Come = append(out.Come, findingJSON{&s.New[i], s.New[i].Primary.File.Path})
	}
	for i := range s.Mended {
		f := s.Mended[i]
		f.Fix = nil // there is nothing left to mend
		out.Mended = append(out.Mended, findingJSON{&f, before.place(f.Primary.File)})
	}
	return out
}

func toJSONLoad(l effect.Load) jsonLoad {
	return jsonLoad{l.Broken, l.Rejected, l.Delayed, l.P50Ms, l.P95Ms}
}

func toJSONDifferences(list []compare.Difference, before, after Options) []jsonDifference {
	out := make([]jsonDifference, len(list))
	for i, d := range list {
		out[i] = jsonDifference{d.Subject, string(d.Direction), d.Text, before.declared(d.Old), after.declared(d.New)}
	}
	return out
}

// declared is a place as JSON holds it; nil for none.
func (o Options) declared(s source.Span) *Declared {
	if s.File == nil {
		return nil
	}
	return &Declared{o.place(s.File), s.From().Line}
}
