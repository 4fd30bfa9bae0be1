package report

import (
	"io"
	"strings"

	"github.com/ngxlimit/ngxlimit/cmd/internal/rollout"
	"github.com/ngxlimit/ngxlimit/model/tune"
)

type tuningJSON struct {
	Traffic   string         `json:"traffic"`
	Requests  int            `json:"requests"`
	SpanMs    int64          `json:"span_ms"`
	Static    int            `json:"static"`
	Other     int            `json:"other"`
	Lost      int            `json:"lost"`
	Limits    []limitJSON    `json:"limits"`
	Attackers []attackerJSON `json:"attackers"`
	Shared    []sharedJSON   `json:"shared_addresses"`
	Unsure    []unsureJSON   `json:"unsure"` // who may be many people or a machine
	After     *afterJSON     `json:"after"`
	Nginx     *nginxJSON     `json:"nginx"`
	Steps     []stepJSON     `json:"steps"`
	Distorted string         `json:"distorted,omitempty"` // why people may need more than the traffic shows
	Coarse    string         `json:"coarse,omitempty"`    // why its times hide what comes within a second
	Notes     []string       `json:"notes"`
}

type limitJSON struct {
	Kind           tune.Kind    `json:"kind"`
	Server         string       `json:"server"`
	Location       string       `json:"location"`
	Key            string       `json:"key"`
	Zone           string       `json:"zone"`
	Size           string       `json:"size"`
	Rate           string       `json:"rate"`
	RateMilli      int64        `json:"rate_milli"`
	Burst          int64        `json:"burst"`
	Mode           string       `json:"mode"` // "nodelay", or "" where nothing may come early
	Requests       int          `json:"requests"`
	Keys           int          `json:"keys"`
	PeopleKeys     int          `json:"people_keys"`
	AttackRequests int          `json:"attack_requests"`
	NotCounted     int          `json:"not_counted"`
	BusiestIn10s   int          `json:"busiest_in_10s"`
	BusiestKey     string       `json:"busiest_client"`
	PerMinute      *spreadJSON  `json:"per_minute,omitempty"` // of a login: tries of a key of people within its busiest minute
	Basis          string       `json:"basis,omitempty"`      // what it rests on where only attackers come
	Chosen         int          `json:"chosen"`               // index into frontier
	Frontier       []choiceJSON `json:"frontier"`
}

type choiceJSON struct {
	Rate          string `json:"rate"`
	RateMilli     int64  `json:"rate_milli"`
	Burst         int64  `json:"burst"`
	FloodGets     int64  `json:"flood_gets"`
	HurtKeys      int    `json:"hurt_keys"`
	Refused       int    `json:"refused"`
	AttackRefused int    `json:"attack_refused"`
}

type attackerJSON struct {
	Client   string `json:"client"`
	Why      string `json:"why"`
	Requests int    `json:"requests"`
	Busiest  int    `json:"busiest_in_10s"`
}

type sharedJSON struct {
	Client string `json:"client"`
	Agents int    `json:"agents"`
	Users  int    `json:"users"`
}

type unsureJSON struct {
	Client   string `json:"client"`
	Tries    int    `json:"tries_in_1min"`
	Requests int    `json:"requests_around"`
	Agents   int    `json:"agents"` // 0: not known
	Users    int    `json:"users"`
}

type spreadJSON struct {
	P50  int `json:"p50"`
	P99  int `json:"p99"`
	Most int `json:"max"`
}

type afterJSON struct {
	Requests       int `json:"requests"`
	Delayed        int `json:"delayed"`
	Refused        int `json:"refused"`
	AttackRequests int `json:"attack_requests"`
	AttackRefused  int `json:"attack_refused"`
}

type nginxJSON struct {
	DryRun  *stageJSON `json:"dry_run"`
	Enforce *stageJSON `json:"enforce"`
}

