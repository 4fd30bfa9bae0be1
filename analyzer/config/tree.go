// Package config resolves what was read into the tree that nginx would run: servers and locations with every setting
// in effect at each, and where it comes from. It decides no request (analyzer/route does) and judges nothing: what
// nginx itself would refuse is listed in Tree.Refusals, in nginx's words.
//
// It refuses to know the machine: which hosts, users and certificates there are, which modules were built in. What a
// module of others may define is not missed, and of a fragment, or behind what could not be read, nothing is missed.
package config

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Tree is one configuration, resolved. It is not changed once it is built.
type Tree struct {
	Input    *load.Input
	Version  string    // the nginx that is judged for, "1.22.1"
	Main     []Item    // the directives outside of every block, and the blocks
	HTTP     *HTTP     // nil where the input has no http block and is no fragment of one
	Regexes  []Regex   // that deserve a look, in the order read
	Refusals []Refusal // in the order in which nginx would come upon them; it stops at the first that is no Warning
	LeftOut  int       // further refusals, of kinds of which there are too many to keep; see load.Input.LeftOut

	Assumed []string // modules in use that nothing loads, and that nginx may be built without: they are taken to be built in

	whole bool // all of the input was read, but for what is known all the same
	cut   bool // expansion was stopped at a bound
	loose bool // something was not read, and it cannot be said at which level it would stand
}

// A Refusal is a place that nginx would refuse, or warn of, when it reads the configuration.
type Refusal struct {
	Kind    RefusalKind
	Span    source.Span
	Line    int    // the line that nginx names, which is that of the directive's end, at its ";" or "{"; 0 where it names none
	Text    string // nginx's words, without file and line
	Context []string
	Related *source.Span // the earlier definition, for duplicates
	Warning bool         // nginx only warns and goes on
	Shipped bool         // a file is missing that comes with nginx; what stands in it is known
}

// A RefusalKind groups refusals by their cause; each is the name of a rule.
type RefusalKind string

// The kinds of refusal.
const (
	SyntaxError         RefusalKind = "syntax"                 // grammar, and a block where none may be
	UnknownDirective    RefusalKind = "unknown-directive"      // of no nginx that is known
	TooManyArguments    RefusalKind = "too-many-arguments"     // more or fewer than the directive takes
	InvalidBurst        RefusalKind = "invalid-burst"          // burst=0
	InvalidRate         RefusalKind = "invalid-rate"           // 0r/s, 5r/h
	InvalidValue        RefusalKind = "invalid-value"          // any other value that nginx does not take
	DuplicateDirective  RefusalKind = "duplicate-directive"    // a second one where one is allowed
	DirectiveNotAllowed RefusalKind = "directive-not-allowed"  // wrong context
	ZoneUnknown         RefusalKind = "zone-unknown"           // a limit names a zone that nothing defines
	ZoneDuplicate       RefusalKind = "zone-duplicate"         // two definitions of one zone
	MissingInclude      RefusalKind = "missing-include"        // a file that cannot be opened, an include that leads back to itself
	UnsupportedVersion  RefusalKind = "unsupported-in-version" // known, but not to the nginx that is judged for
	RealIPLowBits       RefusalKind = "realip-low-bits"        // only a warning
)

// A Kind is the kind of block that a level stands for.
type Kind uint8

// The kinds of level.
const (
	Default Kind = iota // of a setting: nothing was written, nginx's own default holds
	KindHTTP
	KindServer
	KindLocation
	KindIf          // an if block in a location: a location of its own to nginx
	KindServerIf    // an if block in a server
	KindLimitExcept // the limit_except block of a location
)

// A Level is what http, server, location and if have in common: the directives that stand there, includes expanded,
// and the settings in effect.
type Level struct {
	Kind      Kind
	Unread    bool              // an include that stands here could not be followed in full
	names     nameSet           // of Items
	Parent    *Level            // the level around; nil for http
	Directive *syntax.Directive // the block's own directive; nil for the context that a fragment was given
	Via       *Via              // how the block's directive was reached
	Items     []Item            // what stands here, in order, blocks included
	Settings  *Settings         // in effect; shared with the parent where the level has nothing of its own

	index map[string]int32 // of the first item of each name, where there are many
}

// An Item is a directive at a level, with the includes that led to it.
type Item struct {
	*syntax.Directive
	Via *Via
}

// A Via is a chain of include directives, innermost first; nil where the main file itself holds the directive.
type Via struct {
	Include *syntax.Directive
	Outer   *Via
}

