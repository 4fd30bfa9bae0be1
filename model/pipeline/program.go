package pipeline

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// A program is a configuration as the phases need it. Levels are compiled when a request first comes there, so that a
// configuration of ten thousand servers costs nothing for those that nobody asks. Several pipelines may share it, also
// from several goroutines.
type program struct {
	tree   *config.Tree
	router *route.Router

	chunks []atomic.Pointer[chunk] // the confs of servers and locations that requests came to, by the router's numbers
	fillMu sync.Mutex              // held where one of them is compiled

	mu        sync.RWMutex
	confs     map[*config.Level]*conf
	realips   map[realipKey]*trust
	texts     map[string]string
	templates map[string]value.Template
	details   map[plain]*details
	terms     map[terms]*terms
	standings map[*config.Level]*standing // of http and servers

	zoneMu  sync.Mutex
	zones   []*config.Zone
	zoneIDs map[*config.Zone]int
	conns   []*config.ConnZone
	connIDs map[*config.ConnZone]int

	regexes  pcre.Cache
	dual     map[uint16]bool                 // ports of IPv6 sockets to which IPv4 clients come
	uses     sync.Map                        // name of a variable → clientUse
	chooses  sync.Map                        // name of a variable → bool
	verdicts func() bool                     // the configuration asks what a limiter said
	defined  func() map[string][]config.Item // the map, geo and split_clients blocks of a variable
}

// A trust is a realip configuration, with the host names in it whose addresses cannot be known.
type trust struct {
	realip.Config
	hosts []string
}

// A realipKey tells realip configurations apart; levels share the settings that they inherit.
type realipKey struct {
	from      *config.Setting[[]*config.Trusted]
	header    *config.Setting[string]
	recursive *config.Setting[bool]
}

func newProgram(tree *config.Tree, router *route.Router) *program {
	g := emptyProgram(tree, router)
	g.dual = dualPorts(tree)
	g.defined = sync.OnceValue(g.definitions)
	g.verdicts = sync.OnceValue(g.findVerdicts)
	return g
}

// again returns a program of the same configuration that has compiled nothing yet. What was looked up in the whole of it stays known.
func (g *program) again() *program {
	n := emptyProgram(g.tree, g.router)
	n.dual, n.defined, n.verdicts = g.dual, g.defined, g.verdicts
	return n
}

func emptyProgram(tree *config.Tree, router *route.Router) *program {
	return &program{
		tree: tree, router: router,
		confs:     map[*config.Level]*conf{},
		realips:   map[realipKey]*trust{},
		texts:     map[string]string{},
		templates: map[string]value.Template{},
		details:   map[plain]*details{},
		terms:     map[terms]*terms{},
		standings: map[*config.Level]*standing{},
		zoneIDs:   map[*config.Zone]int{},
		connIDs:   map[*config.ConnZone]int{},
		chunks:    make([]atomic.Pointer[chunk], (router.Numbers()+chunkSize-1)/chunkSize),
	}
}

// conf returns what a level means; it is compiled once.
func (g *program) conf(server *config.Server, loc *config.Location, level *config.Level) *conf {
	g.mu.RLock()
	c := g.confs[level]
	g.mu.RUnlock()
	if c != nil {
		return c
	}
	c = g.compile(server, loc, level)
	g.mu.Lock()
	defer g.mu.Unlock()
	if first := g.confs[level]; first != nil {
		return first
	}
	g.confs[level] = c
	return c
}

// server returns the conf of a server itself.
func (g *program) server(s *config.Server) *conf { return g.conf(s, nil, &s.Level) }

// site returns the conf of a server that was chosen.
func (g *program) site(s *route.Site) *conf {
	n := s.Number()
	if ch := g.chunks[n/chunkSize].Load(); ch != nil {
		// One of its locations is asked for next. To read of each of them now is one wait together with the server itself.
		for i := range ch {
			atomic.LoadUint32(&ch[i].ready)
		}
	}
	if c := g.numbered(n); c != nil {
		return c
	}
	return g.fill(n, s.Server, nil)
}

// matched returns the conf of a location that was found in a server.
func (g *program) matched(m *route.Match) *conf {
	if c := g.numbered(m.Number); c != nil {
		return c
	}
	loc := g.router.Numbered(m.Number)
	return g.fill(m.Number, loc.Server, loc)
}

// A chunk is the confs of a few successive numbers. It is as large as what memory for objects with pointers puts at the start
// of a line of a processor's cache; larger ones it shifts by a word.
type chunk [chunkSize]conf

const chunkSize = 8

// numbered returns the conf of a number; nil where it is not compiled.
func (g *program) numbered(n int) *conf {
	ch := g.chunks[n/chunkSize].Load()
	if ch == nil {
		return nil
	}
	c := &ch[n%chunkSize]
	if atomic.LoadUint32(&c.ready) == 0 {
		return nil
	}
	return c
}

