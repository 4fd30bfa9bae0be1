package syntax

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A judge asks the installed nginx about texts.
type judge struct {
	t            *testing.T
	prefix, path string
	kinds        map[string]int
}

func newJudge(t *testing.T) *judge {
	nginxtest.Binary(t)
	prefix := t.TempDir()
	return &judge{t: t, prefix: prefix, path: filepath.Join(prefix, "a.conf"), kinds: map[string]int{}}
}

// grammarMessage is how nginx and its Lua module begin what they say of the grammar.
var grammarMessage = regexp.MustCompile(`(?s)^(unexpected "."$|unexpected end of file, expecting|too long parameter|too long lua code block|Lua code block missing)`)

// readAll is what nginx says when it has read everything: of what is missing, and of files and addresses of the machine.
var readAll = regexp.MustCompile(`(no "events" section in configuration|: (open|mkdir|chown|bind)\()`)

// ask returns nginx's first refusal: its words, and the line that it names. The line is 0 where nginx names none: when
// it has read everything (no words), or at the end of the http block (some).
func (j *judge) ask(text string) (message string, line int) {
	j.t.Helper()
	if err := os.WriteFile(j.path, []byte(text), 0o600); err != nil {
		j.t.Fatal(err)
	}
	output := nginxtest.Check(j.t, j.prefix, j.path).Output
	m := regexp.MustCompile(`(?s)\[emerg\] \d+#\d+: (.*?) in ` + regexp.QuoteMeta(j.path) + `:(\d+)\n`).FindStringSubmatch(output)
	if m == nil {
		_, message, _ = strings.Cut(output, "[emerg] ")
		if readAll.MatchString(message) {
			message = ""
		}
		return message, 0
	}
	line, err := strconv.Atoi(m[2])
	if err != nil {
		j.t.Fatal(err)
	}
	return m[1], line
}

// judge compares one text, and says what is different.
func (j *judge) judge(text string) (difference string) {
	doc := Parse(&source.File{Path: "a.conf", Text: text})
	message, line := j.ask(text)
	own := Error{Line: doc.File.Lines() + 1}
	if !doc.Complete() {
		own = doc.Errors[0]
	}
	switch {
	case message == "":
		j.kinds["accepted"]++
		if !doc.Complete() {
			return fmt.Sprintf("nginx reads it; own line %d: %s", own.Line, own.Text)
		}
	case message == `unexpected "{"` && inEntries(doc, line):
		j.kinds["block among entries"]++
	case grammarMessage.MatchString(message):
		j.kinds["refused for grammar"]++
		if own.Text != message || own.Line != line {
			return fmt.Sprintf("nginx line %d: %s; own line %d: %s", line, message, own.Line, own.Text)
		}
	default:
		j.kinds["refused before the end"]++
		if own.Line < line {
			return fmt.Sprintf("nginx gets to line %d: %s; own line %d: %s", line, message, own.Line, own.Text)
		}
	}
	return ""
}

// inEntries reports whether a block opens on the line inside a block of entries, which nginx refuses for the sake of the
// outer directive: the grammar alone does not know it.
func inEntries(doc *Document, line int) bool {
	var in func(directives []Directive, entries bool) bool
	in = func(directives []Directive, entries bool) bool {
		for i := range directives {
			d := &directives[i]
			if d.Block == nil {
				continue
			}
			if entries && doc.File.Position(d.Block.Open).Line == line {
				return true
			}
			switch d.Name().Value {
			case "types", "map", "geo", "split_clients", "charset_map":
				entries = true
			}
			if in(d.Block.Directives, entries) {
				return true
			}
		}
		return false
	}
	return in(doc.Directives, false)
}

