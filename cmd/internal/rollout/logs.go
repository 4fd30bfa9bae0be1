package rollout

import (
	"fmt"
	"path"
	"slices"
	"strings"

	gonginx "github.com/tufanbarisyildirim/gonginx/config"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// needed are the variables without which a dry run cannot be judged; who are those that say whose request it was and of what,
// each as one of several.
var (
	needed = [...]string{"msec", "limit_req_status", "request_time", "upstream_response_time"}
	who    = [...][]string{{"remote_addr"}, {"host", "http_host", "server_name"}, {"request", "request_uri"}}
)

// formatName is the name of the log format; "" where some server's log holds what is needed in each place that is limited.
func (w *writer) formatName() string {
	if !w.lacking() {
		return ""
	}
	if name := w.suited(); name != "" {
		return name
	}
	for n := 1; ; n++ {
		name := "limits"
		if n > 1 {
			name = fmt.Sprintf("limits_%d", n)
		}
		if w.tree.HTTP.LogFormats[name] == nil {
			return name
		}
	}
}

// suited finds a log format of the configuration that will do and is defined before the servers that lack one, as nginx asks; ""
// where there is none.
func (w *writer) suited() string {
	for _, item := range w.tree.HTTP.Items {
		switch item.Name().Value {
		case "log_format":
			if f := w.tree.HTTP.LogFormats[item.Arg(0)]; f != nil && f.Directive == item.Directive && w.tellsAll(f) && w.tellsWho(f) {
				return f.Name
			}
		case "server":
			for i := range w.p.Limits {
				if s := w.p.Limits[i].Group.Server; s.Directive == item.Directive && w.lacks(s) {
					return ""
				}
			}
		}
	}
	return ""
}

func (w *writer) tellsWho(f *config.LogFormat) bool {
	for _, names := range who {
		if !slices.ContainsFunc(names, func(name string) bool { return w.facts.Logs([]*config.LogFormat{f}, name) }) {
			return false
		}
	}
	return !w.restoresAddress() || w.facts.Logs([]*config.LogFormat{f}, "realip_remote_addr")
}

func (w *writer) lacking() bool {
	for i := range w.p.Limits {
		if w.lacks(w.p.Limits[i].Group.Server) {
			return true
		}
	}
	return false
}

// lacks says that a server's logs do not tell what the limits do.
func (w *writer) lacks(s *config.Server) bool {
	formats, known := w.facts.Formats(rule.Place{Level: &s.Level, Server: s})
	if !known {
		return false // a script logs, or a format that was not read
	}
	return !slices.ContainsFunc(formats, w.tellsAll)
}

// tellsAll says whether a log format holds what is needed.
func (w *writer) tellsAll(f *config.LogFormat) bool {
	for _, name := range needed {
		if w.hasVariable(name) && !w.facts.Logs([]*config.LogFormat{f}, name) {
			return false
		}
	}
	return true
}

// logFormat is a log format that holds what the check of a dry run needs, one JSON object a line; nil where there is one.
func (w *writer) logFormat() gonginx.IDirective {
	name := w.formatName()
	if name == "" || name == w.suited() {
		return nil
	}
	fields := []string{`"time":"$time_iso8601"`, `"msec":$msec`, `"ip":"$remote_addr"`}
	if w.restoresAddress() {
		fields = append(fields, `"peer":"$realip_remote_addr"`)
	}
	// The method is that of the request line: behind an error_page $request_method is GET, and a refused login would be none.
	fields = append(fields, `"host":"$host"`, `"request":"$request"`, `"status":$status`,
		`"rt":$request_time`, `"urt":"$upstream_response_time"`)
	if w.hasVariable("limit_req_status") {
		fields = append(fields, `"limit":"$limit_req_status"`)
	}
	fields = append(fields, `"ua":"$http_user_agent"`)
	d := directiveOf("log_format", name, "escape=json")
	const perLine = 4
	for i, some := range slices.Collect(slices.Chunk(fields, perLine)) {
		text := strings.Join(some, ",")
		switch last := (i+1)*perLine >= len(fields); {
		case i == 0:
			text = "{" + text + ","
		case last:
			text += "}"
		default:
			text += ","
		}
		d.Parameters = append(d.Parameters, gonginx.Parameter{Value: "'" + text + "'", RelativeLineIndex: i + 1})
	}
	return d
}

// hasVariable says whether the nginx that is judged for has a variable.
func (w *writer) hasVariable(name string) bool {
	version, err := directive.ParseVersion(w.tree.Version)
	return err == nil && version >= directive.VariableSince(name)
}

// restoresAddress says whether realip is in use: without it its variables may not be there.
func (w *writer) restoresAddress() bool {
	return slices.ContainsFunc(w.facts.Places(), func(p rule.Place) bool { return len(p.Settings.RealIPFrom.Value) > 0 })
}

// accessLog lets a server log what the limits do, beside what it logs already.
func (w *writer) accessLog(s *config.Server) {
	name := w.formatName()
	if name == "" || !w.lacks(s) {
		return
	}
	folder := "/var/log/nginx"
	var list []gonginx.IDirective
	logs := s.Settings.AccessLogs
	own := false
	for _, log := range logs.Value {
		if log.Path == "off" {
			continue
		}
		if log.Directive == nil { // an access_log of the server's own ends nginx's built-in one
			list = append(list, directiveOf("access_log", folder+"/access.log"))
			w.p.note("%s: nothing names an access_log, so that nginx logs where it was built to; an access_log of the server's own would end that, and %s/access.log goes on with it: "+
				"nginx -V tells by --http-log-path whether it is that file", where(s, "the server itself"), folder)
			continue
		}
		if strings.HasPrefix(log.Path, "/") && !strings.Contains(log.Path, "$") && log.Path != "/dev/null" {
			folder = path.Dir(log.Path)
		}
		own = own || logs.At == &s.Level
		if logs.At != &s.Level {
			var words []string
			for _, arg := range log.Directive.Args() {
				words = append(words, log.Directive.WordSpan(arg).Text())
			}
			list = append(list, directiveOf("access_log", words...))
		}
	}
	list = append(list, directiveOf("access_log", folder+"/limits.log", name))
	text := printed(list...)
	w.part(where(s, "the server itself"), text)
	if own {
		last := logs.Value[len(logs.Value)-1].Directive
		w.stage.Edits = append(w.stage.Edits, last.InsertLines(strings.Split(text, "\n")))
		return
	}
	w.openBlock(&s.Level, text)
}

// tellOwnLogs says which limited locations have an access_log of their own, which the server's does not reach.
func (w *writer) tellOwnLogs(s *config.Server) {
	name := w.formatName()
	for i := range w.p.Limits {
		g := w.p.Limits[i].Group
		if name == "" || g.Server != s || g.Location == nil || g.Location.Settings.AccessLogs.At == &s.Level || g.Location.Settings.AccessLogs.At == s.Settings.AccessLogs.At {
			continue
		}
		formats, known := w.facts.Formats(rule.Place{Level: &g.Location.Level, Server: s, Location: g.Location})
		if !known || slices.ContainsFunc(formats, w.tellsAll) {
			continue
		}
		w.p.note("%s has an access_log of its own, which tells less than the dry run is judged by: write access_log ... %s; beside it, and where its lines are copied to",
			where(s, "location "+g.Location.Label()), name)
	}
}
