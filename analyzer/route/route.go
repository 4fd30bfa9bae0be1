// Package route chooses the server and the location of a request as nginx does: by listen address and port, by Host, and
// by URI. It knows nothing of the rewrite phase and of content, which the pipeline drives; it says where a choice rests on
// something that cannot be known: an address that was not given, a regex that could not be decided, $hostname.
package route

import (
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Router routes the requests of one configuration. Its tables are built as they are needed; it may be used by many at
// once.
type Router struct {
	tree    *config.Tree
	tcp     ports
	quic    ports
	regexes pcre.Cache

	sites     []Site             // in the order of the servers
	locations []*config.Location // of all servers, by number; nil for the server itself
	byServer  map[*config.Server]*Site
	room      strings.Builder // for the names of servers
	shapesMu  sync.Mutex
	shapes    map[string]*shape // by what it depends on
	shapeKey  []byte            // room for that
}

// New returns the router of a configuration.
func New(tree *config.Tree) *Router {
	r := &Router{tree: tree, tcp: ports{}, quic: ports{}, locations: make([]*config.Location, 1), shapes: map[string]*shape{}}
	if tree.HTTP == nil {
		return r
	}
	r.sites = make([]Site, len(tree.HTTP.Servers))
	r.byServer = make(map[*config.Server]*Site, len(tree.HTTP.Servers))
	r.locations = make([]*config.Location, 1, 1+numbers(tree.HTTP.Servers))
	for i, s := range tree.HTTP.Servers {
		site := &r.sites[i]
		site.Server, site.number, site.router = s, int32(len(r.locations)), r
		r.locations = append(r.locations, nil)
		r.number(s.Locations)
		r.byServer[s] = site
		r.addServer(site)
	}
	return r
}

// A Choice is the server that takes a request, or the reason why nginx answers without going on.
type Choice struct {
	Server    *config.Server // nil where nothing listens
	Listen    *config.Listen // through which the request came
	Name      *config.Name   // that matched; nil where the server is the default one of its address
	Status    int            // the answer that nginx gives before any phase runs: 400, 405; 0 where it goes on
	Why       string         // the reason for Status, or for there being no Server
	Unknown   string         // why the server cannot be told for certain; Server is then what the rest leads to
	Undecided error          // the regex that could not be decided: nobody can say which server it is; else nil
	Assumed   []string       // what was taken for the address, where the request does not give it

	Site *Site // of Server
}

// Begin reads a request as nginx does before its phases start: it chooses the server, and makes v hold the request with
// its normalised URI. v is reset; its Definitions, Version and what the server decides are filled in.
func (r *Router) Begin(v *value.Request, req *request.Request) Choice {
	v.Reset()
	v.HTTP, v.Version, v.Client = req, r.tree.Version, netip.AddrPortFrom(req.Peer, req.PeerPort)
	v.DocumentRoot, v.Filename = unknownRoot, unknownFile
	if r.tree.HTTP == nil {
		return Choice{Why: "there is no http block"}
	}
	v.Definitions = r.tree.HTTP.Variables
	host, hostOK := "", true
	if !req.NoHost {
		host, hostOK = request.ParseHost(req.Host)
	}
	a, c := r.arrive(req, host)
	if a == nil {
		return c
	}
	v.Server = a.local(req)
	c.take(found{named: a.standard})
	if c.Status == 0 {
		r.read(v, a, &c, host, hostOK)
	}
	c.Site.Enter(v)
	return c
}

var (
	unknownRoot = value.Unknown("$document_root is not followed here")
	unknownFile = value.Unknown("$request_filename is not followed here")
)

// read goes through request line and headers in nginx's order, since the first error ends the request at the server
// that was in force by then.
func (r *Router) read(v *value.Request, a *group, c *Choice, host string, hostOK bool) {
	req := v.HTTP
	merge := c.Server.MergeSlashes
	if req.Scheme == "https" && hostOK && serverNameIndication(host) {
		merge = a.find(nil, host).site.Server.MergeSlashes // TLS names the server before the request line is read
	}
	target, err := request.ParseTarget(req.Target, merge)
	if !validMethod(req.Method) {
		c.refuse(400, "invalid method")
		return
	}
	head, fits := readLine(v, a, c)
	switch {
	case !fits:
		c.refuse(414, "the request line is longer than large_client_header_buffers have room for")
		return
	case err != nil, target.Absolute && req.Protocol > "HTTP/2":
		c.refuse(400, "invalid request target")
		return
	}
	v.URI, v.Args, v.Host = target.URI, target.Args, host
	if target.Absolute {
		var ok bool
		if v.Host, ok = request.ParseHost(target.Host); !ok {
			c.refuse(400, "invalid host in the request target")
			return
		}
	}
	before := c.Server
	if hostOK || target.Absolute {
		c.take(a.find(v, v.Host))
	}
	if target.Absolute {
		before = c.Server
	}
	switch {
	case !hostOK:
		c.refuse(400, "invalid Host header")
	case !head.readHeaders(req, before, c.Server):
		c.refuse(494, "the headers are larger than large_client_header_buffers have room for")
	case req.Repeated() != "":
		c.refuse(400, "two "+req.Repeated()+" headers")
	case req.NoHost && req.Protocol != "HTTP/1.0":
		c.refuse(400, "no Host header")
	case slices.Contains(notAllowed, req.Method):
		c.refuse(405, "the method "+req.Method+" is not allowed")
	}
}

func (c *Choice) refuse(status int, why string) { c.Status, c.Why = status, why }

func (c *Choice) take(f found) {
	c.Site, c.Server, c.Listen, c.Name, c.Unknown, c.Undecided = f.site, f.site.Server, f.listen, f.name, f.unknown, f.undecided
}

// notAllowed are the methods that nginx answers with 405.
var notAllowed = []string{"TRACE", "CONNECT"}

// validMethod says whether nginx takes a method's name.
func validMethod(m string) bool {
	for i := range len(m) {
		if c := m[i]; (c < 'A' || c > 'Z') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// serverNameIndication says whether a client names the host in its TLS handshake: it names no addresses.
func serverNameIndication(host string) bool {
	if host == "" || host[0] == '[' {
		return false
	}
	_, isAddr := request.ParseAddr(host)
	return !isAddr
}
