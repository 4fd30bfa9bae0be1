package config

import (
	"fmt"
	"strings"
)

// combined is the log format that nginx has by itself.
var combined = &LogFormat{
	Name:   "combined",
	Text:   `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`,
	Escape: "default",
}

// logFormat reads log_format.
func (r *resolver) logFormat(it Item, _ *visit, s *scope) {
	name := it.Arg(0)
	if earlier, ok := r.http.LogFormats[name]; ok {
		out := Refusal{
			Kind: DuplicateDirective, Span: it.WordSpan(it.Args[0]), Line: line(it.Directive),
			Text: fmt.Sprintf(`duplicate "log_format" name "%s"`, name),
		}
		if earlier.Directive != nil {
			span := earlier.Directive.Head()
			out.Related = &span
		}
		r.refuse(s.level, out)
		return
	}
	f := &LogFormat{Name: name, Escape: "default", Directive: it.Directive, Via: it.Via}
	r.http.LogFormats[name] = f
	pieces := it.Args[1:]
	if escape, ok := strings.CutPrefix(pieces[0].Value, "escape="); ok && r.has(it, pieces[0]) {
		if escape != "default" && escape != "json" && escape != "none" {
			r.refuseWord(it, pieces[0], s.level, InvalidValue, "unknown log format escaping "+quoted(escape))
			return
		}
		f.Escape, pieces = escape, pieces[1:]
	}
	var b strings.Builder
	for _, w := range pieces {
		b.WriteString(w.Value)
	}
	f.Text = b.String()
}

// accessLog reads access_log.
func (r *resolver) accessLog(it Item, _ *visit, s *scope) {
	log := &AccessLog{Path: it.Arg(0), Directive: it.Directive, Via: it.Via}
	switch {
	case log.Path == "off":
		if len(it.Args) > 1 {
			r.badParameter(it, it.Args[1], s.level)
			return
		}
	case len(it.Args) > 1:
		log.Format = it.Arg(1)
		if _, ok := r.http.LogFormats[log.Format]; !ok && !r.partial() {
			r.refuseWord(it, it.Args[1], s.level, InvalidValue, "unknown log format "+quoted(log.Format))
			return
		}
	default:
		log.Format = "combined"
	}
	appendTo(&s.level.own().AccessLogs, it, s.level, log)
}

// errorPage reads error_page.
func (r *resolver) errorPage(it Item, _ *visit, s *scope) {
	page := &ErrorPage{Target: it.Args[len(it.Args)-1].Value, Directive: it.Directive, Via: it.Via}
	codes := it.Args[:len(it.Args)-1]
	if w := codes[len(codes)-1]; strings.HasPrefix(w.Value, "=") {
		answer, ok := atoi(w.Value[1:])
		if len(codes) == 1 || w.Value != "=" && !ok {
			r.refuseWord(it, w, s.level, InvalidValue, "invalid value "+quoted(w.Value))
			return
		}
		page.Answer = int(answer)
		if w.Value == "=" {
			page.Answer = -1
		}
		codes = codes[:len(codes)-1]
	}
	for _, w := range codes {
		n, ok := atoi(w.Value)
		switch {
		case !ok || n == 499:
			r.refuseWord(it, w, s.level, InvalidValue, "invalid value "+quoted(w.Value))
			return
		case n < 300 || n > 599:
			r.refuseWord(it, w, s.level, InvalidValue, fmt.Sprintf(`value "%s" must be between 300 and 599`, w.Value))
			return
		}
		page.Codes = append(page.Codes, int(n))
	}
	appendTo(&s.level.own().ErrorPages, it, s.level, page)
}
