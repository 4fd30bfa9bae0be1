package pipeline

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A conf is what one level means to the phases: nginx's loc_conf. It is compiled when a request first comes there, and
// then only read. What nearly every request reads stands in it, and all else apart: where requests come to ten thousand
// servers in turn, a conf is in no cache, and every 64 bytes of it are a wait. It has 128 bytes, which memory for objects of
// that size puts at the start of such a line; TestConfSize keeps it so.
type conf struct {
	traits
	limitCode int16
	connCode  int16
	limits    []limit
	realip    *trust
	level     *config.Level
	loc       *config.Location // nil at a server
	handler   *handler         // never nil
	*details
	one [1]limit // of limits, where there is one
}

// traits say what a conf has, and what not. The zero value has everything but limits that run dry.
type traits struct {
	noRewrite, noConns, noAccess, noPreContent bool // there is nothing to do in these phases
	noEnd                                      bool // nothing follows the answer: neither post_action nor a Retry-After
	noExcept                                   bool // no limit_except
	limitDry, connDry                          bool
}

// details are the rest of a conf.
type details struct {
	server     *config.Server
	except     *conf    // what holds for methods that limit_except restricts
	exempt     []string // the methods that limit_except does not restrict
	codes      []instruction
	conns      []connLimit
	access     []accessRule
	basic      value.Template // realm of auth_basic; its Text "" or "off" switches it off
	auth       string         // URI of auth_request; "" for none
	satisfyAny bool
	tryFiles   []tryFile
	filesGuess string // what is said where tryFiles cannot be looked up
	mirrors    []string
	errorPages []*config.ErrorPage
	retryAfter []retryHeader
	recursive  bool
	intercept  bool     // errors of the upstream go to error_page
	dav        []string // methods that dav_methods takes
	random     bool     // random_index on
	postAction string   // URI of post_action; "" for none
	maxBody    int64
	index      []value.Template
	files      docroot
	redirects  redirection
	opaque     []opaque
}

// A limit is one limit_req, ready to be asked. It has all in itself that this needs.
type limit struct {
	*config.LimitReq
	Zone  *config.Zone
	Burst int64
	delay int64
	zone  int // index into the pipeline's zones; -1 where the zone is not defined
}

// A connLimit is one limit_conn, ready to be asked.
type connLimit struct {
	*config.LimitConn
	Zone *config.ConnZone
	zone int
}

// An accessRule is one allow or deny.
type accessRule struct {
	deny   bool
	all    bool
	unix   bool
	prefix netip.Prefix
}

// A tryFile is one argument of try_files.
type tryFile struct {
	path value.Template
	dir  bool // written with a slash at its end
	code int  // of "=code"; only for the last one
}

// compile reads a level. The zero defaults are nginx's.
func (g *program) compile(server *config.Server, loc *config.Location, level *config.Level) *conf {
	c := &conf{level: level, loc: loc, details: &details{server: server}}
	s := level.Settings
	c.limits = c.one[:0]
	for _, l := range s.LimitReqs.Value {
		delay := l.Delay
		if l.NoDelay {
			delay = limitreq.NoDelay
		}
		c.limits = append(c.limits, limit{LimitReq: l, Zone: l.Zone, Burst: l.Burst, delay: delay, zone: g.zoneIndex(l.Zone)})
	}
	c.limitCode, c.limitDry = int16(s.LimitReqStatus.Value), s.LimitReqDryRun.Value
	for _, l := range s.LimitConns.Value {
		c.conns = append(c.conns, connLimit{LimitConn: l, Zone: l.Zone, zone: g.connIndex(l.Zone)})
	}
	c.connCode, c.connDry = int16(s.LimitConnStatus.Value), s.LimitConnDryRun.Value
	c.errorPages, c.retryAfter = s.ErrorPages.Value, retryHeaders(s.AddHeaders.Value)
	c.realip = g.realipOf(s)
	c.compileAccess(level)
	c.compileContent(level)
	c.inherit(g, level)
	c.compileTryFiles(g, level)
	c.compileCodes(g, level)
	if level.Kind == config.KindIf && loc != nil {
		c.takeHandler(g.location(loc))
	}
	if loc != nil && level.Kind == config.KindLocation {
		if loc.Except != nil {
			c.except = g.conf(server, loc, loc.Except)
			c.except.takeHandler(c)
			c.exempt = exempted(loc.Except)
		}
	}
	c.findTraits()
	return c
}

