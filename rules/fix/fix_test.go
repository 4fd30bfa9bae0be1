package fix_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/fix"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// each returns a rule that looks at every directive of a name in every level.
func each(name, directive string, look func(item config.Item, f *rule.Finding) bool) *rule.Rule {
	return &rule.Rule{Name: name, Severity: rule.Warning, Confidence: rule.High, Check: func(p *rule.Pass) {
		if p.Tree.HTTP == nil {
			return
		}
		levels := []*config.Level{&p.Tree.HTTP.Level}
		for _, place := range p.Places() {
			levels = append(levels, place.Level)
		}
		for _, l := range levels {
			for _, item := range l.FindAll(directive) {
				f := rule.Of(item, l)
				f.Message = name + " stands here"
				if look(item, &f) {
					p.Report(f)
				}
			}
		}
	}}
}

func replaceWord(item config.Item, i int, text string) *rule.Fix {
	w := item.Word(i)
	return &rule.Fix{Title: "write " + text, Safe: true, Edits: []source.Edit{{Span: item.WordSpan(w), Text: text}}}
}

// The made-up rules: each mends, harms or fails in a way of its own.
var (
	// shorter turns "expires 1d" into "expires 1h".
	shorter = each("shorter", "expires", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "1h")
		return it.Arg(0) == "1d"
	})
	// beside puts a directive behind each expires that has none, at the very place where shorter's edit ends.
	beside = each("beside", "expires", func(it config.Item, f *rule.Finding) bool {
		end := it.LastWord().End
		f.Fix = &rule.Fix{Title: "say modified", Safe: true, Edits: []source.Edit{{Span: source.Span{File: it.File, Start: end, End: end}, Text: " # kept\n"}}}
		return !strings.HasPrefix(it.File.Text[end:], " # kept")
	})
	// breaker leaves a configuration that nginx does not read.
	breaker = each("breaker", "etag", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "on }")
		return it.Arg(0) == "off"
	})
	// stubborn finds the same again after its fix.
	stubborn = each("stubborn", "aio", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "on")
		return true
	})
	// swap and back undo each other.
	swap = each("swap", "sendfile", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "off")
		return it.Arg(0) == "on"
	})
	back = each("back", "sendfile", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "on")
		return it.Arg(0) == "off"
	})
	// unsafe changes answers.
	unsafe = each("unsafe", "root", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "/b")
		f.Fix.Safe = false
		return it.Arg(0) == "/a"
	})
	// torn has edits that overlap.
	torn = each("torn", "alias", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "/b")
		f.Fix.Edits = append(f.Fix.Edits, f.Fix.Edits[0])
		return it.Arg(0) == "/a"
	})
)

// reader reads one text as standard input.
func reader(t *testing.T, rules []*rule.Rule) func(text string) (fix.Reading, error) {
	t.Helper()
	return func(text string) (fix.Reading, error) {
		inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text), Texts: map[string]string{}})
		if err != nil {
			return fix.Reading{}, err
		}
		var r fix.Reading
		for _, in := range inputs {
			tree := config.Resolve(in, config.Options{})
			r.Trees = append(r.Trees, tree)
			r.Results = append(r.Results, run.All(rules, tree, run.Options{}))
		}
		return r, nil
	}
}

