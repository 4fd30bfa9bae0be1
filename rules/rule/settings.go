package rule

import (
	"cmp"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/peers"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// DefaultClientsPerAddress is how many people are taken to share one public address where nothing else is said: the
// larger office of the portal in docs/, whose limit broke on exactly that.
const DefaultClientsPerAddress = 29

// A Front says whether something stands between the clients and this nginx.
type Front string

// What may be known about a front.
const (
	FrontUnknown Front = ""      // nobody said
	FrontNone    Front = "none"  // clients connect to this nginx themselves
	FrontProxy   Front = "proxy" // a balancer, a CDN or another proxy connects, and the client's address is in a header
)

// Settings are the facts outside the configuration that rules may use. The zero value says that nothing is known.
type Settings struct {
	ClientsPerAddress int              // people behind one public address; 0 takes DefaultClientsPerAddress
	ExpectedKeys      map[string]int64 // by zone name: how many different keys are active within the time a state is needed
	ExpectedClients   map[string]int64 // by zone name: how many clients are active within that time
	Front             Front
	Background        []string // URI prefixes that only programs ask for, so that nobody waits: "/hooks/"
	Interactive       []string // URI prefixes on which people wait, whatever their names suggest
	Fans              []FanFor // page loads that stand for what is asked for; elsewhere PageFan does

	Chain  chain.Chain      // the proxies that requests pass; nil where nobody said
	Fronts []*fronts.List   // the networks of what stands in front, as they were given
	Peers  *peers.Collector // what logs show of who connects; nil where no log was read
	Table  *fronts.Table    // the fronts that are known; nil is the table that is built in
	Today  string           // "2026-11-30", to tell how old a list is; "" is not known
}

// A FanFor is a page load that stands for what people ask for at the servers and locations that it names; see MatchServer
// and MatchLocation.
type FanFor struct {
	Fan                *traffic.Fan
	Servers, Locations []string
}

// Clients returns how many people share one public address.
func (s *Settings) Clients() int {
	if s.ClientsPerAddress > 0 {
		return s.ClientsPerAddress
	}
	return DefaultClientsPerAddress
}

// Known returns the fronts that are known.
func (s *Settings) Known() *fronts.Table { return cmp.Or(s.Table, fronts.BuiltIn()) }

// IsBackground says whether the settings list the URI as one on which nobody waits. The longest prefix decides.
func (s *Settings) IsBackground(uri string) bool {
	return longest(s.Background, uri) > longest(s.Interactive, uri)
}

// IsInteractive says whether the settings list the URI as one on which people wait.
func (s *Settings) IsInteractive(uri string) bool {
	n := longest(s.Interactive, uri)
	return n >= 0 && n >= longest(s.Background, uri)
}

// longest returns the length of the longest prefix in the list that uri begins with, -1 for none.
func longest(prefixes []string, uri string) int {
	best := -1
	for _, p := range prefixes {
		if len(p) > best && strings.HasPrefix(uri, p) {
			best = len(p)
		}
	}
	return best
}
