package pipeline

import (
	"path"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A FileKind is what lies at a path on the server's disk.
type FileKind uint8

// The kinds. Where nobody can say, FileUnknown is the answer.
const (
	FileUnknown FileKind = iota
	FileAbsent
	FileRegular
	FileDir
)

// Files tells what lies at a path; relative paths are below nginx's prefix. A nil Files knows nothing.
type Files func(path string) FileKind

// tryFiles is the try_files directive: the first file that is there becomes the URI, else the last argument is gone to.
func (r *run) tryFiles() (answer, bool) {
	c := r.conf
	n := len(c.tryFiles) - 1
	if n < 0 {
		return answer{}, false
	}
	if r.strayed(c) {
		return r.finalize(500, EndTryFiles), true
	}
	for i := range c.tryFiles[:n] {
		f := &c.tryFiles[i]
		if name, found := r.try(f); found {
			if uri, changed := r.foundURI(f, name); changed {
				r.vars.URI = uri
			}
			r.step(c, "try_files", r.vars.URI)
			return answer{}, false
		}
	}
	last := c.tryFiles[n]
	if last.code != 0 {
		r.step(c, "try_files", last.path.Text)
		if last.code >= 300 || last.code == 201 || last.code == 204 {
			return r.finalize(last.code, EndTryFiles), true
		}
		return r.sent(last.code, EndTryFiles), true
	}
	to := r.unprefixed(&last, r.known(r.eval(last.path, false)))
	r.step(c, "try_files", to)
	if strings.HasPrefix(to, "@") {
		return r.named(to[1:]), true
	}
	uri, args := splitArgs(to)
	return r.redirectTo(uri, args), true
}

// strayed says that the folder of an alias cannot be told any more: a rewrite has changed the URI without leaving the
// location. nginx answers 500 where it needs to know.
func (r *run) strayed(c *conf) bool { return r.rewritten && c.files.alias != noAlias }

// unprefixed takes off the front of a path with variables what the alias of the location replaces.
func (r *run) unprefixed(f *tryFile, name string) string {
	n := r.conf.files.alias
	if _, constant := f.path.Constant(); n <= 0 || constant || n > len(r.vars.URI) {
		return name
	}
	return strings.TrimPrefix(name, r.vars.URI[:n])
}

// foundURI returns the URI that the request has once try_files has found a file; changed is false where it keeps the one
// that it has.
func (r *run) foundURI(f *tryFile, name string) (uri string, changed bool) {
	switch n := r.conf.files.alias; n {
	case noAlias:
	case wholeURI:
		if f.dir {
			return "", false
		}
		r.inAlias = true
	default:
		return r.vars.URI[:min(n, len(r.vars.URI))] + name, true
	}
	return name, true
}

// try says whether one argument of try_files is there, and what it is below the location's folder. Without a disk to look
// at a path with an extension that comes from the request is taken to exist, as is the document root, and nothing else.
func (r *run) try(f *tryFile) (name string, found bool) {
	c := r.conf
	name, ok := r.eval(f.path, false).Known()
	if f.dir {
		name = strings.TrimSuffix(name, "/")
	}
	asked := name
	name = r.unprefixed(f, name)
	kind := FileUnknown
	if ok && r.p.Files != nil {
		kind = r.below(c, name)
	}
	switch kind {
	case FileRegular:
		return name, !f.dir
	case FileDir:
		return name, f.dir
	case FileAbsent:
		return name, false
	case FileUnknown:
	}
	_, constant := f.path.Constant()
	switch {
	case !ok || constant:
		found = false
	case f.dir:
		found = asked == "/" || asked == ""
	default:
		found = r.looksLikeFile(asked)
	}
	if found && f.dir && r.conf.files.alias == noAlias {
		name = "/"
	}
	if r.p.Files == nil {
		r.assume(c.filesGuess)
	}
	return name, found
}

// looksLikeFile says whether a path is taken as a file because the request asks for one: its last part has an extension.
func (r *run) looksLikeFile(name string) bool {
	base := path.Base(r.vars.URI)
	return !strings.HasSuffix(r.vars.URI, "/") && strings.LastIndexByte(base, '.') > 0 && strings.HasSuffix(name, "/"+base)
}

// assumeFiles says what is taken for the files of a location; that no file is known where a Files is given is its own
// answer.
func (r *run) assumeFiles(c *conf, directive string) {
	if r.p.Files == nil {
		r.assume(c.guessFiles(directive))
	}
}

func (c *conf) guessFiles(directive string) string {
	return directive + " in " + c.name() + ": files cannot be looked up; a requested path with an extension is taken as a file, any other path as absent"
}

// disk looks a URI up among the files of a location, with a name added behind it.
func (r *run) disk(c *conf, uri, name string) FileKind {
	if r.p.Files == nil {
		return FileUnknown
	}
	switch n := c.files.alias; {
	case n == wholeURI && !r.inAlias:
		uri = ""
	case n >= 0:
		uri = uri[min(n, len(uri)):]
	}
	return r.below(c, uri+name)
}

// below looks up what lies below the folder of a location.
func (r *run) below(c *conf, name string) FileKind {
	root, ok := r.eval(c.files.path, false).Known()
	if !ok {
		return FileUnknown
	}
	return r.p.Files(root + name)
}

// fileTest judges -f, -d, -e and -x of an if.
func (r *run) fileTest(code *instruction) bool {
	op := strings.TrimPrefix(code.test.op, "!")
	name, ok := r.eval(code.test.left, false).Known()
	kind := FileUnknown
	if ok && r.p.Files != nil {
		kind = r.p.Files(name)
	}
	if kind == FileUnknown {
		r.assumeFiles(r.conf, "if "+code.test.op)
		if !ok {
			name = r.unknownPath(code.test.left)
		}
		switch {
		case r.looksLikeFile(name):
			kind = FileRegular
		case r.vars.URI == "/" && strings.HasSuffix(name, "/"):
			kind = FileDir
		default:
			kind = FileAbsent
		}
	}
	is := false
	switch op {
	case "-f":
		is = kind == FileRegular
	case "-d":
		is = kind == FileDir
	case "-e", "-x":
		is = kind != FileAbsent
	}
	return is != (code.test.op[0] == '!')
}

// unknownPath yields what can be known of a path that begins with an unknown folder: $request_filename is some folder
// and the URI.
func (r *run) unknownPath(t value.Template) string {
	var b strings.Builder
	for _, p := range t.Parts {
		switch p.Variable {
		case "":
			b.WriteString(p.Literal)
		case "request_filename":
			b.WriteString(r.vars.URI)
		default:
			s, _ := r.vars.Variable(p.Variable).Known()
			b.WriteString(s)
		}
	}
	return b.String()
}

// content is the CONTENT phase: the location's handler, else index, else a file.
func (r *run) content() answer {
	if r.handler.name != "" {
		return r.handle()
	}
	return r.files()
}

// files answers as nginx does where no handler takes the request: with what lies on the disk.
func (r *run) files() answer {
	if slices.Contains(r.conf.dav, r.method) {
		r.step(r.conf, "dav_methods", r.method)
		r.assume("dav_methods in " + r.conf.name() + ": what " + r.method + " answers hangs on the files, and cannot be known")
		return answer{EndContent, 0, r.conf}
	}
	if r.vars.URI == "" || strings.HasSuffix(r.vars.URI, "/") { // it is empty where try_files has taken an alias off it
		return r.directory()
	}
	return r.file()
}

// handle lets the handler answer. What an upstream or foreign code answers is not known.
func (r *run) handle() answer {
	h := r.handler
	r.step(r.conf, h.name, "")
	if h.module != "" {
		if r.sendMirrored(); r.closed != 0 {
			return r.finalize(r.closed, EndContent)
		}
	}
	switch {
	case h.name == "empty_gif" || h.name == "stub_status":
		if r.method != "GET" && r.method != "HEAD" {
			return r.finalize(405, EndContent)
		}
		return r.sent(200, EndContent)
	case h.name == "flv" || h.name == "mp4": // they take files, and leave folders to index and the rest
		if r.method != "GET" && r.method != "HEAD" {
			return r.finalize(405, EndContent)
		}
		return r.files()
	case h.module == "":
		r.assume(h.name + " in " + r.conf.name() + " runs code that is not read; it is taken to answer the request there")
	case r.upstream >= 300 && r.conf.intercept && r.hasErrorPage(r.upstream):
		return r.finalize(r.upstream, EndContent)
	}
	if r.upstream != 0 {
		return r.sent(r.upstream, EndContent)
	}
	if r.conf.intercept && len(r.conf.errorPages) > 0 {
		r.assume(h.module + "_intercept_errors in " + r.conf.name() + ": what the upstream answers is not known; it is taken to be nothing that error_page takes")
	}
	return answer{EndContent, r.errStatus, r.conf}
}

func (r *run) hasErrorPage(status int) bool {
	for _, page := range r.conf.errorPages {
		if slices.Contains(page.Codes, status) {
			return true
		}
	}
	return false
}

// directory answers a URI that ends with a slash: the first index file that is there, by an internal redirect, so that
// another location may serve it.
func (r *run) directory() answer {
	c := r.conf
	if r.method == "GET" || r.method == "HEAD" || r.method == "POST" {
		if c.random {
			r.step(c, "random_index", "")
			r.assume("random_index in " + c.name() + " goes to any file of the folder; where that leads cannot be known")
			return r.unknown()
		}
		for _, t := range c.index {
			name := r.known(r.eval(t, false))
			if strings.HasPrefix(name, "/") {
				r.step(c, "index", name)
				return r.redirectTo(name, r.vars.Args)
			}
			if r.strayed(c) {
				return r.finalize(500, EndContent)
			}
			uri := r.vars.URI + name
			switch r.disk(c, r.vars.URI, name) {
			case FileUnknown:
				r.assume("index in " + c.name() + ": files cannot be looked up; " + name + " is taken to exist in every folder")
			case FileRegular, FileDir:
			case FileAbsent:
				if r.disk(c, r.vars.URI, "") == FileAbsent {
					return r.finalize(404, EndContent)
				}
				continue
			}
			r.step(c, "index", uri)
			return r.redirectTo(uri, r.vars.Args)
		}
	}
	return r.withoutIndex()
}

// withoutIndex answers for a folder of which no index is shown.
func (r *run) withoutIndex() answer {
	c := r.conf
	switch r.method {
	case "GET", "HEAD":
		if text(c.level(), "autoindex", "off") != "on" {
			break
		}
		r.step(c, "autoindex", "")
		if r.strayed(c) {
			return r.finalize(500, EndContent)
		}
		if r.disk(c, r.vars.URI, "") == FileAbsent {
			return r.finalize(404, EndContent)
		}
		return r.sent(200, EndContent)
	case "POST":
	default:
		return r.finalize(405, EndContent)
	}
	return r.finalize(403, EndContent)
}

// file answers with a file.
func (r *run) file() answer {
	c := r.conf
	r.step(c, "file", r.vars.URI)
	if r.method != "GET" && r.method != "HEAD" && r.method != "POST" {
		return r.finalize(405, EndContent)
	}
	if r.strayed(c) {
		return r.finalize(500, EndContent)
	}
	switch r.disk(c, r.vars.URI, "") {
	case FileAbsent:
		return r.finalize(404, EndContent)
	case FileDir:
		r.redirect = r.withArgs(request.Escape(r.vars.URI)+"/", "?")
		return r.finalize(301, EndContent)
	case FileRegular:
		if r.method == "POST" {
			return r.finalize(405, EndContent)
		}
		return r.sent(200, EndContent)
	case FileUnknown:
		if r.method == "POST" {
			return r.finalize(405, EndContent)
		}
	}
	return answer{EndContent, r.errStatus, c}
}
