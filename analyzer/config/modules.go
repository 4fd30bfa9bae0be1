package config

import (
	"path"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// loadedModules are the modules that load_module added up to a place, and those that something belongs to.
type loadedModules struct {
	used    []string               // in the order of their first use
	at      map[string]source.Span // the directives, by the modules' names
	counted bool                   // a block was met at which nginx counts its modules: none can be added behind it
}

// own are the modules of nginx itself that it can be built with as files to load.
var own = map[string]bool{
	"ngx_stream_module": true, "ngx_mail_module": true, "ngx_http_xslt_filter_module": true, "ngx_http_image_filter_module": true,
	"ngx_http_geoip_module": true, "ngx_stream_geoip_module": true, "ngx_http_perl_module": true,
}

// loadable returns the module that brings a directive, if it is one that is loaded by some nginxes and built into others:
// one of nginx's own that distributions pack apart, or one of others.
func loadable(v *directive.Variant) string {
	if v.Origin == directive.Module || own[v.Module] {
		return v.Module
	}
	return ""
}

// use notes that a directive of a module was met.
func (m *loadedModules) use(name string) {
	if !slices.Contains(m.used, name) {
		m.used = append(m.used, name)
	}
}

// assumed returns the modules in use that nothing loads. What nginx printed itself it has; and where something was not read,
// or a module of others was loaded whose directives are not known by its name, nothing can be said.
func (r *resolver) assumed() []string {
	if r.in.Kind != load.Tree || !r.tree.whole || r.partial() {
		return nil
	}
	others := false
	for name := range r.modules.at {
		others = others || !own[name]
	}
	return slices.DeleteFunc(r.modules.used, func(name string) bool {
		_, loaded := r.modules.at[name]
		return loaded || others && !own[name]
	})
}

// loadModule notes a module that is loaded: one that is not nginx's own may define any variable. nginx asks the module for
// its name; its file bears that name, wherever it lies.
func (r *resolver) loadModule(it Item, _ *visit, s *scope) {
	name, isFile := strings.CutSuffix(path.Base(it.Arg(0)), ".so")
	r.foreigners = r.foreigners || !own[name]
	if r.modules.counted {
		r.refuseHead(it, s.level, DirectiveNotAllowed, `"load_module" directive is specified too late`)
		return
	}
	if earlier, twice := r.modules.at[name]; twice && isFile {
		r.refuse(s.level, Refusal{
			Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Related: &earlier,
			Text: "module " + quoted(name) + " is already loaded",
		})
		return
	}
	r.modules.at[name] = it.Head()
}

// moduleBlock reads a block that belongs to a kind of modules, whose number nginx settles there.
func (r *resolver) moduleBlock(it Item, v *visit, s *scope) {
	r.modules.counted = true
	r.otherBlock(it, v, s)
}
