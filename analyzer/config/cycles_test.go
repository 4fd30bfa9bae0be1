package config

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// manyFiles is where a circle of includes ends that nothing else ends.
const manyFiles = `open() "%s" failed (24: Too many open files)`

// What nginx says of files that include themselves: what it refuses of the second turn, else that it can open no more.
var cycles = []struct{ name, files, want string }{
	{"main file", "-- nginx.conf --\nevents {}\nhttp {}\ninclude nginx.conf;\n", `"events" directive is duplicate in nginx.conf:1`},
	{"at once", "-- nginx.conf --\ninclude nginx.conf;\nevents {}\n", fmt.Sprintf(manyFiles, "nginx.conf") + " in nginx.conf:1"},
	{"below http", "-- nginx.conf --\nworker_processes 1;\nevents {}\nhttp {\n include nginx.conf;\n}\n", `"worker_processes" directive is not allowed here in nginx.conf:1`},
	{"below events", "-- nginx.conf --\nevents {\ninclude nginx.conf;\n}\n", `"events" directive is not allowed here in nginx.conf:1`},
	{"server in itself", http("server {\ninclude a.conf;\nfoo; }"), `"server" directive is not allowed here in a.conf:1`},
	{"servers", http("server { listen 18800; }\ninclude a.conf;"), fmt.Sprintf(manyFiles, "a.conf") + " in a.conf:2"},
	{"zone", http("limit_req_zone $uri zone=a:1m rate=1r/s;\ninclude a.conf;"), `limit_req_zone "a" is already bound to key "$uri" in a.conf:1`},
	{"upstream", http("upstream u { server 127.0.0.1:1; }\ninclude a.conf;"), `duplicate upstream "u" in a.conf:1`},
	{"map", http("map $uri $x { default 1; }\ninclude a.conf;"), fmt.Sprintf(manyFiles, "a.conf") + " in a.conf:2"},
	{"map in itself", http("map $uri $x { default 1;\n include a.conf; }"), `unexpected "{" in a.conf:1`},
	{"grammar behind", http("gzip on;\ninclude a.conf;\n} }"), `"gzip" directive is duplicate in a.conf:1`},
	{"grammar before", http("gzip on;\n} \ninclude a.conf;\n"), `unexpected "}" in a.conf:2`},
	{"locations", server("location / {\ninclude a.conf; }"), fmt.Sprintf(manyFiles, "a.conf") + " in a.conf:2"},
	{"exact location", server("location = / {\ninclude a.conf; }"), `location "/" cannot be inside the exact location "/" in a.conf:1`},
	{"outside", server("location /a { location /a/b {\ninclude a.conf; } }"), `location "/a" is outside location "/a/b" in a.conf:1`},
	{"if", server("location /a {\nif ($uri) {\ninclude a.conf; } }"), `"location" directive is not allowed here in a.conf:1`},
	{"if of a server", server("if ($uri) {\ninclude a.conf; }"), `"if" directive is not allowed here in a.conf:1`},
	{"listen", server("listen 18800;\ninclude a.conf;"), "a duplicate listen 0.0.0.0:18800 in a.conf:1"},
	{"rewrites", server("rewrite a b;\ninclude a.conf;"), fmt.Sprintf(manyFiles, "a.conf") + " in a.conf:2"},
	{"limits", server("location / { limit_req zone=z;\ninclude a.conf; }"), fmt.Sprintf(manyFiles, "a.conf") + " in a.conf:2"},
	{"limit twice", "-- nginx.conf --\nevents {} http { limit_req_zone $uri zone=z:1m rate=1r/s; server { location / { include a.conf; } } }\n-- a.conf --\nlimit_req zone=z;\ninclude a.conf;\n", `"limit_req" directive is duplicate in a.conf:1`},
	{"two files", http("include b.conf;") + "-- b.conf --\nlog_format x y;\ninclude a.conf;\n", `duplicate "log_format" name "x" in b.conf:1`},
	{"two files, the first", http("gzip on;\ninclude b.conf;") + "-- b.conf --\nserver { listen 18800; }\ninclude a.conf;\n", `"gzip" directive is duplicate in a.conf:1`},
	{"two files, deeper", http("include b.conf;\nlog_format c d;") + "-- b.conf --\nupstream u { server 127.0.0.1; }\nserver {\n include a.conf; }\n", `"upstream" directive is not allowed here in b.conf:1`},
	{"back to the main file", http("server {\nlocation / {\n include nginx.conf; } }"), `"events" directive is not allowed here in nginx.conf:1`},
	{"another name", http("log_format x y;\ninclude ./a.conf;"), `duplicate "log_format" name "x" in ./a.conf:1`},
	{"pattern", glob("server { listen 18800;\n include c/*.conf; }", "gzip on;"), `"server" directive is not allowed here in c/a.conf:1`},
	{"pattern, its second file", glob("server { listen 18800; }", "log_format q r;\ninclude c/*.conf;"), `duplicate "log_format" name "q" in c/b.conf:1`},
	{"pattern, its first file", glob("gzip on;", "include c/*.conf;"), `"gzip" directive is duplicate in c/a.conf:1`},
	{"pattern that ends", glob("# nothing", "location / {\ninclude c/*.conf; }"), `"location" directive is not allowed here in c/b.conf:1`},
	{"pattern below a server", "-- nginx.conf --\nevents {} http { server { listen 18800; include c/*.conf; } }\n-- c/a.conf --\nindex a b;\n-- c/b.conf --\nlocation / {\ninclude c/*.conf; }\n", ""},
	{"pattern and a name", glob("include d.conf;", "") + "-- d.conf --\nserver {\nlisten 18800;\n include c/*; }\n", `"server" directive is not allowed here in d.conf:1`},
}

