package pipeline

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// A run is one request, or one subrequest, on its way through the phases.
type run struct {
	*course

	home       *conf // of the server
	conf       *conf // whose settings hold now
	handler    *handler
	method     string
	cycles     int // how many changes of URI or location are left
	errStatus  int // what an error page has promised to answer
	redirect   string
	escaped    bool // the URI was sent with "%" or "+"
	internal   bool // reached by a redirect of nginx's own, or rewritten
	uriChanged bool
	rewritten  bool // a rewrite has changed the URI and stayed in its location
	inAlias    bool // try_files has found the file that the URI names below an alias in a location by regex
	errorPage  bool // an error page was gone to, and no other one will be
	discarded  bool
	lost       bool // nobody can say how the request goes on: a regex could not be decided
	sub        bool
}

// A course is what a request shares with its subrequests. The only thing that is not decided by request and
// configuration is what the limiters say; given has their verdicts, as far as the way is to be followed, and behind them
// everything is taken to pass.
type course struct {
	p      *Pipeline
	g      *program
	req    *request.Request
	vars   *value.Request
	site   *route.Site // of the server
	client client

	given      []limitreq.Verdict
	nodes      []*node
	background bool // the subrequest at hand holds nobody up
	mirrored   []copied
	closed     int // the status with which something closed the connection, be it a subrequest; 0 while it is open

	reached

	track bool // whether the plan holds for other clients is to be found out
	bound bool // it does not

	upstream    int // the status that upstreams answer; 0 where it is not known
	subrequests int
	turns       []turn
	assumptions []string
}

// A copied is a copy of the request that mirror will send.
type copied struct{ uri, args, method string }

// A client is the address that a request seems to come from.
type client struct {
	peer     netip.AddrPort
	unix     bool // a unix socket connects
	addr     netip.AddrPort
	asked    *trust // what realip has last looked at
	replaced bool   // by realip
	trusted  bool
}

func (c *client) isUnix() bool { return c.unix && !c.replaced }

func (r *run) setClient(got realip.Result) {
	r.client.addr = netip.AddrPortFrom(got.Addr, got.Port)
	r.vars.Client = r.client.addr
}

// headers returns the header lines that nginx takes; by default it drops names with anything but letters, digits and
// hyphens.
func (r *run) headers() []request.Header {
	dropped := func(h request.Header) bool { return !r.takesHeader(h.Name) }
	if r.vars.InvalidHeaders || !slices.ContainsFunc(r.req.Headers, dropped) {
		return r.req.Headers
	}
	return slices.DeleteFunc(slices.Clone(r.req.Headers), dropped)
}

func (r *run) takesHeader(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '-':
		case c == '_' && r.vars.Underscores:
		default:
			return false
		}
	}
	return true
}

// limitRequests is limit_req: once for each client request, at the first place with limits of which one counts it.
func (r *run) limitRequests() (answer, bool) {
	c := r.conf
	limits := c.limits()
	if len(limits) == 0 || r.reqRan || r.p.NoLimits {
		return answer{}, false
	}
	r.reqAt = c
	r.reqKeys = r.p.values(len(limits))
	n := r.p.node(askRequests, c)
	n.background = r.background
	counted := false
	for i := range limits {
		l := &limits[i]
		var raw string
		r.reqKeys[i], raw = r.key(l)
		zone := r.p.zone(l.id)
		if zone == nil {
			continue
		}
		counted = counted || raw != "" && len(raw) <= limitreq.MaxKey
		n.ask = append(n.ask, limitreq.Limit{Zone: zone, Key: raw, Burst: l.burst, Delay: l.delay})
		n.asked = append(n.asked, l)
		if r.track {
			n.slots = append(n.slots, r.slotsOf(l.zone.Key))
		}
	}
	if !counted {
		return answer{}, false
	}
	verdict := r.next(n, int(c.limitCode))
	r.reqRan = true
	r.vars.LimitReqStatus = string(verdict)
	if verdict != limitreq.Rejected {
		return answer{}, false
	}
	r.step(c, "limit_req", statusText(int(c.limitCode)))
	return r.finalize(int(c.limitCode), EndLimit), true
}

// limitConnections is limit_conn, likewise.
func (r *run) limitConnections() (answer, bool) {
	c := r.conf
	if c.is(noConns) || r.connRan || r.p.NoLimits {
		return answer{}, false
	}
	r.connAt = c
	r.connKeys = r.p.values(len(c.conns))
	n := r.p.node(askConnections, c)
	n.background = r.background
	counted := false
	for i := range c.conns {
		l := &c.conns[i]
		var raw string
		r.connKeys[i], raw = r.connKey(l.Zone)
		zone := r.p.connZone(l.zone)
		if zone == nil {
			continue
		}
		counted = counted || raw != "" && len(raw) <= limitconn.MaxKey
		n.askConns = append(n.askConns, limitconn.Limit{Zone: zone, Key: raw, Max: int64(l.Max)})
		n.askedConns = append(n.askedConns, l)
		if r.track {
			n.slots = append(n.slots, r.slotsOf(l.Zone.Key))
		}
	}
	if !counted {
		return answer{}, false
	}
	verdict := r.next(n, int(c.connCode))
	r.connRan = true
	r.vars.LimitConn = string(verdict)
	if verdict != limitreq.Rejected {
		return answer{}, false
	}
	r.step(c, "limit_conn", statusText(int(c.connCode)))
	return r.finalize(int(c.connCode), EndLimit), true
}

