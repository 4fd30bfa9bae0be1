// Package tune knows how small a limit may be: for measured or simulated traffic, the least burst at each rate with which
// people pass at once, and what each choice lets an attacker do. Which requests belong together it takes from the
// configuration's locations and from the names in their paths; what the nginx text of a choice looks like is not its
// business. Traffic without limits is what it wants: requests that a limit refused or held back tell less of the need.
package tune

import (
	"fmt"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Visit is one request of the traffic.
type Visit struct {
	At      int64 // arrival, in milliseconds since any fixed moment
	Request *request.Request
	Nginx   string // which nginx it came to, where there are several: each has zones of its own
	Status  int    // of the answer; 0 where it is not known
	Agent   uint32 // a hash of the browser's name; 0 where it is not known
	User    uint32 // likewise of who was logged in
}

// Options say what is looked for.
type Options struct {
	Share  float64           // of the legitimate clients that are to pass at once, above 0 and at most 1
	Login  func(string) bool // says that a path is a login's
	Static func(string) bool // says that a path is a static file's

	Attackers, People func(client string) bool // what somebody knows of an address; nil for nothing

	Redact func(text string) string // stands in for addresses in the plan; nil: they are shown
}

// A Kind is what a group of requests is for.
type Kind string

// The kinds of groups.
const (
	Login Kind = "login" // one path on which people log in, counted for each address
	Part  Kind = "part"  // what a path begins with, below a location that takes everything
	Place Kind = "place" // a location of the configuration
	Total Kind = "total" // all parts and places of a server in one bucket
)

// A Group is the requests that one limit would count.
type Group struct {
	Kind     Kind
	Server   *config.Server
	Location *config.Location // which the requests come to today; nil for the server itself, and for a total
	Path     string           // of a login the whole one, of a part what it begins with: "/api/"; else ""
	HandedOn bool             // of a login or part: another location takes the first of its requests, and hands it on to Location (try_files, error_page, rewrite)
	Key      string           // as nginx writes it: "$binary_remote_addr"
	Declared *config.Zone     // whose key it is, where the location has a limit with a key of its own; nil otherwise

	Requests   int
	Clients    int    // keys
	Uncounted  int    // requests whose key is empty, or cannot be known
	People     int    // keys that are not an attacker's
	Attack     int    // requests of attackers
	Basis      string // what the limit rests on where no people come, so that it is not measured here; else ""
	Frontier   []Choice
	Chosen     int // index into Frontier
	BusiestKey string
	Busiest    int // most requests of one legitimate key within ten seconds

	Minute Spread // of a login: how often people try within a minute
}

// A Choice is a rate with the least burst that goes with it.
type Choice struct {
	Rate    int64 // thousandths of a request per second, as nginx reads the text
	Text    string
	Burst   int64 // requests
	Through int64 // requests that a flood from one key gets through within the horizon: the burst, and the rate's share

	Hurt          int // legitimate keys of which the limit refuses some request
	Refused       int // requests of theirs
	AttackRefused int // requests of attackers that it refuses

	HurtAt []int // how many legitimate keys would be hurt at this rate with each of Bursts
}

// Bursts are the bursts for which Choice.HurtAt is told.
var Bursts = [...]int64{0, 5, 10, 20, 30, 50, 100, 200, 500, 1000}

// An Attacker is a client that the limits are not sized for.
type Attacker struct {
	Client   string
	Why      string
	Requests int
	Busiest  int // within ten seconds
}

// A Plan is the least limits for some traffic.
type Plan struct {
	Groups    []*Group
	Attackers []Attacker
	Shared    []Shared // addresses behind which several people seem to be
	Unsure    []Unsure // who may be many people or a machine
	Visits    int
	Static    int           // requests for static files, which no group counts
	Other     int           // requests that end in no group: redirects, pages of a location that takes everything
	Lost      int           // requests that could not be followed
	Span      time.Duration // from the first to the last
	Distorted string        // why people may need more than the traffic shows; "" for no reason
	Coarse    string        // why its times hide what comes within a second, and bursts may be too small; "" where they do not
	Notes     []string
}

// Figures are what limits do to traffic.
type Figures struct {
	Requests, Delayed, Refused    int // of people
	AttackRequests, AttackRefused int
}

// A Shared is an address that several people use.
type Shared struct {
	Client string
	Agents int
	Users  int
}

// longest is the longest traffic that is taken: times are kept in 32 bits of milliseconds.
const longest = 45 * 24 * time.Hour

// ErrLong is traffic over a longer time than is taken.
var errLong = fmt.Errorf("the traffic covers more than %d days: name a part of it", int(longest/(24*time.Hour)))

// Horizon says for people over which time the flood of a choice is judged.
func Horizon(k Kind) string {
	if k == Login {
		return "10 min"
	}
	return "10 s"
}

// horizonOf is the time over which a flood is judged: within ten seconds a server is overrun, a password is guessed within
// minutes.
func horizonOf(k Kind) clock.Msec {
	if k == Login {
		return 10 * 60 * 1000
	}
	return 10 * 1000
}

// placeOf is where a request was judged, else where it ended.
func placeOf(t *pipeline.Trace) (server *config.Server, location *config.Location) {
	if t.LimitedLevel != nil {
		return t.Server, t.LimitedIn
	}
	return t.Server, t.Location
}
