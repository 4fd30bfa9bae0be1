package config

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// outermost opens the main level and, for a fragment, the levels around it, and returns the innermost. They stay open
// until everything was read.
func (r *resolver) outermost() *scope {
	s := &scope{at: directive.Main, into: &r.tree.Main}
	r.open = append(r.open, s)
	for _, name := range r.in.Context {
		inner := r.implied(name, s)
		if inner == nil {
			continue // "main"
		}
		r.enter(inner)
		r.open = append(r.open, inner)
		s = inner
	}
	return s
}

// implied returns the scope inside of a block that is not written but given as a fragment's context.
func (r *resolver) implied(name string, s *scope) *scope {
	at := s.at.Inside(name)
	var bare Item
	switch {
	case name == "main":
		return nil
	case at == directive.HTTP:
		return r.newHTTP(bare)
	case at == directive.Server:
		return r.newServer(bare)
	case at == directive.Location:
		return r.newLocation(bare, s, "", "/")
	case at == directive.ServerIf || at == directive.LocationIf || at == directive.LimitExcept:
		return r.newBranch(bare, at, s)
	case at == 0:
		at = directive.Opaque
	}
	return &scope{at: at, level: s.level}
}

// closeAll closes the levels that outermost opened.
func (r *resolver) closeAll() {
	for _, s := range slices.Backward(r.open) {
		r.leave(s)
		switch s.at {
		case directive.HTTP:
			r.closeHTTP()
		case directive.Server:
			r.closeServer(s.server)
		case directive.Location:
			s.location.Handler = handlerItem(s.location.Items)
		default:
		}
	}
	r.afterReading()
}

// handlerOf returns what takes a directive into the tree. Handlers for the same name at different places differ.
func handlerOf(name string, at directive.Context) handler {
	switch at {
	case directive.Main:
		switch name {
		case "http":
			return (*resolver).httpBlock
		case "load_module":
			return (*resolver).loadModule
		case "events", "mail", "stream":
			return (*resolver).moduleBlock
		case "error_log":
			return (*resolver).errorLog
		}
		return nil
	case directive.HTTP:
		if h := httpHandler(name); h != nil {
			return h
		}
	case directive.Server:
		if h := serverHandler(name); h != nil {
			return h
		}
	case directive.Location:
		if h := locationHandler(name); h != nil {
			return h
		}
	case directive.Upstream:
		return upstreamHandler(name)
	case directive.LocationIf, directive.LimitExcept, directive.ServerIf:
	default:
		return nil
	}
	if h := settingHandler(name); h != nil {
		return h
	}
	if h := regexHandler(name); h != nil {
		return h
	}
	return tableHandler(name)
}

func httpHandler(name string) handler {
	switch name {
	case "server":
		return (*resolver).serverBlock
	case "upstream":
		return (*resolver).upstreamBlock
	case "map", "geo", "split_clients":
		return (*resolver).variableBlock
	case "charset_map":
		return (*resolver).charsetMap
	case "limit_req_zone":
		return (*resolver).limitReqZone
	case "limit_conn_zone":
		return (*resolver).limitConnZone
	case "log_format":
		return (*resolver).logFormat
	case "map_hash_bucket_size", "map_hash_max_size":
		return (*resolver).mapHashSize
	}
	return otherZoneHandler(name)
}

func serverHandler(name string) handler {
	switch name {
	case "location":
		return (*resolver).locationBlock
	case "if":
		return (*resolver).ifBlock
	case "listen":
		return (*resolver).listen
	case "server_name":
		return (*resolver).serverName
	}
	return nil
}

func locationHandler(name string) handler {
	switch name {
	case "location":
		return (*resolver).locationBlock
	case "if":
		return (*resolver).ifBlock
	case "limit_except":
		return (*resolver).limitExceptBlock
	case "internal":
		return func(_ *resolver, _ Item, _ *visit, s *scope) { s.location.Internal = true }
	}
	return nil
}

func (r *resolver) httpBlock(it Item, v *visit, _ *scope) {
	if r.http != nil {
		r.refuseHead(it, nil, DuplicateDirective, `"http" directive is duplicate`)
		r.skip(it, v, &scope{})
		return
	}
	r.modules.counted = true
	r.block(it, v, r.newHTTP(it))
	r.closeHTTP()
}

