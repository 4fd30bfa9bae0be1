package traffic

import (
	"path"
	"strings"
)

// kindOf is the kind of a recorded request: by what the browser says that it is for, else by the type of its content,
// else by its path.
func kindOf(e *harEntry) string {
	target, query, _ := strings.Cut(e.path, "?")
	base := path.Base(target)
	switch kind := resourceKind(e); {
	case strings.HasPrefix(base, "admin-ajax"):
		return "ajax"
	case strings.HasSuffix(target, "/graphql"):
		return "graphql"
	case kind == "api" && strings.Contains("&"+query, "&_rsc="):
		return "rsc"
	case kind == "static" && path.Ext(base) == ".php":
		return "php-asset"
	default:
		return kind
	}
}

func resourceKind(e *harEntry) string {
	switch e.resource {
	case "document":
		return "html"
	case "stylesheet", "script", "manifest", "texttrack", "media", "wasm":
		return "static"
	case "image":
		return "image"
	case "font":
		return "font"
	case "xhr", "fetch", "websocket", "eventsource", "preflight", "ping", "cspviolationreport":
		return "api"
	}
	mime, _, _ := strings.Cut(strings.ToLower(e.mime), ";")
	mime = strings.TrimSpace(mime)
	group, _, _ := strings.Cut(mime, "/")
	switch {
	case mime == "text/html", mime == "application/xhtml+xml":
		return "html"
	case mime == "text/css", strings.HasSuffix(mime, "javascript"), strings.HasSuffix(mime, "ecmascript"), mime == "application/wasm",
		mime == "application/manifest+json", group == "audio", group == "video":
		return "static"
	case group == "image":
		return "image"
	case group == "font", strings.HasPrefix(mime, "application/font"), strings.HasPrefix(mime, "application/x-font"), mime == "application/vnd.ms-fontobject":
		return "font"
	case strings.HasSuffix(mime, "json"), mime == "text/event-stream", mime == "application/grpc-web+proto":
		return "api"
	}
	return extensionKind(e)
}

// extensions are the ends of paths that say what a file is, where nothing else does.
var extensions = map[string]string{
	".html": "html", ".htm": "html",
	".css": "static", ".js": "static", ".mjs": "static", ".map": "static", ".wasm": "static", ".webmanifest": "static",
	".png": "image", ".jpg": "image", ".jpeg": "image", ".gif": "image", ".svg": "image", ".webp": "image", ".avif": "image", ".ico": "image",
	".mp4": "static", ".webm": "static", ".mp3": "static",
	".woff": "font", ".woff2": "font", ".ttf": "font", ".otf": "font", ".eot": "font",
}

// IsStaticFile says whether a path ends as those of static files do.
func IsStaticFile(uri string) bool {
	kind := extensions[strings.ToLower(path.Ext(uri))]
	return kind != "" && kind != "html"
}

func extensionKind(e *harEntry) string {
	target, _, _ := strings.Cut(e.path, "?")
	if kind, known := extensions[strings.ToLower(path.Ext(target))]; known {
		return kind
	}
	return "api"
}

// script says whether a request is for something that runs and can ask for more.
func (e *harEntry) script() bool {
	target, _, _ := strings.Cut(e.path, "?")
	return e.resource == "script" || e.resource == "" && (strings.Contains(e.mime, "javascript") || strings.HasSuffix(target, ".js") || strings.HasSuffix(target, ".mjs"))
}

// style says whether it is for a style sheet, which asks for fonts and pictures.
func (e *harEntry) style() bool {
	target, _, _ := strings.Cut(e.path, "?")
	return e.resource == "stylesheet" || e.resource == "" && (strings.HasPrefix(e.mime, "text/css") || strings.HasSuffix(target, ".css"))
}

// mayCause says whether an answer of one kind can be the reason of a request of another, in the usual shape of a page:
// the document asks for everything, scripts for scripts and data, style sheets for fonts and pictures, data for more data
// and for pictures.
func (e *harEntry) mayCause(from, kind string) bool {
	switch {
	case from == "html":
		return true
	case e.script():
		return kind != "html" && kind != "font"
	case e.style():
		return kind == "font" || kind == "image" || kind == "static"
	case from == "static", from == "image", from == "font":
		return false
	}
	return kind != "font" && kind != "static" && kind != "html"
}

// longLived says whether an answer does not end.
func (e *harEntry) longLived() bool {
	return e.resource == "websocket" || e.resource == "eventsource" || e.status == 101 || strings.HasPrefix(e.mime, "text/event-stream")
}
