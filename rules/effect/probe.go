package effect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A prober asks both configurations for the same addresses, and gathers what is otherwise.
type prober struct {
	old, new *rule.Facts
	compare  *compare.Comparer
	effect   *Effect

	askOld, askNew *rule.Probe
	groups         map[string]int // of Effect.Limits, by what they say
	answers        map[string]int
	touched        map[*config.Server]bool // of the new configuration: a limit or an answer is otherwise
}

// maxAsked is how many addresses either side is asked for: enough for ten thousand servers.
const maxAsked = 400_000

func (p *prober) run(pairs compare.Pairs[*config.Server]) {
	p.touched = map[*config.Server]bool{}
	if p.old.Tree.HTTP != nil {
		p.askOld = p.old.Probe().Absent().AtMost(maxAsked)
	}
	if p.new.Tree.HTTP != nil {
		p.askNew = p.new.Probe().Absent().AtMost(maxAsked)
	}
	for _, pair := range pairs.Both {
		p.servers(pair[0], pair[1])
	}
	for _, s := range pairs.Gone {
		p.gone(s)
	}
	for _, s := range pairs.Come {
		p.come(s)
	}
	p.effect.Unasked = p.askOld != nil && p.askOld.Exhausted() || p.askNew != nil && p.askNew.Exhausted()
}

// servers compares two servers: for each address that a location of either is written for, then place by place.
func (p *prober) servers(o, n *config.Server) {
	seen := map[[2]*config.Level]bool{}
	for _, target := range targets(o, n) {
		was, ok := p.askOld.Get(o, target)
		if !ok {
			continue
		}
		is, ok := p.askNew.Get(n, target)
		if !ok {
			continue
		}
		url := p.askNew.URL(n, target)
		p.answer(&was, &is, url)
		from, at := judged(&was), judged(&is)
		if from.Level == nil || at.Level == nil {
			continue
		}
		list := p.compare.Levels(from.Level, at.Level)
		keys := counted(&was, &is, list)
		if seen[[2]*config.Level{from.Level, at.Level}] && len(keys) == 0 {
			continue
		}
		seen[[2]*config.Level{from.Level, at.Level}] = true
		p.note(from, at, url, slices.Concat(list, keys))
	}
	pairs := compare.Locations(o, n)
	for _, pair := range pairs.Both {
		from, at := rule.PlaceOf(pair[0]), rule.PlaceOf(pair[1])
		if from.Judges() && at.Judges() && !seen[[2]*config.Level{from.Level, at.Level}] {
			p.places(from, at, "")
		}
	}
	from, at := rule.Place{Level: &o.Level, Server: o}, rule.Place{Level: &n.Level, Server: n}
	if from.Judges() && at.Judges() && !seen[[2]*config.Level{from.Level, at.Level}] {
		p.places(from, at, "")
	}
}

// somewhere is an address that no location is written for.
const somewhere = "/"