// A Setting is an effective value together with its provenance: not only what holds here, but why.
type Setting[T any] struct {
	Value  T
	At     *Level            // the level it was written at; nil for a default
	Origin *syntax.Directive // nil for a default; the first one of a list
	Via    *Via
}

// From is the kind of level that the setting was written at, or Default.
func (s *Setting[T]) From() Kind {
	if s.At == nil {
		return Default
	}
	return s.At.Kind
}

// Settings are the values in effect at a level; none of the pointers is nil. List directives are inherited only where a
// level has none of its own. Levels share what they inherit: comparing two pointers says whether a value is the same one. They
// share whole groups too, as most of a hundred thousand levels have something of their own in one group only.
type Settings struct {
	*ReqSettings
	*ConnSettings
	*RealIPSettings
	*AnswerSettings
}

// ReqSettings are those of limit_req.
type ReqSettings struct {
	LimitReqs        *Setting[[]*LimitReq]
	LimitReqStatus   *Setting[int]    // 503
	LimitReqLogLevel *Setting[string] // error
	LimitReqDryRun   *Setting[bool]
}

// ConnSettings are those of limit_conn.
type ConnSettings struct {
	LimitConns        *Setting[[]*LimitConn]
	LimitConnStatus   *Setting[int]    // 503
	LimitConnLogLevel *Setting[string] // error
	LimitConnDryRun   *Setting[bool]
}

// RealIPSettings are those of realip.
type RealIPSettings struct {
	RealIPFrom      *Setting[[]*Trusted]
	RealIPHeader    *Setting[string] // X-Real-IP
	RealIPRecursive *Setting[bool]
}

// AnswerSettings are what is logged of a request, and what its answer is or carries.
type AnswerSettings struct {
	AccessLogs *Setting[[]*AccessLog] // logs/access.log in format combined
	ErrorLogs  *Setting[[]*ErrorLog]  // logs/error.log at level error; with an Origin and no level where it stands outside of http
	ErrorPages *Setting[[]*ErrorPage]

	AddHeaders       *Setting[[]*AddHeader]
	AddHeaderInherit *Setting[string] // InheritOn
}

// HTTP is the http block: what is global to it, and its servers.
type HTTP struct {
	Level
	Zones      map[string]*Zone // limit_req_zone by name
	ConnZones  map[string]*ConnZone
	LogFormats map[string]*LogFormat
	Variables  *value.Definitions // map, geo, split_clients
	Blocks     []VariableBlock    // as they were written, in the order in which nginx reads them
	Upstreams  map[string]Item
	Servers    []*Server
}

// A VariableBlock is a map, geo or split_clients block: what defines a variable. Of several blocks for one variable the
// last one counts.
type VariableBlock struct {
	Item
	Entries []Item // includes expanded; an entry's name is its first word
}

// Server is a server block.
type Server struct {
	Level
	Listens   []*Listen // never empty: nginx's default *:80 where none is written
	Names     []*Name   // never empty: the empty name where none is written
	Locations []*Location
	Ifs       []*Level // KindServerIf, in order

	MergeSlashes bool // on unless the server or http says off

	captures bool // the last regex among the names has groups
}

// Name is one name of a server_name directive.
type Name struct {
	Text string // as written
	Kind NameKind
	Span source.Span // empty for the implicit ""
}

// A NameKind says how a server name is compared.
type NameKind uint8

// The kinds of server name, in the order in which nginx prefers them.
const (
	NameExact    NameKind = iota // "a.example", "", $hostname
	NameLeading                  // "*.a.example"; ".a.example" is this and exact at once (NameDot)
	NameDot                      // ".a.example"
	NameTrailing                 // "a.*"
	NameRegex                    // "~^..."
)

// Listen is one listen directive.
type Listen struct {
	Text          string // the address as written; "*:80" for the implicit one
	Address       string // normalised: "0.0.0.0", "::", "127.0.0.1", "unix:/path"
	Port          int    // 0 for a unix socket
	LastPort      int    // the last of a range of ports; Port where it is one port
	Default       bool   // default_server
	SSL, HTTP2    bool
	QUIC          bool
	ProxyProtocol bool
	Dual          bool              // ipv6only=off: a socket of IPv6 to which IPv4 clients come as well
	Directive     *syntax.Directive // nil for the implicit one
	Via           *Via
	Span          source.Span // of the address; empty for the implicit one
}

