package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
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
			Kind: DuplicateDirective, Span: it.WordSpan(it.Word(0)), Line: line(it.Directive),
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
	pieces := it.Words()[2:]
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
	for _, w := range pieces {
		if !r.logVariables(it, w, s.level) {
			return
		}
	}
}

// logVariables notes the variables of a piece of a format, which nginx reads by rules of its own: without captures, and
// with other words for what is wrong.
func (r *resolver) logVariables(it Item, w syntax.Word, l *Level) bool {
	for rest := w.Value; ; {
		at := strings.IndexByte(rest, '$')
		if at < 0 {
			return true
		}
		rest = rest[at:]
		name, bracket := strings.CutPrefix(rest[1:], "{")
		n := len(name) - len(strings.TrimLeft(name, wordCharacters))
		switch {
		case name == "" || n == 0 && (!bracket || name[0] == '}'):
			r.refuseWord(it, w, l, InvalidValue, "invalid parameter "+quoted(rest))
			return false
		case bracket && (n == len(name) || name[n] != '}'):
			r.refuseWord(it, w, l, InvalidValue, fmt.Sprintf(`the closing bracket in "%s" variable is missing`, name[:n]))
			return false
		}
		r.use(lower(name[:n]), it, w, l)
		rest = name[n:]
	}
}

// accessLog reads access_log.
func (r *resolver) accessLog(it Item, _ *visit, s *scope) {
	log := &AccessLog{Path: it.Arg(0), Format: "combined", Directive: it.Directive, Via: it.Via}
	switch log.Path {
	case "off":
		if it.NumArgs() > 1 {
			r.badParameter(it, it.Word(1), s.level)
			return
		}
		log.Format = ""
	default:
		if _, ok := r.template(it, it.Word(0), s.level); !ok {
			return
		}
	}
	if it.NumArgs() > 1 {
		f, ok := r.findFormat(it.Arg(1))
		if !ok && !r.partial() {
			r.refuseWord(it, it.Word(1), s.level, InvalidValue, "unknown log format "+quoted(it.Arg(1)))
			return
		}
		log.Format = f
		if !r.logParameters(it, s) {
			return
		}
	}
	appendTo(&s.level.ownAnswers().AccessLogs, it, s.level, log)
}

// logLevels are the levels of error_log, gravest first.
var logLevels = [...]string{"emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"}

// debugLevels are parts of the level debug.
var debugLevels = [...]string{"debug_core", "debug_alloc", "debug_mutex", "debug_event", "debug_http", "debug_mail", "debug_stream"}

// LogLevel returns how talkative a level of error_log is: what is at most as talkative as the log's own level is written
// to it. The second result is false for a word that is no level.
func LogLevel(level string) (int, bool) {
	n := slices.Index(logLevels[:], level)
	return n, n >= 0
}

// errorLog reads error_log, in http and outside.
func (r *resolver) errorLog(it Item, _ *visit, s *scope) {
	log := &ErrorLog{Path: it.Arg(0), Directive: it.Directive, Via: it.Via}
	for _, w := range it.ArgsFrom(1) {
		_, plain := LogLevel(w.Value)
		switch part := slices.Contains(debugLevels[:], w.Value); {
		case plain && log.Level != "":
			r.refuseWord(it, w, s.level, InvalidValue, "duplicate log level "+quoted(w.Value))
			return
		case !plain && !part, part && log.Level != "" && log.Level != debugPart:
			r.refuseWord(it, w, s.level, InvalidValue, "invalid log level "+quoted(w.Value))
			return
		case part:
			log.Level = debugPart
		default:
			log.Level = w.Value
		}
	}
	switch log.Level {
	case "":
		log.Level = "error"
	case debugPart:
		log.Level = "debug"
	}
	if s.level == nil {
		r.errorLogs.Value = append(r.errorLogs.Value, log)
		if r.errorLogs.Origin == nil {
			r.errorLogs.Origin, r.errorLogs.Via = it.Directive, it.Via
		}
		return
	}
	appendTo(&s.level.ownAnswers().ErrorLogs, it, s.level, log)
}

// debugPart stands for parts of debug while a directive is read.
const debugPart = "debug_"

// findFormat returns the name of the format that nginx takes for a name: it does not mind the case of letters.
func (r *resolver) findFormat(name string) (string, bool) {
	if _, ok := r.http.LogFormats[name]; ok {
		return name, true
	}
	for other := range r.http.LogFormats {
		if strings.EqualFold(other, name) {
			return other, true
		}
	}
	return name, false
}

// logParameters looks at what follows the format.
func (r *resolver) logParameters(it Item, s *scope) bool {
	buffered, flushed := false, false
	for _, w := range it.ArgsFrom(2) {
		name, text, _ := strings.Cut(w.Value, "=")
		wrong := ""
		switch {
		case strings.HasPrefix(w.Value, "buffer="):
			if n, ok := parseSize(text); !ok || n == 0 {
				wrong = "invalid buffer size " + quoted(text)
			}
			buffered = true
		case strings.HasPrefix(w.Value, "flush="):
			if !validTime(text, false) || strings.Trim(text, "0ms") == "" {
				wrong = "invalid flush time " + quoted(text)
			}
			flushed = true
		case name == "gzip":
			if n, ok := atoi(text); w.Value != name && (!ok || n < 1 || n > 9) {
				wrong = "invalid compression level " + quoted(text)
			}
			buffered = true
		case strings.HasPrefix(w.Value, "if=") && r.has(it, w):
			condition := w
			condition.Value = text
			if _, ok := r.template(it, condition, s.level); !ok {
				return false
			}
		default:
			return r.badParameter(it, w, s.level)
		}
		if wrong != "" {
			r.refuseWord(it, w, s.level, InvalidValue, wrong)
			return false
		}
	}
	switch {
	case flushed && !buffered:
		r.refuseHead(it, s.level, InvalidValue, "no buffer is defined for access_log "+quoted(it.Arg(0)))
	case buffered && strings.Contains(it.Arg(0), "$"):
		r.refuseHead(it, s.level, InvalidValue, "buffered logs cannot have variables in name")
	case buffered && strings.HasPrefix(it.Arg(0), "syslog:"):
		r.refuseHead(it, s.level, InvalidValue, "logs to syslog cannot be buffered")
	default:
		return true
	}
	return false
}

// Condition returns the parameter by which the log takes some requests only: if=$loggable; "" where it takes all.
func (l *AccessLog) Condition() string {
	if l.Directive == nil {
		return ""
	}
	for _, w := range l.Directive.ArgsFrom(1) {
		if strings.HasPrefix(w.Value, "if=") {
			return w.Value
		}
	}
	return ""
}