// findTraits looks at what was compiled.
func (c *conf) findTraits() {
	c.noRewrite = len(c.codes) == 0 && !c.hasOpaque(rewritePhase)
	c.noConns = len(c.conns) == 0
	c.noAccess = len(c.access) == 0 && c.basic.Text == "" && c.auth == "" && !c.hasOpaque(accessPhase)
	c.noPreContent = len(c.tryFiles) == 0 && len(c.mirrors) == 0
	c.noEnd = c.postAction == "" && len(c.retryAfter) == 0
	c.noExcept = c.except == nil
}

// ifs is the level where it is that of an if block, else nil.
func (c *conf) ifs() *config.Level {
	if c.loc != nil && c.level != &c.loc.Level && c.level.Kind == config.KindIf {
		return c.level
	}
	return nil
}

// text returns the first argument of the directive in effect, or what holds without one.
func text(level *config.Level, name, without string) string {
	if item, ok := level.Effective(name); ok {
		return item.Arg(0)
	}
	return without
}

// template reads a complex value. One that nginx would refuse stands for itself.
func template(s string) value.Template {
	t, err := value.Parse(s)
	if err != nil {
		return value.Template{Text: s, Parts: []value.Part{{Literal: s}}}
	}
	return t
}

// compileAccess reads auth_basic, auth_request and satisfy.
func (c *conf) compileAccess(level *config.Level) {
	if realm := text(level, "auth_basic", "off"); realm != "off" {
		c.basic = template(realm)
	}
	if uri := text(level, "auth_request", "off"); uri != "off" {
		c.auth = uri
	}
	c.satisfyAny = text(level, "satisfy", "all") == "any"
}

// readAccess reads one allow or deny. Host bits below the mask are cleared, as nginx does with a warning.
func readAccess(item config.Item) (accessRule, bool) {
	r := accessRule{deny: item.Name().Value == "deny"}
	switch a := item.Arg(0); a {
	case "all":
		r.all = true
	case "unix:":
		r.unix = true
	default:
		network, _, ok := request.ParseNetwork(a)
		if !ok {
			return r, false
		}
		r.prefix = network
	}
	return r, true
}

// compileContent reads what answers the request, and error pages' switches.
func (c *conf) compileContent(level *config.Level) {
	c.handler = handlerAt(level)
	c.recursive = text(level, "recursive_error_pages", "off") == "on"
	c.intercept = c.handler.module != "" && text(level, c.handler.module+"_intercept_errors", "off") == "on"
	c.random = text(level, "random_index", "off") == "on"
	if uri := text(level, "post_action", "off"); uri != "off" {
		c.postAction = uri
	}
	if item, ok := level.Effective("dav_methods"); ok && item.Arg(0) != "off" {
		for _, arg := range item.Args() {
			c.dav = append(c.dav, strings.ToUpper(arg.Value))
		}
	}
	c.redirects = readRedirection(level)
	c.maxBody = 1 << 20
	if n, ok := readSize(text(level, "client_max_body_size", "1m")); ok {
		c.maxBody = n
	}
}

// compileTryFiles reads try_files, which no inner level inherits.
func (c *conf) compileTryFiles(g *program, level *config.Level) {
	item, ok := level.Find("try_files")
	if !ok {
		return
	}
	c.filesGuess = g.share(c.guessFiles("try_files"))
	for i, arg := range item.Args() {
		f := tryFile{}
		word := arg.Value
		last := i == item.NumArgs()-1
		if code, ok := strings.CutPrefix(word, "="); last && ok {
			f.code, _ = strconv.Atoi(code)
		} else if n := len(word); !last && n > 1 && word[n-1] == '/' {
			f.dir = true
		}
		f.path = g.template(word)
		c.tryFiles = append(c.tryFiles, f)
	}
}

// readSize reads a number of bytes as nginx writes it: "10m", "512k", "1g".
func readSize(s string) (int64, bool) {
	unit := int64(1)
	if s == "" {
		return 0, false
	}
	switch s[len(s)-1] {
	case 'k', 'K':
		unit = 1 << 10
	case 'm', 'M':
		unit = 1 << 20
	case 'g', 'G':
		unit = 1 << 30
	}
	if unit > 1 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/unit {
		return 0, false
	}
	return n * unit, true
}
