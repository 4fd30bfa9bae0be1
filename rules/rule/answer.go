package rule

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// An Answer is what a client gets that is refused at a place: nginx's own page, or what an error_page leads to.
type Answer struct {
	Status   int               // the refusal's
	Page     *config.ErrorPage // that takes it; nil where none does
	Redirect bool              // the page is elsewhere: the client is sent there by a redirect
	Ends     Place             // that makes the answer, with whose headers; without a Level where that cannot be told
}

// Shown is the status that the client sees; 0 where the place that answers decides it.
func (a *Answer) Shown() int {
	switch {
	case a.Page == nil:
		return a.Status
	case a.Page.Answer > 0:
		return a.Page.Answer
	case a.Redirect:
		return 302
	case a.Page.Answer < 0 || a.Ends.Returns():
		return 0
	}
	return a.Status
}

// Upstream returns the directive by which an error_page hands a refused request on to an upstream after all.
func (a *Answer) Upstream() (config.Item, bool) {
	if a.Page == nil || a.Ends.Location == nil || a.Ends.Returns() {
		return config.Item{}, false
	}
	return a.Ends.Upstream()
}

// Refused says how a refusal with a status is answered at a place. Of several error_page the first one for the status takes
// it (ngx_http_special_response_handler).
func (f *Facts) Refused(p Place, status int) Answer {
	a := Answer{Status: status, Ends: p, Page: PageFor(p, status)}
	if a.Page != nil {
		a.Ends, a.Redirect = f.ErrorPlace(p.Server, a.Page)
	}
	return a
}

// PageFor returns the error_page that takes a status at a place; nil where none does.
func PageFor(p Place, status int) *config.ErrorPage {
	for _, page := range p.Settings.ErrorPages.Value {
		if slices.Contains(page.Codes, status) {
			return page
		}
	}
	return nil
}

// ErrorPlace returns the place of a server that an error_page leads to; redirect where the page lies elsewhere. The place has
// no level where it cannot be told.
func (f *Facts) ErrorPlace(s *config.Server, page *config.ErrorPage) (at Place, redirect bool) {
	target := page.Target
	if strings.Contains(target, "$") {
		return Place{}, false
	}
	router := f.router()
	site := router.Site(s)
	if site == nil {
		return Place{}, false
	}
	if name, ok := strings.CutPrefix(target, "@"); ok {
		return reachedAt(s, site.Named(name)), false
	}
	if !strings.HasPrefix(target, "/") {
		return Place{}, true
	}
	uri, args, _ := strings.Cut(target, "?")
	v := &value.Request{HTTP: &request.Request{Target: target, Peer: visitors[0].Addr()}, Definitions: f.definitions(), Client: visitors[0], URI: uri, Args: args}
	m := site.Location(v, true)
	switch {
	case m.Undecided != nil || m.Status != 0:
		return Place{}, false
	case m.Number == 0:
		return Place{Level: &s.Level, Server: s}, false
	}
	return reachedAt(s, router.Numbered(m.Number)), false
}

// reachedAt is the place that an internal redirect leads to; without a level where a rewrite sends it on.
func reachedAt(s *config.Server, l *config.Location) Place {
	if l == nil {
		return Place{}
	}
	if by, ok := answerer(&l.Level, l.Ifs, l); ok && by.Name().Value != "return" {
		return Place{}
	}
	return Place{Level: &l.Level, Server: s, Location: l}
}

// Returns says whether a location answers by a return of its own whatever comes to it.
func (p Place) Returns() bool {
	if p.Location == nil {
		return false
	}
	_, ok := answerer(&p.Location.Level, p.Location.Ifs, p.Location)
	return ok
}

// Adds says whether a header is added to answers of a place, be it to some of them only.
func Adds(p Place, name string) bool {
	for _, h := range p.Settings.AddHeaders.Value {
		if strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return setsMore(p.Level)
}

// AddsAlways says whether a header is added to answers of any status, or may be.
func AddsAlways(p Place, name string) bool {
	for _, h := range p.Settings.AddHeaders.Value {
		if h.Always && strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return setsMore(p.Level)
}

// setsMore says whether something else than add_header may set any header of an answer.
func setsMore(l *config.Level) bool {
	for _, name := range [...]string{"more_set_headers", "header_filter_by_lua", "header_filter_by_lua_block", "header_filter_by_lua_file", "js_header_filter"} {
		if _, ok := l.Effective(name); ok {
			return true
		}
	}
	return false
}