type stageJSON struct {
	HTTP  string     `json:"http"`
	Parts []partJSON `json:"parts"`
	Diff  string     `json:"diff"`
}

type partJSON struct {
	Where string `json:"where"`
	Text  string `json:"text"`
}

type stepJSON struct {
	Title  string   `json:"title"`
	Do     []string `json:"do"`
	LookAt []string `json:"look_at"`
}

// WriteTuningJSON writes a tuning for programs.
func WriteTuningJSON(w io.Writer, t Tuning, o Options) error {
	p := t.Plan
	out := tuningJSON{
		Traffic: t.Traffic, Requests: p.Visits, SpanMs: p.Span.Milliseconds(), Static: p.Static, Other: p.Other, Lost: p.Lost, Distorted: p.Distorted, Coarse: p.Coarse,
		Limits: []limitJSON{}, Attackers: []attackerJSON{}, Shared: []sharedJSON{}, Unsure: []unsureJSON{}, Steps: []stepJSON{}, Notes: append([]string{}, p.Notes...),
	}
	for _, a := range p.Attackers {
		out.Attackers = append(out.Attackers, attackerJSON(a))
	}
	for _, s := range p.Shared {
		out.Shared = append(out.Shared, sharedJSON(s))
	}
	for i := range p.Unsure {
		u := &p.Unsure[i]
		out.Unsure = append(out.Unsure, unsureJSON{u.Client, u.Rush.Tries, u.Rush.Requests, u.Rush.Agents, u.Rush.Users})
	}
	if t.Proposal != nil {
		out.proposal(t, o)
	}
	return EncodeJSON(w, out)
}

func (j *tuningJSON) proposal(t Tuning, o Options) {
	for i := range t.Proposal.Limits {
		j.Limits = append(j.Limits, limitOf(&t.Proposal.Limits[i]))
	}
	after := afterJSON(t.After)
	j.After = &after
	j.Nginx = &nginxJSON{DryRun: stageOf(t.Proposal.DryRun, o), Enforce: stageOf(t.Proposal.Enforce, o)}
	for _, s := range t.Proposal.Steps(t.Input) {
		j.Steps = append(j.Steps, stepJSON(s))
	}
	j.Notes = append(j.Notes, t.Proposal.Notes...)
}

func limitOf(l *rollout.Limit) limitJSON {
	g := l.Group
	out := limitJSON{
		Kind: g.Kind, Server: g.Server.Names[0].Text, Location: g.Label(), Key: g.Key, Zone: l.Zone, Size: l.Size,
		Basis: g.Basis, Rate: l.Choice.Text, RateMilli: l.Choice.Rate, Burst: l.Burst, Mode: strings.Trim(mode(l), "-"), Requests: g.Requests, Keys: g.Clients,
		PeopleKeys: g.People, AttackRequests: g.Attack, NotCounted: g.Uncounted, BusiestIn10s: g.Busiest, BusiestKey: g.BusiestKey,
		Chosen: g.Chosen, Frontier: []choiceJSON{},
	}
	if g.Minute.Most > 0 {
		out.PerMinute = &spreadJSON{g.Minute.P50, g.Minute.P99, g.Minute.Most}
	}
	for i := range g.Frontier {
		c := &g.Frontier[i]
		out.Frontier = append(out.Frontier, choiceJSON{
			Rate: c.Text, RateMilli: c.Rate, Burst: c.Burst, FloodGets: c.Through, HurtKeys: c.Hurt, Refused: c.Refused, AttackRefused: c.AttackRefused,
		})
	}
	return out
}

func stageOf(s *rollout.Stage, o Options) *stageJSON {
	if s == nil {
		return nil
	}
	out := &stageJSON{HTTP: s.HTTP, Parts: []partJSON{}, Diff: s.Diff(o.DiffNames)}
	for _, p := range s.Rest {
		out.Parts = append(out.Parts, partJSON(p))
	}
	return out
}