func TestGrammarByNginx(t *testing.T) {
	j := newJudge(t)
	cases := slices.Concat(grammarCases, refusedCases)
	for _, c := range cases {
		if d := j.judge(c.text); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	t.Logf("%v", j.kinds)
	if weak := j.kinds["refused before the end"]; weak > len(cases)/10 {
		t.Errorf("%d texts are refused before nginx gets to their grammar", weak)
	}
}

// liveTexts are what mutations start from: every way to write a word or a block, in what nginx accepts.
var liveTexts = []string{
	"env a;\nevents {\n    worker_connections 64;\n}\nhttp {\n    server {\n        listen 127.0.0.1:18080;\n        server_name a.example \"b.example\" 'c.example';\n" +
		"        location ~ \"^/(\\d{3})/.*\\.php$\" { return 403; }\n        location = / {\n            if ($args ~* \"a|b\") {\n                return 204;\n            }\n" +
		"            add_header X-A \"${uri}: \\\"$args\\\"\";  # a comment; with { signs }\n            return 200 'it is';\n        }\n    }\n}\n",
	"# first\nevents {}\nhttp {\n    map $http_user_agent $bot {\n        default 0;\n        ~*bot 1;\n        \"~a b\" '2';\n        \\default 3;\n    }\n" +
		"    geo $office { default 0; 10.0.0.0/8 1; }\n    limit_req_zone $binary_remote_addr$bot zone=a:1m rate=1r/s;\n    types { text/html html htm; }\n" +
		"    log_format main '$remote_addr - \"$request\" '\n                    '\"$http_referer\"';\n    server {\n        listen 127.0.0.1:18081;\n        location / { limit_req zone=a burst=5; }\n    }\n}\n",
	"events{}http{types{a b;c d;\"e f\" 'g' h\\ i ${j} k#l;#m\n}server{listen 127.0.0.1:18082;set $x \"a\\tb\\\\\";if ($x = \"}\"){return 403;}location /a{}\r\nlocation /b\r\n{\r\n}}}",
	"http { types {\n    a b;\n    c \"d e\" 'f;g' # h\n        i\\ j;\n    \\;k l${m}n;\n    \"o\\\"p\" 'q\\'r';\n    s#t u;\n" +
		"}\ntypes { $v \"${w\" 'x\ny'; \"\" ''; z\\\\ \"\\\\\"; }\n}\n",
}

// liveTokens are what mutations put in.
var liveTokens = []string{
	"{", "}", ";", "\"", "'", "\\", "$", "#", "\n", " ", "\r", "\t", "${", ")", "(", "\\\"", "\"\"", ";;", "}}", "{}", "''", "\x00", "\xff", "env b;", "\n#", "a",
	" \"b\" ", "types { c d; }", "\\\n", "\ufeff", strings.Repeat("e", 4090), "# " + strings.Repeat("f", 4090) + "\n", "\"" + strings.Repeat("g", 4090), "env " + strings.Repeat("h", 4085) + ";",
}

func mutate(random *rand.Rand, text string) string {
	for range 1 + random.IntN(3) {
		at := random.IntN(len(text) + 1)
		to := min(len(text), at+1+random.IntN(3))
		token := liveTokens[random.IntN(len(liveTokens))]
		switch random.IntN(6) {
		case 0:
			text = text[:at] + text[to:]
		case 1:
			text = text[:at] + text[at:to] + text[at:]
		case 2:
			text = text[:at] + token + text[to:]
		case 3:
			if random.IntN(4) == 0 {
				text = text[:at]
			}
		default:
			text = text[:at] + token + text[at:]
		}
	}
	return text
}

// TestMutationsByNginx changes accepted texts at random and asks nginx whether, and at which line, it refuses the result.
func TestMutationsByNginx(t *testing.T) {
	j := newJudge(t)
	n, random := nginxtest.Cases(t, 60), nginxtest.Random(t)
	differences := 0
	for range n {
		text := mutate(random, liveTexts[random.IntN(len(liveTexts))])
		if d := j.judge(text); d != "" {
			t.Errorf("%s\n%q", d, text)
			if differences++; differences == 10 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%v", j.kinds)
}

// TestWordsByNginx lets nginx say what it reads: it repeats the name of a directive that it does not know.
func TestWordsByNginx(t *testing.T) {
	j := newJudge(t)
	n, random := nginxtest.Cases(t, 40), nginxtest.Random(t)
	pieces := []string{"a", "b c", "\\", "\"", "'", "\\\\", "\\\"", "\\n", "\\t", "\\r", "\\x", "$", "${", "{", "}", "#", ")", "\t", "\n", "\xc3\xa9", "\xff", "\\;", "\\ "}
	compared := 0
	for range n {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		word := b.String()
		if quote := []string{"", "'", "\""}[random.IntN(3)]; quote != "" {
			word = quote + word + quote
		}
		text := "x" + word + ";"
		if random.IntN(2) == 0 {
			text = word + ";"
		}
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		if !doc.Complete() || len(doc.Directives) == 0 {
			if d := j.judge(text); d != "" {
				t.Errorf("%s\n%q", d, text)
			}
			continue
		}
		compared++
		name := doc.Directives[0].Name()
		want := `unknown directive "` + name.Value + `"`
		message, _ := j.ask(text)
		if message != want {
			t.Errorf("nginx: %s; own name %q\n%q", message, name.Value, text)
		}
	}
	t.Logf("%d names compared", compared)
}