// next asks a limiter, which answers with code where it refuses. In a plan it is noted, and what it says on the way that
// is followed is returned.
func (r *run) next(n *node, code int) limitreq.Verdict {
	if r.p.live {
		return r.p.going.ask(n)
	}
	n.stand = r.stand(code)
	at := len(r.nodes)
	r.nodes = append(r.nodes, n)
	if at < len(r.given) {
		return r.given[at]
	}
	return limitreq.Passed
}

func (r *run) key(l *limit) (value.Value, string) {
	if l.zone == nil {
		return value.Unknown("zone " + l.ZoneName + " is not defined"), ""
	}
	return r.keyOf(l.zone.Key)
}

func (r *run) connKey(zone *config.ConnZone) (value.Value, string) {
	if zone == nil {
		return value.Unknown("the zone is not defined"), ""
	}
	return r.keyOf(zone.Key)
}

// keyOf evaluates a key. What is not known of it is taken as the same text for every request, and said: it then counts
// all of them together.
func (r *run) keyOf(t value.Template) (value.Value, string) {
	v := t.Eval(r.vars)
	if s, ok := v.Known(); ok {
		return v, s
	}
	var b strings.Builder
	for _, p := range t.Parts {
		text := p.Literal
		if p.Variable != "" {
			part := r.vars.Variable(p.Variable)
			if part.TooLong() {
				v = part
				break
			}
			var known bool
			if text, known = part.Known(); !known {
				text = "$" + p.Variable
				r.assume("key " + t.Text + ": " + part.Reason() + "; it is taken as one value for all requests")
			}
		}
		if b.Len() <= value.MaxLength {
			b.WriteString(text)
		}
	}
	if v.TooLong() {
		r.assume("key " + t.Text + ": " + v.Reason() + "; nginx counts no key of more than 65535 bytes")
		return v, overlong
	}
	return v, b.String()
}

// overlong stands for every key that no limiter counts for its length.
var overlong = strings.Repeat("x", max(limitreq.MaxKey, limitconn.MaxKey)+1)

// set gives a variable its value.
func (r *run) set(name string, v value.Value) { r.vars.Set(name, v) }

// known returns the text of a value. One that is not known is taken as empty, and said.
func (r *run) known(v value.Value) string {
	s, ok := v.Known()
	if !ok {
		r.assume(v.Reason() + "; it is taken as empty")
	}
	return s
}

// match applies a regex; the error says why its result cannot be known. A failure forgets the numbered captures.
func (r *run) match(re *pcre.Regex, s string) (bool, error) {
	matched, err := r.vars.Match(re, s)
	if err == nil && !matched {
		r.vars.ForgetCaptures()
	}
	return matched, err
}

// lose gives the request up at a regex that could not be decided: what nginx does next hangs on it. Where PCRE gives up a
// match nginx answers 500 in every phase. at says where it stands, if the error does not.
func (r *run) lose(at string, err error) {
	r.lost = true
	text := at + err.Error()
	if pcre.Exceeded(err) {
		text += "; nginx answers 500 if its own limit is exceeded"
	}
	r.assume(text + "; whether it matches, and what follows, cannot be known")
}

// assume notes once what is taken for something that cannot be known.
func (r *run) assume(text string) {
	if !slices.Contains(r.assumptions, text) {
		r.assumptions = append(r.assumptions, text)
	}
}

// assumeAt is assume about a directive.
func (r *run) assumeAt(item config.Item, text string) { r.assume(where(item) + text) }

// where says where a directive stands, in front of what is said of it.
func where(item config.Item) string {
	return item.Name().Value + " at " + item.File.Path + ":" + strconv.Itoa(item.Span().From().Line) + ": "
}

// assumeOpaque notes foreign code that runs in a phase.
func (r *run) assumeOpaque(c *conf, at phase, text string) {
	for _, o := range c.opaque {
		if o.phase == at {
			r.assume(o.name + " in " + c.name() + " runs code that is not read; it " + text)
		}
	}
}

// step notes one step of the way for people.
func (r *run) step(c *conf, how, to string) {
	if r.p.Explain {
		r.turns = append(r.turns, turn{c, how, to})
	}
}

// label names the location, or the server where there is none.
func (c *conf) label() string {
	if c.loc != nil {
		return c.loc.Label()
	}
	return "server"
}

// name is label for the middle of a sentence.
func (c *conf) name() string {
	if c.loc != nil {
		return "location " + c.loc.Label()
	}
	if len(c.server().Names) > 0 {
		return "server " + strconv.Quote(c.server().Names[0].Text)
	}
	return "server"
}

func statusText(status int) string { return strconv.Itoa(status) }
