package directive

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// around holds a directive at a place of a configuration that nginx would take without it.
var around = map[Context]string{
	Main:        "events {} %s",
	Events:      "events { %s }",
	HTTP:        "events {} http { %s }",
	Upstream:    "events {} http { upstream u { server 127.0.0.1; %s } }",
	Server:      "events {} http { server { %s } }",
	Location:    "events {} http { server { location / { %s } } }",
	ServerIf:    "events {} http { server { if ($uri) { %s } } }",
	LocationIf:  "events {} http { server { location / { if ($uri) { %s } } } }",
	LimitExcept: "events {} http { server { location / { limit_except GET { %s } } } }",
}

// An asker asks nginx what it says of a configuration.
type asker struct {
	t              *testing.T
	binary, folder string
}

func newAsker(t *testing.T) asker {
	return asker{t, nginxtest.Binary(t), t.TempDir()}
}

var emerg = regexp.MustCompile(`\[emerg\] (?:\d+#\d+: )?(.*) in [^ ]*:\d+`)

// ask returns nginx's message of refusal, without the place; "" where it refuses nothing, or later than while reading.
func (a asker) ask(text string) string {
	a.t.Helper()
	path := filepath.Join(a.folder, "nginx.conf")
	if err := os.WriteFile(path, []byte("error_log stderr; pid "+a.folder+"/nginx.pid; "+text), 0o600); err != nil {
		a.t.Fatal(err)
	}
	out, _ := exec.Command(a.binary, "-t", "-q", "-p", a.folder, "-c", path, "-e", "stderr").CombinedOutput() // a refusal is an answer
	m := emerg.FindSubmatch(out)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// write puts a directive together: its name, n arguments, and its end.
func write(name string, n int, block bool) string {
	end := ";"
	if block {
		end = " {}"
	}
	return name + strings.Repeat(" 1", n) + end
}

// same says that nginx's version is the table's: only then must it say the same.
func (a asker) same() {
	out, err := exec.Command(a.binary, "-v").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "/"+TableVersion.String()) {
		a.t.Skipf("the installed nginx is not %s: %s", TableVersion, out)
	}
}

// TestPlacesLive asks nginx about entries of the table, each at a place or with arguments picked at random.
func TestPlacesLive(t *testing.T) {
	a := newAsker(t)
	a.same()
	random := nginxtest.Random(t)
	var places []Context
	for c := Main; c <= LimitExcept; c <<= 1 {
		places = append(places, c)
	}
	asked := 0
	for tries := 0; asked < 120 && tries < 1000; tries++ {
		v := &table[random.IntN(len(table))]
		at := places[random.IntN(len(places))]
		d, _ := Lookup(v.Name)
		if in, ok := d.In(at); ok {
			v = in
		}
		n, block := random.IntN(5), v.Block != (random.IntN(4) == 0)
		_, fault := Check(v.Name, at, TableVersion, n, block)
		if fault == OK {
			continue // what the module itself then says is not the table's
		}
		got := a.ask(fmt.Sprintf(around[at], write(v.Name, n, block)))
		if got == Unknown.Text(v.Name) {
			continue // of a module that this nginx was built without
		}
		asked++
		if want := fault.Text(v.Name); got != want {
			t.Errorf("%q in %s: nginx says %q, the table %q", write(v.Name, n, block), at, got, want)
		}
	}
	if asked < 60 {
		t.Errorf("only %d entries could be asked for", asked)
	}
}

// TestUniqueLive writes directives with a simple value twice.
func TestUniqueLive(t *testing.T) {
	a := newAsker(t)
	a.same()
	values := map[Kind]string{Flag: "on", Number: "300", Size: "8192", Offset: "8192", Msec: "7s", Sec: "7s", String: "x", List: "x", Enum: ""}
	asked := 0
	for _, i := range nginxtest.Random(t).Perm(len(table)) {
		v := &table[i]
		value, simple := values[v.Kind]
		if v.Kind == Enum {
			value = v.Words[0]
		}
		d, _ := Lookup(v.Name)
		at := Context(0)
		for c := range around {
			if in, ok := d.In(c); ok && in == v && (at == 0 || c < at) {
				at = c
			}
		}
		if !simple || at == 0 || asked == 80 {
			continue
		}
		line := v.Name + " " + value + "; "
		if a.ask(fmt.Sprintf(around[at], line)) != "" {
			continue // the value is not to its liking, or the module is not there
		}
		asked++
		want := ""
		if v.Unique {
			want = fmt.Sprintf(`"%s" directive is duplicate`, v.Name)
		}
		if got := a.ask(fmt.Sprintf(around[at], line+line)); got != want {
			t.Errorf("%q twice in %s: nginx says %q, the table %q", line, at, got, want)
		}
	}
	if asked < 40 {
		t.Errorf("only %d entries could be asked for", asked)
	}
}