func (r *resolver) newHTTP(it Item) *scope {
	h := &HTTP{
		Level:      Level{Kind: KindHTTP, Directive: it.Directive, Via: it.Via},
		Zones:      make(map[string]*Zone),
		ConnZones:  make(map[string]*ConnZone),
		LogFormats: map[string]*LogFormat{"combined": combined},
		Variables:  &value.Definitions{},
		Upstreams:  make(map[string]Item),
	}
	r.http, r.tree.HTTP = h, h
	return &scope{at: directive.HTTP, level: &h.Level, into: &h.Items}
}

func (r *resolver) serverBlock(it Item, v *visit, _ *scope) {
	s := r.newServer(it)
	r.block(it, v, s)
	r.closeServer(s.server)
}

func (r *resolver) newServer(it Item) *scope {
	sv := &Server{Level: Level{Kind: KindServer, Parent: &r.http.Level, Directive: it.Directive, Via: it.Via}}
	r.http.Servers = append(r.http.Servers, sv)
	return &scope{at: directive.Server, level: &sv.Level, into: &sv.Items, server: sv}
}

func (r *resolver) locationBlock(it Item, v *visit, s *scope) {
	modifier, pattern, ok := r.locationPattern(it, s)
	if !ok {
		r.skip(it, v, s)
		return
	}
	inner := r.newLocation(it, s, modifier, pattern)
	r.checkNesting(it, inner.location, s)
	r.block(it, v, inner)
	inner.location.Handler = handlerItem(inner.location.Items)
	r.spareScopes = append(r.spareScopes, inner)
}

func (r *resolver) newLocation(it Item, s *scope, modifier, pattern string) *scope {
	if len(r.spare) == 0 {
		r.spare = make([]Location, 56)
	}
	l := &r.spare[0]
	r.spare = r.spare[1:]
	*l = Location{
		Level:    Level{Kind: KindLocation, Parent: s.level, Directive: it.Directive, Via: it.Via},
		Inside:   &nothingInside,
		Server:   s.server,
		Outer:    s.location,
		Modifier: modifier,
		Pattern:  pattern,
	}
	if s.location != nil {
		in := s.location.inside()
		in.Locations = append(in.Locations, l)
	} else {
		s.server.Locations = append(s.server.Locations, l)
	}
	return r.newScope(scope{at: directive.Location, level: &l.Level, into: &l.Items, server: s.server, location: l})
}

// newScope takes the memory of a scope that was left, where there is one.
func (r *resolver) newScope(s scope) *scope {
	var room *scope
	if n := len(r.spareScopes); n > 0 {
		room, r.spareScopes = r.spareScopes[n-1], r.spareScopes[:n-1]
	} else {
		room = new(scope)
	}
	*room = s
	return room
}

func (r *resolver) ifBlock(it Item, v *visit, s *scope) {
	at := directive.ServerIf
	if s.location != nil {
		at = directive.LocationIf
	}
	r.condition(it, s)
	r.block(it, v, r.newBranch(it, at, s))
}

func (r *resolver) limitExceptBlock(it Item, v *visit, s *scope) {
	r.knownMethods(it, s)
	r.block(it, v, r.newBranch(it, directive.LimitExcept, s))
}

// newBranch opens a block that is a level of its own but takes no locations: if and limit_except.
func (r *resolver) newBranch(it Item, at directive.Context, s *scope) *scope {
	l := &Level{Parent: s.level, Directive: it.Directive, Via: it.Via}
	switch at {
	case directive.ServerIf:
		l.Kind = KindServerIf
		s.server.Ifs = append(s.server.Ifs, l)
	case directive.LocationIf:
		l.Kind = KindIf
		in := s.location.inside()
		in.Ifs = append(in.Ifs, l)
	default:
		l.Kind = KindLimitExcept
		s.location.inside().Except = l
	}
	return &scope{at: at, level: l, into: &l.Items, server: s.server, location: s.location}
}

// handlerItem finds what answers a request in a location; nil where files do.
func handlerItem(items []Item) *Item {
	var found *Item
	for i := range items {
		switch items[i].Name().Value {
		case "return":
			return &items[i]
		case "proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass",
			"stub_status", "empty_gif", "flv", "mp4", "perl", "api", "content_by_lua", "content_by_lua_block", "content_by_lua_file":
			if found == nil {
				found = &items[i]
			}
		}
	}
	return found
}