// Location is a location block, or the location that an if block makes.
type Location struct {
	Level
	*Inside
	Server   *Server
	Outer    *Location // the enclosing location; nil at the server
	Modifier string    // "", "=", "^~", "~", "~*", "@"
	Pattern  string    // without the modifier; "@name" is Modifier "@" and Pattern "name"
	Internal bool      // it, or a location around it, is reached by redirects within nginx only
	Handler  *Item     // proxy_pass, fastcgi_pass, uwsgi_pass, scgi_pass, grpc_pass, memcached_pass, return, stub_status ...; nil: static files
}

// Inside are the blocks within a location that are levels of their own. Most locations have none, and share one that is
// empty.
type Inside struct {
	Locations []*Location
	Ifs       []*Level // in order, one for each if among Items
	Except    *Level   // limit_except; nil where there is none
}

var nothingInside Inside

// inside returns what may be added to.
func (l *Location) inside() *Inside {
	if l.Inside == &nothingInside {
		l.Inside = new(Inside)
	}
	return l.Inside
}

// Label is how people name the location: its modifier and pattern as written, one space between; "@name" for a named one.
func (l *Location) Label() string { return label(l.Modifier, l.Pattern) }

func label(modifier, pattern string) string {
	switch modifier {
	case "":
		return pattern
	case "@":
		return "@" + pattern
	}
	return modifier + " " + pattern
}

// A Zone is one shared memory zone of limit_req_zone.
type Zone struct {
	Name                        string
	Key                         value.Template // the complex value that is counted; a request for which it is empty is not counted
	Rate                        int64          // thousandths of a request per second, cut off as nginx does: 10r/m is 166
	PerMinute                   int64          // the number before "r/m", as written; 0 for a rate by the second
	Size                        int64          // bytes
	Directive                   *syntax.Directive
	Via                         *Via
	Span                        source.Span // the directive's head
	KeySpan, RateSpan, SizeSpan source.Span // the words that hold them
}

// A LimitReq is one limit_req directive.
type LimitReq struct {
	ZoneName     string
	Zone         *Zone // nil where the zone is not defined in what was read
	Burst        int64 // thousandths of a request
	Delay        int64 // thousandths of a request; excess up to it passes at once
	NoDelay      bool  // nodelay is in force: excess up to Burst passes at once, and Delay is beyond any excess
	WroteNoDelay bool  // nodelay was written, be it in force or not: of nodelay and delay= the later one holds
	HasDelay     bool  // delay= was written, be it in force or not
	Directive    *syntax.Directive
	Via          *Via
	Span         source.Span // the directive's head
}

// A ConnZone is one shared memory zone of limit_conn_zone.
type ConnZone struct {
	Name      string
	Key       value.Template
	Size      int64
	Directive *syntax.Directive
	Via       *Via

	Span              source.Span // the directive's head
	KeySpan, SizeSpan source.Span // the words that hold them
}

// A LimitConn is one limit_conn directive.
type LimitConn struct {
	ZoneName  string
	Zone      *ConnZone // nil where the zone is not defined in what was read
	Max       int
	Directive *syntax.Directive
	Via       *Via
	Span      source.Span
}

// Trusted is one set_real_ip_from directive.
type Trusted struct {
	Text      string       // as written: an address, a network, "unix:", or a host name
	Prefix    netip.Prefix // invalid for "unix:" and for a host name
	Unix      bool
	HostName  string // a name that nginx resolves when it starts; its addresses cannot be known
	LowBits   bool   // host bits are set below the mask; nginx warns and clears them
	Directive *syntax.Directive
	Via       *Via
	Span      source.Span // of the address
}

// AccessLog is one access_log directive.
type AccessLog struct {
	Path      string            // "off" switches all logging off at the level
	Format    string            // "combined" where none is named; "" for off
	Directive *syntax.Directive // nil for the default
	Via       *Via
}

// ErrorLog is one error_log directive.
type ErrorLog struct {
	Path      string
	Level     string            // "error" where none is named; "debug" for those of debug's parts
	Directive *syntax.Directive // nil for the default
	Via       *Via
}

// LogFormat is one log_format directive.
type LogFormat struct {
	Name      string
	Text      string            // the pieces joined
	Escape    string            // "default", "json" or "none"
	Directive *syntax.Directive // nil for nginx's own "combined"
	Via       *Via
}

// AddHeader is one add_header directive.
type AddHeader struct {
	Name      string
	Value     string // as written, with its variables
	Always    bool   // for answers of any status; without it only for those of a few, of which none is a refusal
	Directive *syntax.Directive
	Via       *Via
}

// ErrorPage is one error_page directive.
type ErrorPage struct {
	Codes     []int
	Answer    int // =code; -1 for "=", 0 where none is written
	Target    string
	Directive *syntax.Directive
	Via       *Via
}