// targets are the addresses that the locations of servers are written for, each once.
func targets(servers ...*config.Server) []string {
	list := []string{somewhere}
	for _, s := range servers {
		for l := range s.AllLocations {
			list = append(list, rule.Samples(l)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// judged is the place whose limits hold for a request; no level where it is answered before any limiter is asked.
func judged(t *pipeline.Trace) rule.Place {
	switch {
	case t.LimitedLevel != nil:
		return rule.Place{Level: t.LimitedLevel, Server: t.Server, Location: t.LimitedIn}
	case t.ConnLevel != nil:
		return rule.Place{Level: t.ConnLevel, Server: t.Server, Location: t.Location}
	case t.EndsIn != pipeline.EndContent && t.EndsIn != pipeline.EndTryFiles:
		return rule.Place{}
	case t.Location == nil:
		return rule.Place{Level: &t.Server.Level, Server: t.Server}
	}
	return rule.PlaceOf(t.Location)
}

// places notes in what the limits of two places differ.
func (p *prober) places(from, at rule.Place, url string) {
	p.note(from, at, url, p.compare.Levels(from.Level, at.Level))
}

// note keeps what is otherwise at a place, together with the places of which the same can be said.
func (p *prober) note(from, at rule.Place, url string, list []compare.Difference) {
	if len(list) == 0 {
		return
	}
	p.touched[at.Server] = true
	l := Limits{
		Direction: compare.Gravest(list), Server: serverName(at.Server), Location: label(at.Location),
		URL: url, Differences: list,
	}
	switch was := label(from.Location); {
	case serverName(from.Server) != l.Server:
		l.Was = placeName(serverName(from.Server), was)
	case was == l.Location:
	case was == "":
		l.Was = "the server"
	default:
		l.Was = was
	}
	l.Severity = SeverityOf(list...)
	key := wording(list)
	if i, ok := p.groups[key]; ok {
		if first := &p.effect.Limits[i]; !slices.Contains(first.Others, l.Place()) && first.Place() != l.Place() {
			first.Others = append(first.Others, l.Place())
		}
		return
	}
	p.groups[key] = len(p.effect.Limits)
	p.effect.Limits = append(p.effect.Limits, l)
}

// wording is what differences say, without their places.
func wording(list []compare.Difference) string {
	var b strings.Builder
	for i := range list {
		fmt.Fprintf(&b, "%s %s %s\n", list[i].Subject, list[i].Direction, list[i].Text)
	}
	return b.String()
}

func label(l *config.Location) string {
	if l == nil {
		return ""
	}
	return l.Label()
}

// serverName is what people call a server: its first name, or where it listens.
func serverName(s *config.Server) string {
	if name := s.Names[0].Text; name != "" {
		return name
	}
	return "server " + s.Listens[0].Text
}

// gone tells of a server that is no more, and who takes its requests.
func (p *prober) gone(s *config.Server) {
	out := Server{Severity: rule.Note, Name: serverName(s), Gone: true, At: headOf(&s.Level)}
	out.Text = "nothing listens there any more"
	if p.askNew != nil {
		req := p.askOld.Request(s, somewhere)
		if t, ok := p.askNew.Send(&req); ok {
			out.Text = "its requests come to " + serverName(t.Server)
			p.moved(s, targets(s))
		}
	}
	p.effect.Servers = append(p.effect.Servers, out)
}

// moved compares what requests of a server met with what they meet at whichever server takes them now.
func (p *prober) moved(s *config.Server, targets []string) {
	seen := map[[2]*config.Level]bool{}
	for _, target := range targets {
		was, ok := p.askOld.Get(s, target)
		if !ok {
			continue
		}
		req := p.askOld.Request(s, target)
		is, ok := p.askNew.Send(&req)
		if !ok {
			continue
		}
		from, at := judged(&was), judged(&is)
		if from.Level != nil && at.Level != nil && !seen[[2]*config.Level{from.Level, at.Level}] {
			seen[[2]*config.Level{from.Level, at.Level}] = true
			p.places(from, at, p.askOld.URL(s, target))
		}
	}
}

// come tells of a server that was not there.
func (p *prober) come(s *config.Server) {
	out := Server{Severity: rule.Note, Name: serverName(s), At: headOf(&s.Level), Text: "no limit holds in it"}
	zones := map[string]bool{}
	limited, places := 0, 0
	for _, at := range placesOf(s) {
		if !at.Judges() {
			continue
		}
		places++
		if !at.Unlimited() {
			limited++
		}
		for _, l := range at.Settings.LimitReqs.Value {
			zones[l.ZoneName] = true
		}
		for _, l := range at.Settings.LimitConns.Value {
			zones[l.ZoneName] = true
		}
	}
	switch {
	case places == 0:
		out.Text = "it answers without asking a limiter"
	case limited > 0:
		out.Text = fmt.Sprintf("limits hold at %d of its %s, by %s", limited, rule.Plural(int64(places), "place", "places"), zoneNames(zones))
	}
	p.effect.Servers = append(p.effect.Servers, out)
}

func placesOf(s *config.Server) []rule.Place {
	list := []rule.Place{{Level: &s.Level, Server: s}}
	for l := range s.AllLocations {
		list = append(list, rule.PlaceOf(l))
	}
	return list
}