// fill compiles the conf of a number: that of a server, or of a location in it.
func (g *program) fill(n int, server *config.Server, loc *config.Location) *conf {
	g.fillMu.Lock()
	defer g.fillMu.Unlock()
	at := &g.chunks[n/chunkSize]
	ch := at.Load()
	if ch == nil {
		ch = &chunk{}
		at.Store(ch)
	}
	c := &ch[n%chunkSize]
	if c.ready == 0 {
		level := &server.Level
		if loc != nil {
			level = &loc.Level
		}
		g.compileAt(c, server, loc, level)
		atomic.StoreUint32(&c.ready, 1)
	}
	return c
}

// location returns the conf of a location.
func (g *program) location(l *config.Location) *conf { return g.conf(l.Server, l, &l.Level) }

// branch returns the conf of an if block in a location: a location of its own, which keeps the outer one's handler.
func (g *program) branch(outer *conf, level *config.Level) *conf {
	return g.conf(outer.server(), outer.loc, level)
}

// zoneIndex numbers the zones, so that a pipeline keeps their states in a list; -1 where the zone is not defined.
func (g *program) zoneIndex(z *config.Zone) int {
	if z == nil {
		return -1
	}
	g.zoneMu.Lock()
	defer g.zoneMu.Unlock()
	id, ok := g.zoneIDs[z]
	if !ok {
		id = len(g.zones)
		g.zoneIDs[z] = id
		g.zones = append(g.zones, z)
	}
	return id
}

func (g *program) connIndex(z *config.ConnZone) int {
	if z == nil {
		return -1
	}
	g.zoneMu.Lock()
	defer g.zoneMu.Unlock()
	id, ok := g.connIDs[z]
	if !ok {
		id = len(g.conns)
		g.connIDs[z] = id
		g.conns = append(g.conns, z)
	}
	return id
}

// zoneAt and connAt return the zones of a number.
func (g *program) zoneAt(id int) *config.Zone {
	g.zoneMu.Lock()
	defer g.zoneMu.Unlock()
	return g.zones[id]
}

func (g *program) connAt(id int) *config.ConnZone {
	g.zoneMu.Lock()
	defer g.zoneMu.Unlock()
	return g.conns[id]
}

// share returns the one copy of a text that many confs have.
func (g *program) share(text string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if one, ok := g.texts[text]; ok {
		return one
	}
	g.texts[text] = text
	return text
}

// template reads a complex value that many confs have; they share what it is made of.
func (g *program) template(text string) value.Template {
	g.mu.Lock()
	defer g.mu.Unlock()
	t, ok := g.templates[text]
	if !ok {
		t = template(text)
		g.templates[text] = t
	}
	return t
}

// realipOf returns what realip does under some settings; nil where no address is trusted.
func (g *program) realipOf(s *config.Settings) *trust {
	if len(s.RealIPFrom.Value) == 0 {
		return nil
	}
	key := realipKey{s.RealIPFrom, s.RealIPHeader, s.RealIPRecursive}
	g.mu.RLock()
	t := g.realips[key]
	g.mu.RUnlock()
	if t != nil {
		return t
	}
	t = &trust{Config: realip.Config{
		Header: s.RealIPHeader.Value, Recursive: s.RealIPRecursive.Value,
		BareBrackets: atLeast(g.tree.Version, 1, 27, 3),
	}}
	for _, from := range s.RealIPFrom.Value {
		switch {
		case from.Unix:
			t.Unix = true
		case from.HostName != "":
			t.hosts = append(t.hosts, from.HostName)
		case from.Prefix.IsValid():
			t.Trusted = append(t.Trusted, from.Prefix.Masked())
		}
	}
	t.Prepare()
	g.mu.Lock()
	defer g.mu.Unlock()
	if first := g.realips[key]; first != nil {
		return first
	}
	g.realips[key] = t
	return t
}

// dualPorts returns the ports whose IPv4 clients come to a socket of IPv6, because some server says so for the address
// that all share; nil where there is none, as by default.
func dualPorts(tree *config.Tree) map[uint16]bool {
	var ports map[uint16]bool
	if tree.HTTP == nil {
		return nil
	}
	for _, s := range tree.HTTP.Servers {
		for _, l := range s.Listens {
			if !l.Dual || l.Address != "::" {
				continue
			}
			if ports == nil {
				ports = map[uint16]bool{}
			}
			for port := l.Port; port <= l.LastPort; port++ {
				ports[uint16(port)] = true
			}
		}
	}
	return ports
}

// received returns a request as nginx gets it: an IPv4 client of a socket for both families has an IPv6 address there,
// ::ffff:192.0.2.1.
func (g *program) received(req *request.Request) (got *request.Request, mapped bool) {
	if !req.Peer.Is4() || !g.dual[req.Server.Port()] {
		return req, false
	}
	copied := *req
	copied.Peer = netip.AddrFrom16(req.Peer.As16())
	return &copied, true
}

// atLeast compares a version of nginx; "" is the newest.
func atLeast(version string, want ...int) bool {
	if version == "" {
		return true
	}
	n, i := 0, 0
	for _, c := range []byte(version + ".") {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
		case c == '.' && i < len(want):
			if n != want[i] {
				return n > want[i]
			}
			n, i = 0, i+1
		}
	}
	return true
}
