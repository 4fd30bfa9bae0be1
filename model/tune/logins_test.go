package tune

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// A day is what an address sends: pages over the whole day, and a minute of tries to log in.
type day struct {
	pages   int // requests, one a minute, before the tries
	tries   int
	every   int64 // milliseconds from try to try
	beside  int   // requests before and after each try
	agents  int   // browsers, in turn; 0 for unknown
	users   int
	refused int // of ten tries, how many the application refuses
}

func dayOf(t *testing.T, d day, o Options) *Plan {
	t.Helper()
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(two)})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(inputs[0], config.Options{})
	o.Share, o.Login, o.Static = 1, func(uri string) bool { return uri == "/api/login" }, func(string) bool { return false }
	c := NewCollector(tree, route.New(tree), o)
	add := func(at int64, client, path string, n, status int) {
		addr, _ := request.ParseAddr(client)
		v := &Visit{At: at, Status: status, Request: &request.Request{Method: "POST", Host: "a.example", Target: path, Peer: addr}}
		if d.agents > 0 {
			v.Agent = uint32(n%d.agents) + 1
		}
		if d.users > 0 {
			v.User = uint32(n%d.users) + 1
		}
		if err := c.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	const other, who = "203.0.113.1", "203.0.113.2"
	add(0, other, "/api/login", 0, 200)
	add(1000, other, "/api/x", 0, 200)
	for i := range d.pages {
		add(int64(i)*60_000, who, fmt.Sprintf("/api/%d", i), i, 200)
	}
	begin := int64(d.pages+10) * 60_000
	for i := range d.tries {
		at, status := begin+int64(i)*d.every, 200
		if i%10 < d.refused {
			status = 401
		}
		for j := range d.beside {
			add(at-2000+int64(j)*4000, who, "/api/page", i, 200)
		}
		add(at, who, "/api/login", i, status)
	}
	p, err := c.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Who tries to log in more often within a minute than anybody types is a machine, whatever its address does all day. An office
// whose people begin to work is not; what cannot be told is said.
func TestRush(t *testing.T) {
	for name, c := range map[string]struct {
		day    day
		attack string // part of the reason; "" for people
		unsure int    // tries
	}{
		"nobody":                                {day{pages: 5, tries: 3, every: 5000, beside: 2, agents: 1}, "", 0},
		"a machine behind a busy address":       {day{pages: 1000, tries: 250, every: 40, agents: 1}, "250 of the 250 requests that it sends around one minute are tries to log in, by 1 browser", 0},
		"a slow machine":                        {day{pages: 1000, tries: 400, every: 2000, agents: 1}, "30 of the 35 requests that it sends around one minute", 0},
		"a machine with an unknown browser":     {day{pages: 1000, tries: 250, every: 40}, "250 of the 250 requests", 0},
		"a machine with three browsers":         {day{pages: 1000, tries: 250, every: 40, agents: 3}, "by 3 browsers", 0},
		"an office with one browser":            {day{pages: 1000, tries: 29, every: 1000, beside: 2, agents: 1}, "", 29},
		"an office with many":                   {day{pages: 1000, tries: 60, every: 500, agents: 12}, "", 60},
		"an office known by its users":          {day{pages: 1000, tries: 60, every: 500, agents: 1, users: 12}, "", 60},
		"a machine with a browser for each try": {day{pages: 1000, tries: 250, every: 40, agents: 250}, "", 250},
		"a person who clicks":                   {day{pages: 1000, tries: 19, every: 500, agents: 1}, "", 0},
		"a day of single tries":                 {day{pages: 1000, tries: 100, every: 60_000, beside: 1, agents: 1}, "", 0},
		"guesses that fail":                     {day{pages: 1000, tries: 100, every: 60_000, beside: 1, agents: 1, refused: 10}, "100 of 100 tries to log in failed", 0},
	} {
		p := dayOf(t, c.day, Options{})
		switch {
		case c.attack == "" && len(p.Attackers) > 0:
			t.Errorf("%s: %s", name, p.Attackers[0].Why)
		case c.attack != "" && (len(p.Attackers) != 1 || !strings.Contains(p.Attackers[0].Why, c.attack)):
			t.Errorf("%s: %+v, want %s", name, p.Attackers, c.attack)
		}
		switch {
		case c.unsure == 0 && len(p.Unsure) > 0:
			t.Errorf("%s: unsure: %+v", name, p.Unsure)
		case c.unsure > 0 && (len(p.Unsure) != 1 || p.Unsure[0].Rush.Tries != c.unsure || p.Unsure[0].Client != "203.0.113.2"):
			t.Errorf("%s: unsure: %+v, want %d tries", name, p.Unsure, c.unsure)
		}
	}
}

// Whoever somebody knows is neither judged nor doubted.
func TestRushOfKnown(t *testing.T) {
	known := func(client string) bool { return client == "203.0.113.2" }
	if p := dayOf(t, day{pages: 10, tries: 250, every: 40, agents: 1}, Options{People: known}); len(p.Attackers)+len(p.Unsure) > 0 {
		t.Errorf("%+v %+v", p.Attackers, p.Unsure)
	}
	p := dayOf(t, day{pages: 1000, tries: 29, every: 1000, beside: 2, agents: 1}, Options{Attackers: known})
	if len(p.Attackers) != 1 || len(p.Unsure) > 0 {
		t.Errorf("%+v %+v", p.Attackers, p.Unsure)
	}
}

// How often people try within a minute is told of logins alone.
func TestMinuteOfLogins(t *testing.T) {
	p := dayOf(t, day{pages: 10, tries: 29, every: 1000, beside: 2, agents: 1}, Options{})
	for _, g := range p.Groups {
		want := Spread{}
		if g.Kind == Login {
			want = Spread{P50: 1, P99: 29, Most: 29}
		}
		if g.Minute != want {
			t.Errorf("%s: %+v, want %+v", g.Label(), g.Minute, want)
		}
	}
}
