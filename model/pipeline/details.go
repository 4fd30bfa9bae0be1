package pipeline

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// details are the rest of a conf. Locations that differ in nothing else share them.
type details struct {
	at         *place   // where that is no location of itself
	handler    *handler // never nil
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
	within     []string // what puts other URIs into the answer
	maxBody    int64
	index      []value.Template
	files      docroot
	redirects  redirection
	opaque     []opaque
}

// A place is the level of a server, of an if or of a limit_except.
type place struct {
	server *config.Server
	level  *config.Level
}

// level is what the conf was compiled of.
func (c *conf) level() *config.Level {
	switch {
	case c.at != nil:
		return c.at.level
	case c.loc != nil: // it always is; but where the compiler does not know it, the location is read, which is in no cache
		return &c.loc.Level
	}
	return nil
}

// server is the one that the level belongs to.
func (c *conf) server() *config.Server {
	if c.at != nil {
		return c.at.server
	}
	return c.loc.Server
}

// plain are details that have nothing of a level's own: what two of them are compared by. Of a list that levels inherit as it
// is it has the first entry.
type plain struct {
	handler                                  *handler
	basic, auth, guess, post, root, lists    string
	satisfyAny, recursive, intercept, random bool
	alias                                    int
	maxBody                                  int64
	redirects                                redirection
	errorPages                               **config.ErrorPage
}

// alike returns the one copy of details that many locations have. Those with instructions, rules or headers of their own are
// left as they are.
func (g *program) alike(d *details) *details {
	if d.at != nil || d.except != nil || len(d.codes)+len(d.conns)+len(d.access)+len(d.retryAfter)+len(d.opaque) > 0 {
		return d
	}
	k := plain{
		handler: d.handler, basic: d.basic.Text, auth: d.auth, guess: d.filesGuess, post: d.postAction, root: d.files.path.Text,
		lists: d.lists(), satisfyAny: d.satisfyAny, recursive: d.recursive, intercept: d.intercept, random: d.random,
		alias: d.files.alias, maxBody: d.maxBody, redirects: d.redirects,
	}
	if len(d.errorPages) > 0 {
		k.errorPages = &d.errorPages[0]
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if one := g.details[k]; one != nil {
		return one
	}
	g.details[k] = d
	return d
}

// lists writes the lists of words; equal text stands for equal lists.
func (d *details) lists() string {
	var b strings.Builder
	for _, f := range d.tryFiles {
		fmt.Fprintf(&b, "%q %t %d ", f.path.Text, f.dir, f.code)
	}
	for _, t := range d.index {
		fmt.Fprintf(&b, "i%q ", t.Text)
	}
	fmt.Fprintf(&b, "%q %q %q %d", d.mirrors, d.dav, d.within, len(d.errorPages))
	return b.String()
}

// termsOf returns the one copy of terms that many limits have.
func (g *program) termsOf(t terms) *terms {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.terms[t]
	if one == nil {
		one = &t
		g.terms[t] = one
	}
	return one
}
