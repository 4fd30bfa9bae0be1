package config

import (
	"path"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// loadedModules are the modules that load_module added up to a place.
type loadedModules struct {
	at      map[string]source.Span // the directives, by the modules' names
	counted bool                   // a block was met at which nginx counts its modules: none can be added behind it
}

// own are the modules of nginx itself that it can be built with as files to load.
var own = map[string]bool{
	"ngx_stream_module": true, "ngx_mail_module": true, "ngx_http_xslt_filter_module": true, "ngx_http_image_filter_module": true,
	"ngx_http_geoip_module": true, "ngx_stream_geoip_module": true, "ngx_http_perl_module": true,
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
