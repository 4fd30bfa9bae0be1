package replay

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// partOf replays the logs of one nginx each, and takes the part through its file.
func partOf(t testing.TB, conf string, sources ...Source) *Part {
	t.Helper()
	tree := treeOf(t, conf)
	p, err := RunPart(tree, route.New(tree), sources, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Head.Tool, p.Head.Config = "1", "c"
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := ReadPart(&b, "part")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func hostLog(t testing.TB, nginx string, n int) Source {
	s := sourceOf(t, nginx+".log", lines(logOf(treeOf(t, limited), crowd(n), 0)), accesslog.JSON)
	s.Nginx = nginx
	return s
}

func TestParts(t *testing.T) {
	one := run(t, limited, Options{}, hostLog(t, "a", 900), hostLog(t, "b", 2000), hostLog(t, "c", 300))
	a, bc := partOf(t, limited, hostLog(t, "a", 900)), partOf(t, limited, hostLog(t, "c", 300), hostLog(t, "b", 2000))
	for _, parts := range [][]Named{{{"a", a}, {"bc", bc}}, {{"bc", bc}, {"a", a}}} {
		r, _, err := Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON(t, one), asJSON(t, r)); diff != "" {
			t.Error(diff)
		}
	}
}

// Which of two lines of one time goes first is a matter of their logs, and not of what else is read.
func TestTiesOfOneHost(t *testing.T) {
	line := func(ms int64, client, limit string) string {
		return fmt.Sprintf(`{"msec":%d.%03d,"ip":"%s","request":"GET /api/x HTTP/1.1","status":200,"rt":0,"limit":"%s"}`+"\n", (start+ms)/1000, (start+ms)%1000, client, limit)
	}
	source := func(nginx, name, text string) Source {
		s := sourceOf(t, name, text, accesslog.JSON)
		s.Nginx, s.First = nginx, start
		return s
	}
	a := source("h", "a", line(5, "203.0.113.1", "")+line(10, "203.0.113.1", ""))
	b := source("h", "b", line(6, "203.0.113.1", "")+line(10, "203.0.113.2", "")+line(10, "203.0.113.3", ""))
	foreign := source("g", "c", line(6, "203.0.113.1", "")+line(7, "203.0.113.1", ""))
	order := func(sources ...Source) string {
		var clients []string
		run(t, limited, Options{Visit: func(v *Visit) {
			if v.Nginx == "h" {
				clients = append(clients, v.Client.String())
			}
		}}, sources...)
		return strings.Join(clients, " ")
	}
	if alone, beside := order(a, b), order(a, b, foreign); alone != beside {
		t.Errorf("alone %s, beside another nginx %s", alone, beside)
	}
}

func TestPartsRefused(t *testing.T) {
	a, b := partOf(t, limited, hostLog(t, "a", 30)), partOf(t, limited, hostLog(t, "b", 30))
	for name, c := range map[string]struct {
		change func(p *Part)
		want   string
	}{
		"another configuration": {func(p *Part) { p.Head.Config = "d" }, "configurations differ"},
		"another version":       {func(p *Part) { p.Head.Tool = "2" }, "written by ngxlimit 1 and 2"},
		"another nginx version": {func(p *Part) { p.Head.NginxVersion = "1.22.1" }, "--nginx-version is not given and 1.22.1"},
		"another time":          {func(p *Part) { p.Head.FromMs = start }, "--from is not given and 2026-03-02T08:00:00.000Z"},
		"another end":           {func(p *Part) { p.Head.ToMs = start }, "--to is not given"},
		"another host":          {func(p *Part) { p.Head.Host = "x" }, "--host is not given and x"},
		"redacted":              {func(p *Part) { p.Head.Redacted = "x" }, "one is redacted and the other not"},
		"the same nginx":        {func(p *Part) { p.Hosts[0].Nginx = "a" }, `both hold requests of nginx "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			other := *b
			other.Hosts = append([]Host{}, b.Hosts...)
			c.change(&other)
			for _, parts := range [][]Named{{{"1", a}, {"2", &other}}, {{"2", &other}, {"1", a}}} {
				if _, _, err := Merge(parts); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
		})
	}
	nameless := partOf(t, limited, hostLog(t, "", 30))
	if _, _, err := Merge([]Named{{"1", nameless}, {"2", nameless}}); err == nil || !strings.Contains(err.Error(), "without a name") {
		t.Error(err)
	}
}

// texts are a part and what is wrong in some way.
func partText(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := partOf(t, limited, hostLog(t, "a", 200)).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPartsOfStrangers(t *testing.T) {
	text := partText(t)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":        {"", "x:0: it is no part"},
		"a report":       {`{"lines": 1}`, "x: it is no part"},
		"a later form":   {strings.Replace(text, `"version": 1`, `"version": 7`, 1), "version 7"},
		"cut":            {text[:len(text)/2], "it ends early"},
		"more behind":    {text + "{}", fmt.Sprintf("x:%d: something stands behind", len(text))},
		"a strange name": {strings.Replace(text, `"outside"`, `"inside"`, 1), `unknown field "inside"`},
		"a text":         {strings.Replace(text, `"outside": 0`, `"outside": "0"`, 1), "outside of type int64"},
		"a huge number":  {strings.Replace(text, `"outside": 0`, `"outside": 99999999999999999`, 1), "out of any range"},
		"a negative one": {strings.Replace(text, `"outside": 0`, `"outside": -1`, 1), "outside is -1, out of any range"},
		"many objects":   {strings.Replace(text, `"windows": [`, `"windows": [`+strings.Repeat("{},", 9000), 1), "more values than"},
		"a strange kind": {strings.Replace(text, `"faults": []`, `"faults": [{"kind":"x","lines":1,"first":1}]`, 1), `logs[0].faults[0].kind is "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadPart(strings.NewReader(c.text), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Any text is refused in bounded time, or is a part that can be merged and written again.
func FuzzReadPart(f *testing.F) {
	text := partText(f)
	f.Add(text)
	f.Add(text[:len(text)/3])
	f.Add(`{"format":"` + PartFormat + `","version":1,"head":{},"logs":[],"hosts":[]}`)
	f.Add(`{"format":"` + PartFormat + `","version":1,"hosts":[{"nginx":"a","diagnosis":[{"evidence":{"a":[[{"b":1e9}]]}}],"requests":1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPart(strings.NewReader(text), "x")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("no file in front: %v", err)
			}
			return
		}
		_, _, _ = Merge([]Named{{"x", p}})
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
	})
}

// What a part is in its file has to be documented, and what is documented has to be there.
func TestPartIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "replay-parts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fieldsOf(Part{}, Head{}, LogPart{}, LogFault{}, Host{}, Note{}) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/replay-parts.md says nothing of %s", name)
		}
	}
}

// fieldsOf lists the names that structs have in JSON.
func fieldsOf(values ...any) []string {
	var names []string
	for _, v := range values {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && len(f.Index) == 1 {
				names = append(names, name)
			}
		}
	}
	return names
}
