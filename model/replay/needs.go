package replay

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/peers"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// needs says on what of a request the limits of a configuration can depend beside its path: requests that are equal in
// that are decided by one plan.
type needs struct {
	query   bool
	user    bool
	agent   bool
	referer bool
	realip  bool     // the address may come from a header
	header  string   // by which it does, as a variable; "" for several, or where it is no header
	headers []string // variables http_NAME and cookie_NAME beside those of a record's own: those of limits, then those of an edge
	own     int      // how many of headers limits can depend on
	inClass int      // how many of headers tell classes of requests apart
	edge    bool     // an edge stands in front
	outer   int      // of headers, the one in which an edge hands on the visitor's address; negative for none
	conns   bool     // limit_conn stands somewhere

	judge peers.Judge // of proxies

	variables *value.Definitions
	ofHeaders map[*config.Zone]bool // zones whose keys are made of headers
}

// quiet are directives whose variables decide nothing about limits: what is logged, handed on, or answered.
var quiet = []string{
	"log_format", "access_log", "error_log", "add_header", "add_trailer", "return", "root", "alias", "expires", "server_name", "resolver", "charset",
	"types", "upstream", "userid_path", "user", "env", "load_module", "secure_link_md5",
}

// quietPrefixes are the beginnings of the names of more of them.
var quietPrefixes = []string{"proxy_", "fastcgi_", "uwsgi_", "scgi_", "grpc_", "memcached_", "ssl_", "sub_filter", "gzip", "open_file", "more_"}

func isQuiet(name string) bool {
	return slices.Contains(quiet, name) || slices.ContainsFunc(quietPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Wanted lists the variables that a log should hold beside a record's own fields so that the keys of a configuration are
// known, and what the rules of an edge look at: see accesslog.Options.Headers. The edge may be nil.
func Wanted(tree *config.Tree, e *Edge) []string {
	if tree.HTTP == nil {
		return nil
	}
	return needsOf(tree, e).headers
}

func needsOf(tree *config.Tree, e *Edge) needs {
	n := needs{variables: tree.HTTP.Variables, ofHeaders: map[*config.Zone]bool{}}
	seen := map[string]bool{}
	n.level(&tree.HTTP.Level, seen)
	for _, b := range tree.HTTP.Blocks {
		n.words(b.Directive, seen)
		for _, e := range b.Entries {
			n.words(e.Directive, seen)
		}
	}
	for _, s := range tree.HTTP.Servers {
		n.level(&s.Level, seen)
		for l := range s.AllLocations {
			n.level(&l.Level, seen)
		}
	}
	slices.Sort(n.headers)
	n.own = len(n.headers)
	n.addEdge(e)
	for _, z := range tree.HTTP.Zones {
		n.ofHeaders[z] = n.reads(z.Key.Variables(), map[string]bool{})
	}
	return n
}

// reads says whether some variable is a header that is wanted, or comes of one.
func (n *needs) reads(names []string, seen map[string]bool) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if seen[name] {
			return false
		}
		seen[name] = true
		return slices.Contains(n.headers[:n.own], name) || n.reads(n.variables.Asks(name), seen)
	})
}

// madeOfHeaders says whether the key of some limit of a place is made of headers.
func (n *needs) madeOfHeaders(p pipeline.Place) bool {
	return slices.ContainsFunc(limitsOf(p), func(l *config.LimitReq) bool { return n.ofHeaders[l.Zone] })
}

// level looks at what stands at a level, in blocks too.
func (n *needs) level(l *config.Level, seen map[string]bool) {
	n.conns = n.conns || len(l.Settings.LimitConns.Value) > 0
	if len(l.Settings.RealIPFrom.Value) > 0 {
		n.takeHeader(l.Settings.RealIPHeader.Value, seen)
	}
	for _, it := range l.Items {
		switch it.Name().Value {
		case "map", "geo", "split_clients": // with their includes in HTTP.Blocks
			continue
		}
		n.directive(it.Directive, seen)
	}
}

// takeHeader notes a header that realip reads.
func (n *needs) takeHeader(name string, seen map[string]bool) {
	variable := "http_" + strings.ReplaceAll(strings.ToLower(name), "-", "_")
	if strings.EqualFold(name, "proxy_protocol") {
		variable = ""
	}
	if n.realip && n.header != variable {
		n.header = ""
	} else {
		n.header = variable
	}
	n.realip = true
	n.variable(variable, seen)
}

// maxDepth bounds the blocks within blocks that are looked into; nginx nests no deeper.
const maxDepth = 100

func (n *needs) directive(d *syntax.Directive, seen map[string]bool) { n.nested(d, seen, 0) }

func (n *needs) nested(d *syntax.Directive, seen map[string]bool, depth int) {
	if isQuiet(d.Name().Value) || depth > maxDepth {
		return
	}
	n.words(d, seen)
	if d.Block == nil || d.Name().Value == "server" || d.Name().Value == "location" { // levels of their own
		return
	}
	for i := range d.Block.Directives {
		n.nested(&d.Block.Directives[i], seen, depth+1)
	}
}

func (n *needs) words(d *syntax.Directive, seen map[string]bool) {
	for _, w := range d.Words() {
		text := w.Value
		if strings.IndexByte(text, '$') < 0 {
			continue
		}
		if t, err := value.Parse(text); err == nil {
			for _, name := range t.Variables() {
				n.variable(name, seen)
			}
		}
	}
}

// variable notes what a variable is made of.
func (n *needs) variable(name string, seen map[string]bool) {
	name = strings.ToLower(name)
	if seen[name] || name == "" {
		return
	}
	seen[name] = true
	switch name {
	case "args", "query_string", "request_uri", "request", "is_args":
		n.query = true
	case "remote_user":
		n.user = true
	case "http_user_agent":
		n.agent = true
	case "http_referer":
		n.referer = true
	case "http_host", "http_x_forwarded_for", "http_authorization":
	default:
		switch {
		case strings.HasPrefix(name, "arg_"):
			n.query = true
		case strings.HasPrefix(name, "http_"), strings.HasPrefix(name, "cookie_"):
			n.headers = append(n.headers, name)
		}
	}
}
