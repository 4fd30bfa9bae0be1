package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Formats returns the log formats in which requests to a place are logged, and whether that is all there is to say: code of
// a script may log as well. There is none where logging is off.
func (f *Facts) Formats(p Place) (formats []*config.LogFormat, known bool) {
	for _, name := range [...]string{"log_by_lua", "log_by_lua_block", "log_by_lua_file"} {
		if _, ok := p.Effective(name); ok {
			return nil, false
		}
	}
	for _, log := range p.Settings.AccessLogs.Value {
		if log.Path == "off" || log.Path == "/dev/null" {
			continue
		}
		format := f.Tree.HTTP.LogFormats[log.Format]
		if format == nil {
			return nil, false
		}
		formats = append(formats, format)
	}
	return formats, true
}

// Logs says whether one of the formats holds a variable; the name comes without "$", in lower case.
func (f *Facts) Logs(formats []*config.LogFormat, name string) bool {
	return slices.ContainsFunc(formats, func(format *config.LogFormat) bool { return f.logged(format)[name] })
}

var loggedVariable = regexp.MustCompile(`\$\{?([A-Za-z0-9_]+)`)

// logged returns the variables of a log format, which is looked at once.
func (f *Facts) logged(format *config.LogFormat) map[string]bool {
	if known, ok := f.formats.Load(format); ok {
		return known.(map[string]bool) //nolint:errcheck // nothing else is stored
	}
	names := make(map[string]bool)
	for _, m := range loggedVariable.FindAllStringSubmatch(format.Text, -1) {
		names[strings.ToLower(m[1])] = true
	}
	f.formats.Store(format, names)
	return names
}

// AtFormat starts a finding about a log format: at its name, or, where it is nginx's own, at the access_log that names it,
// or, where none is written, at the limit. Nginx's own is what the finding is about, wherever it shows first.
func AtFormat(format *config.LogFormat, r *Refusing, p Place) Finding {
	if d := format.Directive; d != nil {
		f := Finding{Primary: d.WordSpan(d.Word(0)), Subject: d, Via: format.Via, Context: []string{"http"}}
		f.Related = []Label{{Span: r.Limit.Head(), Message: "a limit whose requests are logged so"}}
		return f
	}
	f := Of(r.Limit, r.At)
	if logs := p.Settings.AccessLogs; logs.Origin != nil {
		for _, log := range logs.Value {
			if log.Format == format.Name && log.Directive != nil {
				f = Of(config.Item{Directive: log.Directive, Via: log.Via}, logs.At)
				break
			}
		}
	}
	f.About = "log_format " + format.Name
	return f
}
