package pipeline

import (
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A handler answers requests in place of a file. The zero handler is none: files.
type handler struct {
	name   string // the directive
	module string // "proxy", "fastcgi" ...: of the directives that begin so, and of an upstream
	known  bool   // what it answers follows from the configuration
}

// answers are the directives that make a location's content handler, with the module of those that ask an upstream.
var answers = map[string]string{
	"proxy_pass": "proxy", "fastcgi_pass": "fastcgi", "uwsgi_pass": "uwsgi", "scgi_pass": "scgi", "grpc_pass": "grpc",
	"memcached_pass": "memcached",
	"empty_gif":      "", "stub_status": "", "flv": "", "mp4": "", "hls": "", "perl": "", "api": "", "redis_pass": "redis", "tunnel_pass": "tunnel",
}

// handlerAt returns the handler that a level itself names; the last one counts, as in nginx.
func handlerAt(level *config.Level) *handler {
	for _, item := range slices.Backward(level.Items) {
		name := item.Name().Value
		if module, ok := answers[name]; ok {
			return known(handler{name: name, module: module, known: name == "empty_gif"})
		}
		if phase, ok := phaseOf(name); ok && phase == contentPhase {
			return known(handler{name: name})
		}
	}
	return noHandler
}

// noHandler is that of a level which answers with files.
var noHandler = &handler{}

// handlers are all that were met, by what they are: most levels have one of a few, which then is at hand.
var handlers sync.Map

func known(h handler) *handler {
	one, _ := handlers.LoadOrStore(h, &h)
	return one.(*handler)
}

// takeHandler gives the conf of an if or of limit_except the handler of its location, where it has none itself. An if
// keeps any handler, since its location has set it before; limit_except inherits only what asks an upstream.
func (c *conf) takeHandler(from *conf) {
	if c.handler.name != "" {
		return
	}
	if c.level().Kind == config.KindIf || slices.Contains([]string{"proxy", "fastcgi", "uwsgi", "scgi", "grpc"}, from.handler.module) {
		c.handler = from.handler
		c.intercept = from.handler.module != "" && text(c.level(), from.handler.module+"_intercept_errors", "off") == "on"
	}
}

// exempted returns the methods that limit_except leaves alone; GET brings HEAD with it.
func exempted(except *config.Level) []string {
	var methods []string
	if except.Directive != nil {
		for _, arg := range except.Directive.Args() {
			methods = append(methods, arg.Value)
		}
	}
	if slices.Contains(methods, "GET") {
		methods = append(methods, "HEAD")
	}
	return methods
}

// An opaque directive runs code that is no configuration: what it does cannot be known.
type opaque struct {
	name  string
	phase phase
}

// A phase is where an opaque directive steps in.
type phase uint8

const (
	rewritePhase phase = iota // may end the request before any limiter
	accessPhase               // runs behind the limiters
	contentPhase
)

// phaseOf says in which phase a directive runs code of its own.
func phaseOf(name string) (phase, bool) {
	if base, ok := strings.CutSuffix(name, "_block"); ok {
		name = base
	}
	name = strings.TrimSuffix(name, "_file")
	switch name {
	case "rewrite_by_lua", "set_by_lua", "server_rewrite_by_lua", "ndk_rewrite_by_lua":
		return rewritePhase, true
	case "access_by_lua", "js_access", "auth_jwt", "auth_pam", "auth_ldap", "auth_digest", "secure_token", "modsecurity":
		return accessPhase, true
	case "content_by_lua", "js_content", "echo", "echo_exec", "array_join", "mruby_content_handler":
		return contentPhase, true
	}
	return 0, false
}

func (c *conf) hasOpaque(p phase) bool {
	return slices.ContainsFunc(c.opaque, func(o opaque) bool { return o.phase == p })
}

// A docroot says where a location's files lie.
type docroot struct {
	path  value.Template
	alias int // how many bytes of the URI an alias replaces; noAlias for a root, wholeURI in a location by regex
}

const (
	noAlias  = -1
	wholeURI = -2
)

// aliased returns how much of the URI an alias at the level replaces: the prefix of the location it stands in.
func aliased(loc *config.Location, at *config.Level) int {
	for ; loc != nil; loc = loc.Outer {
		if &loc.Level != at {
			continue
		}
		if loc.Modifier == "~" || loc.Modifier == "~*" {
			return wholeURI
		}
		return len(loc.Pattern)
	}
	return wholeURI
}