func http(a string) string {
	return "-- nginx.conf --\nevents {} http { include a.conf; }\n-- a.conf --\n" + a + "\n"
}

func server(a string) string {
	return "-- nginx.conf --\nevents {} http { limit_req_zone $uri zone=z:1m rate=1r/s; server { include a.conf; } }\n-- a.conf --\n" + a + "\n"
}

func glob(a, b string) string {
	return "-- nginx.conf --\nevents {} http { include c/*.conf; }\n-- c/a.conf --\n" + a + "\n-- c/b.conf --\n" + b + "\n"
}

func TestCycles(t *testing.T) {
	for _, c := range cycles {
		dir := plantCycle(t, c.files)
		if got := strings.ReplaceAll(firstOf(t, dir), dir+"/", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCyclesByNginx(t *testing.T) {
	binary := nginxtest.Binary(t)
	said := regexp.MustCompile(`nginx: \[(?:emerg|crit)\] (.*)`)
	for _, c := range cycles {
		dir := plantCycle(t, c.files)
		ask := exec.Command("sh", "-c", `ulimit -n 150; exec "$0" -t -q -e error.log -p "$1" -c "$1/nginx.conf"`, binary, dir)
		ask.Dir = dir
		out, _ := ask.CombinedOutput()
		got := ""
		if m := said.FindSubmatch(out); m != nil {
			got = strings.ReplaceAll(string(m[1]), dir+"/", "")
		}
		if got != c.want {
			t.Errorf("%s: nginx says %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCycleTurns: the second turn stands beside the files, each of which is listed once; behind what nginx refuses of it
// nothing more is told but the circle itself.
func TestCycleTurns(t *testing.T) {
	dir := plantCycle(t, http("server {\ninclude a.conf;\n} upstream u { server 127.0.0.1:1; }"))
	tree := resolveCycle(t, dir)
	if n := len(tree.Input.Documents); n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
	var got []string
	for _, r := range tree.Refusals {
		got = append(got, strings.ReplaceAll(describe(&r), dir+"/", ""))
	}
	want := []string{
		`a.conf:1 "server" directive is not allowed here [directive-not-allowed]`,
		`a.conf:2 open() "a.conf" failed (24: Too many open files): the include leads back to a file that it is part of [missing-include]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if tree.Complete() || tree.CompleteIn(tree.HTTP.Servers[0]) {
		t.Error("complete")
	}
}

func plantCycle(t *testing.T, files string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(files)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func resolveCycle(t *testing.T, dir string) *Tree {
	t.Helper()
	inputs, err := load.Load([]string{filepath.Join(dir, "nginx.conf")}, load.Options{})
	if err != nil || len(inputs) != 1 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	return Resolve(inputs[0], Options{Version: "1.22.1"})
}

// firstOf is what is refused first, as nginx would write it.
func firstOf(t *testing.T, dir string) string {
	t.Helper()
	r := refused(resolveCycle(t, dir))
	if r == nil {
		return ""
	}
	text, _, _ := strings.Cut(r.Text, ": the include leads back")
	return fmt.Sprintf("%s in %s:%d", text, r.Span.File.Path, r.Line)
}