// mended runs the fixes of rules on a text, and tells the text and what was left.
func mended(t *testing.T, text string, rules []*rule.Rule, unsafe bool) (string, fix.Outcome) {
	t.Helper()
	read := reader(t, rules)
	first, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	done, err := fix.Run(first, fix.Options{Unsafe: unsafe, Read: func(texts fix.Texts) (fix.Reading, error) { return read(texts[fix.Stdin]) }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range done.Changes {
		c := &done.Changes[i]
		if _, err := c.Diff("a", "b"); err != nil {
			t.Error(err)
		}
		text = strings.Replace(text, c.File.Text, c.New, 1)
	}
	return text, done
}

func server(body string) string { return "events {}\nhttp {\nserver {\n" + body + "}\n}\n" }

func TestRun(t *testing.T) {
	tests := []struct {
		name, body, want string
		unsafe           bool
		rules            []*rule.Rule
		fixed, held      int
		left             []string
	}{
		{"nothing to do", "expires 1h;\n", "expires 1h;\n", false, []*rule.Rule{shorter}, 0, 0, nil},
		{"spacing and comments stay", "\texpires   1d  ; # a day\r\n", "\texpires   1h  ; # a day\r\n", false, []*rule.Rule{shorter}, 1, 0, nil},
		{"many at once", "expires 1d; location / { expires 1d; location /a { expires 1d; } }\n", "expires 1h; location / { expires 1h; location /a { expires 1h; } }\n", false, []*rule.Rule{shorter}, 3, 0, nil},
		{"fixes that touch take turns", "expires 1d;\n", "expires 1h # kept\n;\n", false, []*rule.Rule{shorter, beside}, 2, 0, nil},
		{"what nginx would not read is dropped", "expires 1d; etag off;\n", "expires 1h; etag off;\n", false, []*rule.Rule{shorter, breaker}, 1, 0, []string{"breaker: nginx would say"}},
		{"so is what mends nothing", "aio off; expires 1d;\n", "aio off; expires 1h;\n", false, []*rule.Rule{shorter, stubborn}, 1, 0, []string{"stubborn: the finding would still be there"}},
		{"and what brings something new", "sendfile on;\n", "sendfile on;\n", false, []*rule.Rule{swap, back}, 0, 0, []string{"swap: it would bring back at line 4"}},
		{"an unsafe fix is not made", "root /a; expires 1d;\n", "root /a; expires 1h;\n", false, []*rule.Rule{shorter, unsafe}, 1, 1, nil},
		{"unless it is asked for", "root /a; expires 1d;\n", "root /b; expires 1h;\n", true, []*rule.Rule{shorter, unsafe}, 2, 0, nil},
		{"overlapping edits are no fix", "location / { alias /a; }\n", "location / { alias /a; }\n", false, []*rule.Rule{torn}, 0, 0, []string{"torn: its own edits overlap"}},
		{
			"one bad fix among many", "location /x { expires 1d; }\nlocation /e { etag off; }\nlocation /y { expires 1d; }\n",
			"location /x { expires 1h; }\nlocation /e { etag off; }\nlocation /y { expires 1h; }\n", false,
			[]*rule.Rule{shorter, breaker},
			2, 0,
			[]string{"breaker: nginx would say"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, done := mended(t, server(tt.body), tt.rules, tt.unsafe)
			if diff := cmp.Diff(server(tt.want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(done.Fixed) != tt.fixed || done.Held != tt.held {
				t.Errorf("%d fixed, %d held", len(done.Fixed), done.Held)
			}
			var left []string
			for _, l := range done.Left {
				left = append(left, l.Finding.Rule.Name+": "+l.Why)
			}
			if len(left) != len(tt.left) {
				t.Fatalf("left: %q, want %q", left, tt.left)
			}
			for i := range left {
				if !strings.HasPrefix(left[i], tt.left[i]) {
					t.Errorf("left: %q, want %q", left[i], tt.left[i])
				}
			}
			again, done := mended(t, got, tt.rules, tt.unsafe)
			if again != got || len(done.Fixed) > 0 {
				t.Errorf("a second run changes:\n%s", cmp.Diff(got, again))
			}
		})
	}
}

// A suppression comment that a fix makes idle goes in the next round.
func TestIdleComment(t *testing.T) {
	about := &rule.Rule{Name: rule.Suppression, Severity: rule.Warning, Confidence: rule.High}
	note := each("note", "expires", func(it config.Item, _ *rule.Finding) bool { return it.Arg(0) == "1d" })
	text := server("# ngxlimit:ignore note, other we know\n# ngxlimit:ignore note we know\nexpires 1d;\n")
	other := each("other", "expires", func(config.Item, *rule.Finding) bool { return false })
	got, done := mended(t, text, []*rule.Rule{about, note, other, shorter}, false)
	if want := server("expires 1h;\n"); got != want || len(done.Left) > 0 {
		t.Errorf("left %v, -want +got:\n%s", done.Left, cmp.Diff(want, got))
	}
}

// In a dump each file has its own change, and the markers stay.
func TestDump(t *testing.T) {
	head := "# configuration file /etc/nginx/nginx.conf:\n"
	tail := "\n# configuration file /etc/nginx/a.conf:\n"
	text := head + "events {}\nhttp {\ninclude a.conf;\nexpires 1d;\n}\n" + tail + "server { expires 1d; }\n\n"
	got, done := mended(t, text, []*rule.Rule{shorter}, false)
	if got != strings.ReplaceAll(text, "1d", "1h") || len(done.Changes) != 2 || !done.Changes[1].Carried() || !done.Fixed[0].Carried {
		t.Errorf("%d changes:\n%s", len(done.Changes), cmp.Diff(text, got))
	}
	if n := len(done.Results[0].Findings); n != 2 {
		t.Errorf("%d findings are left of what a dump carries, which is not changed", n)
	}
}

// A chain of fixes ends at a bound.
func TestBound(t *testing.T) {
	endless := &rule.Rule{Name: "endless", Severity: rule.Note, Confidence: rule.High, Check: func(p *rule.Pass) {
		d := p.Tree.HTTP.Directive
		end := d.Block.Close
		f := rule.Finding{Message: "grows", Primary: source.Span{File: d.File, Start: end, End: end + 1}}
		f.Fix = &rule.Fix{Title: "grow", Safe: true, Edits: []source.Edit{{Span: source.Span{File: d.File, Start: end, End: end}, Text: "#\n"}}}
		f.Primary.Start -= uint32(strings.Count(d.File.Text, "#")) // another place each time
		p.Report(f)
	}}
	_, done := mended(t, server("expires 1d;\n"), []*rule.Rule{endless}, false)
	if len(done.Fixed) > 25 {
		t.Errorf("%d fixes were made", len(done.Fixed))
	}
	if len(done.Left) != 1 {
		t.Errorf("left: %v", done.Left)
	}
}

func TestReadFails(t *testing.T) {
	first, err := reader(t, []*rule.Rule{shorter})(server("expires 1d;\n"))
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	_, err = fix.Run(first, fix.Options{Read: func(fix.Texts) (fix.Reading, error) { return fix.Reading{}, gone }})
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// Very many fixes are made in few readings.
func TestManyFixes(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "location /%d { expires 1d; }\n", i)
	}
	b.WriteString("etag off;\n")
	readings := 0
	read := reader(t, []*rule.Rule{shorter, breaker})
	first, err := read(server(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	done, err := fix.Run(first, fix.Options{Read: func(texts fix.Texts) (fix.Reading, error) {
		readings++
		return read(texts[fix.Stdin])
	}})
	if err != nil || len(done.Fixed) != 5000 || len(done.Left) != 1 {
		t.Errorf("%d fixed, left %v, %v", len(done.Fixed), done.Left, err)
	}
	if readings > 40 {
		t.Errorf("%d readings", readings)
	}
}

// remover takes each "expires max" away; quoter repeats the server's expires in each location that has none.
var (
	remover = each("remover", "expires", func(it config.Item, f *rule.Finding) bool {
		f.Fix = &rule.Fix{Title: "remove it", Safe: true, Edits: []source.Edit{rule.RemoveDirective(it.Directive)}}
		return it.Arg(0) == "max"
	})
	quoter = &rule.Rule{Name: "quoter", Severity: rule.Warning, Confidence: rule.High, Check: func(p *rule.Pass) {
		for _, place := range p.Places() {
			if place.Parent == nil || len(place.FindAll("expires")) > 0 || len(place.Parent.FindAll("expires")) == 0 {
				continue
			}
			around, own := place.Parent.FindAll("expires")[0], place.FindAll("etag")[0]
			f := rule.Of(own, place.Level)
			f.Message = "nothing is said here"
			edit := rule.InsertBefore(own.Directive, around.Head().Text()+";")
			f.Fix = &rule.Fix{Title: "repeat it", Safe: true, Edits: []source.Edit{edit}, Quotes: []source.Span{around.Head()}}
			p.Report(f)
		}
	}}
)

// A fix that repeats what another one changes waits for what it becomes, be it wider by a word at its very end.
func TestQuotes(t *testing.T) {
	only := each("only", "expires", func(it config.Item, f *rule.Finding) bool {
		f.Fix = &rule.Fix{Title: "say modified", Safe: true, Edits: []source.Edit{rule.AppendWord(it.Directive, "1h")}}
		return it.Arg(0) == "modified" && it.Arg(1) == "" && it.File.Position(it.Name().Start).Line == 4
	})
	text := server("expires modified;\nlocation /a {\netag on;\n}\n")
	got, done := mended(t, text, []*rule.Rule{only, quoter}, false)
	want := server("expires modified 1h;\nlocation /a {\nexpires modified 1h;\netag on;\n}\n")
	if got != want || len(done.Left) > 0 {
		t.Errorf("left %v, -want +got:\n%s", done.Left, cmp.Diff(want, got))
	}
}

// Unsafe fixes are made on what safe ones have left: with both in one run it is as with one after the other.
func TestSafeFirst(t *testing.T) {
	wild := each("eager", "expires", func(it config.Item, f *rule.Finding) bool {
		f.Fix = replaceWord(it, 0, "7d")
		f.Fix.Safe = false
		return it.Arg(0) == "1d"
	})
	text := server("location / { expires 1d; }\n")
	once, _ := mended(t, text, []*rule.Rule{wild, shorter}, true)
	first, _ := mended(t, text, []*rule.Rule{wild, shorter}, false)
	if second, _ := mended(t, first, []*rule.Rule{wild, shorter}, true); once != second {
		t.Errorf("-two runs +one:\n%s", cmp.Diff(second, once))
	}
}

// A suppression goes with the directive that it stands behind or right before; else a fix after which it would hide what
// it did not is dropped.
func TestSuppressionOfRemoved(t *testing.T) {
	note := each("note", "expires", func(it config.Item, _ *rule.Finding) bool { return it.Arg(0) != "1h" })
	tests := []struct{ name, body, want string }{
		{"behind", "\texpires max; # ngxlimit:ignore note we know\n\tlocation / { expires 1d; }\n", "\tlocation / { expires 1d; }\n"},
		{"behind, with carriage returns", "expires max; # ngxlimit:ignore note we know\r\nlocation / { expires 1d; }\r\n", "location / { expires 1d; }\r\n"},
		{"before", "# why\n# ngxlimit:ignore note we know\n  #ngxlimit:ignore other we know\n  expires max;\nlocation / { expires 1d; }\n", "# why\nlocation / { expires 1d; }\n"},
		{"another comment", "expires max; # ngxlimit:ignored\nlocation / { expires 1d; }\n", "# ngxlimit:ignored\nlocation / { expires 1d; }\n"},
		{"with others on the line", "etag on; expires max; # ngxlimit:ignore note we know\nlocation / { expires 1d; }\n", "etag on; # ngxlimit:ignore note we know\nlocation / { expires 1d; }\n"},
		{"a comment between", "# ngxlimit:ignore note we know\n# why\nexpires max;\nlocation / { expires 1d; }\n", ""},
		{"a comment behind", "# ngxlimit:ignore note we know\nexpires max; # why\nlocation / { expires 1d; }\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, done := mended(t, server(tt.body), []*rule.Rule{remover, note}, false)
			want := server(tt.want)
			if tt.want == "" {
				want = server(tt.body)
				if len(done.Left) != 1 || !strings.HasPrefix(done.Left[0].Why, "a comment would hold back note at line ") {
					t.Errorf("left %v", done.Left)
				}
			}
			if got != want {
				t.Errorf("-want +got:\n%s", cmp.Diff(want, got))
			}
		})
	}
}
