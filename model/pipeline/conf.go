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
// servers in turn, a conf is in no cache, and every 64 bytes are a wait. It has 64 bytes, and those of a server's locations
// stand side by side; TestConfSize keeps it so.
type conf struct {
	ready uint32 // read and written atomically, where confs stand in a list: not 0 once it is compiled
	traits
	limitCode, connCode int16
	few                 uint8            // how many limits there are in one
	one                 [1]limit         // the limit, where there is only one
	more                *[]limit         // all of them, where there are several
	loc                 *config.Location // nil at a server
	realip              *trust
	*details
}

// limits are the limit_req in effect.
func (c *conf) limits() []limit {
	if c.more != nil {
		return *c.more
	}
	return c.one[:c.few]
}

// traits are a set of what a conf has, and has not.
type traits uint16

const (
	noRewrite traits = 1 << iota // there is nothing to do in this phase
	noConns                      // likewise, and so on
	noAccess
	noPreContent
	noEnd    // nothing follows the answer: neither post_action nor a Retry-After nor what is put into it
	noExcept // no limit_except
	limitDry
	connDry
)

// is says whether the conf has all of some traits.
func (t traits) is(all traits) bool { return t&all == all }

// set sets a trait, or leaves it unset.
func (t *traits) set(one traits, on bool) {
	if on {
		*t |= one
	}
}

// A limit is one limit_req, ready to be asked. It has all in itself that this needs.
type limit struct {
	*config.LimitReq
	*terms
}

// terms are the numbers of a limit_req. Limits that have the same share them, which then are at hand.
type terms struct {
	zone         *config.Zone
	burst, delay int64
	id           int // of the zone among the pipeline's; -1 where it is not defined
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
	c := &conf{}
	g.compileAt(c, server, loc, level)
	return c
}

// compileAt compiles a level into a zero conf.
func (g *program) compileAt(c *conf, server *config.Server, loc *config.Location, level *config.Level) {
	c.loc, c.details = loc, &details{}
	if loc == nil || level != &loc.Level {
		c.at = &place{server, level}
	}
	s := level.Settings
	g.compileLimits(c, s.LimitReqs.Value)
	c.limitCode = int16(s.LimitReqStatus.Value)
	for _, l := range s.LimitConns.Value {
		c.conns = append(c.conns, connLimit{LimitConn: l, Zone: l.Zone, zone: g.connIndex(l.Zone)})
	}
	c.connCode = int16(s.LimitConnStatus.Value)
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
	c.set(limitDry, s.LimitReqDryRun.Value)
	c.set(connDry, s.LimitConnDryRun.Value)
	c.findTraits()
	c.details = g.alike(c.details)
}

// compileLimits takes the list of limit_req.
func (g *program) compileLimits(c *conf, list []*config.LimitReq) {
	limits := c.one[:0]
	for _, l := range list {
		delay := l.Delay
		if l.NoDelay {
			delay = limitreq.NoDelay
		}
		limits = append(limits, limit{l, g.termsOf(terms{zone: l.Zone, burst: l.Burst, delay: delay, id: g.zoneIndex(l.Zone)})})
	}
	if len(list) <= len(c.one) {
		c.few = uint8(len(list))
	} else {
		c.more = &limits
	}
}

// findTraits looks at what was compiled.
func (c *conf) findTraits() {
	c.set(noRewrite, len(c.codes) == 0 && !c.hasOpaque(rewritePhase))
	c.set(noConns, len(c.conns) == 0)
	c.set(noAccess, len(c.access) == 0 && c.basic.Text == "" && c.auth == "" && !c.hasOpaque(accessPhase))
	c.set(noPreContent, len(c.tryFiles) == 0 && len(c.mirrors) == 0)
	c.set(noEnd, c.postAction == "" && len(c.retryAfter)+len(c.within) == 0)
	c.set(noExcept, c.except == nil)
}

// ifs is the level where it is that of an if block, else nil.
func (c *conf) ifs() *config.Level {
	if c.loc != nil && c.at != nil && c.at.level.Kind == config.KindIf {
		return c.at.level
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
	c.within = asksWithin(level)
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
