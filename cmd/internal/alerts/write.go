package alerts

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode"
)

// Forms are the names of what Write writes, and what each is; whether it says over what time is counted (Options.Window), and
// what shares are told of (Options.RefusedShare, Options.DelayedShare).
var Forms = []struct {
	Name, What       string
	Windowed, Shares bool
}{
	{"mtail-rules", "Prometheus rules for the counters of the mtail program, zone by zone", true, true},
	{"mtail", "a program for mtail that reads the access log and the error log", false, false},
	{"nginxlog-rules", "Prometheus rules for prometheus-nginxlog-exporter", true, true},
	{"nginxlog", "the settings of prometheus-nginxlog-exporter that those rules need", false, false},
	{"awk", "a shell script with awk for cron, which prints only what is amiss", false, true},
}

// IsScript says whether a form is a program that is run as it is.
func IsScript(form string) bool { return form == "awk" }

//go:embed forms/*
var files embed.FS

var forms = template.Must(template.New("").Funcs(template.FuncMap{
	"prom":      strconv.Quote,
	"yaml":      quoted,
	"comment":   comment,
	"window":    window,
	"counted":   counted,
	"few":       func() int { return few },
	"share":     share,
	"percent":   percent,
	"statuses":  statuses,
	"shell":     shell,
	"cron":      func(s string) string { return strings.ReplaceAll(shell(s), "%", `\%`) }, // cron ends a command at a bare one
	"awk":       awkText,
	"awkFields": awkFields,
}).ParseFS(files, "forms/*"))

// Write writes one form of a plan.
func (p *Plan) Write(w io.Writer, form string) error {
	if err := p.readable(form); err != nil {
		return err
	}
	return forms.ExecuteTemplate(w, form+".tmpl", p)
}

// readable refuses forms that would read a log that cannot be told apart, or that holds nothing.
func (p *Plan) readable(form string) error {
	if strings.HasPrefix(form, "nginxlog") && p.Log == nil {
		return fmt.Errorf("prometheus-nginxlog-exporter reads access logs, and no limited location has one that is known")
	}
	if strings.HasPrefix(form, "nginxlog") && !p.Has(limitReqStatus) && !p.Has(requestTime) {
		return fmt.Errorf("log format %s has neither $%s nor $%s: there is nothing in it to watch", p.Log.Format.Name, limitReqStatus, requestTime)
	}
	if p.Log == nil || form == "nginxlog-rules" || form == "mtail-rules" {
		return nil
	}
	for i, x := range p.Watched() {
		if i > 0 && x.variable != "" && p.log()[i-1].variable != "" {
			return fmt.Errorf("log format %s: nothing stands between $%s and $%s: no reader can tell them apart", p.Log.Format.Name, p.log()[i-1].variable, x.variable)
		}
	}
	const longest = 1024 // mtail's bound for one pattern
	if n := len(p.Pattern()); form == "mtail" && n > longest {
		return fmt.Errorf("log format %s makes a pattern of %d bytes, and mtail takes %d: let the watched variables stand further ahead", p.Log.Format.Name, n, longest)
	}
	return nil
}

func (p *Plan) log() []piece { return p.Log.pieces }

// Watched are the pieces of the log that have to be read; nil where it holds nothing of use.
func (p *Plan) Watched() []piece {
	if p.Log == nil {
		return nil
	}
	return cut(p.log(), limitReqStatus, requestTime, upstreamTime)
}

// Timed says whether the log tells how long a request took and how long its upstream.
func (p *Plan) Timed() bool { return p.Has(requestTime) && p.Has(upstreamTime) }

func percent(f float64) string { return strconv.FormatFloat(100*f, 'g', -1, 64) + " %" }

// Pattern is a regular expression for the pieces that are read, with a group for each variable that is watched.
func (p *Plan) Pattern() string {
	pieces := p.Watched()
	var b strings.Builder
	b.WriteString("^")
	for i, x := range pieces {
		if x.variable == "" {
			b.WriteString(patternText(x.text))
			continue
		}
		inner := `.*`
		if i+1 < len(pieces) {
			inner = p.until(pieces[i+1].text[0])
		}
		switch x.variable {
		case limitReqStatus, upstreamTime:
			inner = "(?P<" + x.variable + ">" + inner + ")"
		case requestTime:
			inner = "(?P<" + x.variable + `>\d+\.\d+)`
		}
		b.WriteString(inner)
	}
	return b.String()
}

// patternText is a text within a pattern between slashes, on one line whatever the text holds.
func patternText(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(regexp.QuoteMeta(s), "/", `\/`) {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\x{%x}`, r)
		}
	}
	return b.String()
}

// until is what a variable may hold before the byte that ends it. Within JSON, nginx escapes the byte where it is the value's own.
func (p *Plan) until(end byte) string {
	if end == '"' && p.Log.Format.Escape == "json" {
		return `(?:[^"\\]|\\.)*`
	}
	return "[^" + classByte(end) + "]*"
}

// classByte writes a byte within the brackets of a class.
func classByte(c byte) string {
	if c == '\\' || c == ']' || c == '^' || c == '-' || c == '/' {
		return `\` + string(c)
	}
	if c < ' ' || c >= 0x7f {
		return fmt.Sprintf(`\x%02x`, c)
	}
	return string(c)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shell writes a text as one word of the shell: a line of a comment may be copied and run.
func shell(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// awkText writes a text as a string of awk within single quotes of the shell.
func awkText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '\'' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

func watchedVariable(name string) bool {
	return name == limitReqStatus || name == requestTime || name == upstreamTime
}

// awkFields are the steps that read the pieces of a line one behind the other.
func awkFields(pieces []piece) []string {
	var out []string
	for i, x := range pieces {
		switch {
		case x.variable == "" && i == 0:
			out = append(out, "next_text("+awkText(x.text)+")")
		case x.variable == "":
		case i+1 < len(pieces) && !watchedVariable(x.variable): // its name may be a word of awk, or of the script
			out = append(out, "next_text("+awkText(pieces[i+1].text)+")")
		case i+1 < len(pieces):
			out = append(out, x.variable+" = next_text("+awkText(pieces[i+1].text)+")")
		case watchedVariable(x.variable):
			out = append(out, x.variable+" = rest")
		}
	}
	return out
}

// window writes a duration as Prometheus does: its longest unit that leaves no rest.
func window(d time.Duration) string {
	for _, u := range [...]struct {
		name string
		of   time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if d%u.of == 0 {
			return strconv.FormatInt(int64(d/u.of), 10) + u.name
		}
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}

func share(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func statuses(list []int) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = strconv.Itoa(s)
	}
	return strings.Join(texts, " or ")
}

// quoted writes a text as YAML: JSON's double quotes are among YAML's. Prometheus takes {{ in annotations for a template.
func quoted(format string, args ...any) (string, error) {
	text := fmt.Sprintf(format, args...)
	for strings.Contains(text, "{{") { // of three, the last two are left by the first turn
		text = strings.ReplaceAll(text, "{{", "{ {")
	}
	b, err := json.Marshal(text)
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String(), err
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
