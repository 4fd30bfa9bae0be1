package alerts

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// watched has a zone of each kind: one that holds, one that only counts, one of limit_conn, and a name that asks for quotes.
// It serves the port for real where nginx is asked.
const watched = `pid nginx.pid;
error_log error.log info;
events {}
http {
    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
    limit_req_zone $binary_remote_addr zone=api:1m rate=30r/m;
    limit_req_zone $binary_remote_addr "zone=it's odd:1m" rate=60r/m;
    limit_conn_zone $binary_remote_addr zone=conns:1m;
    limit_req_status 429;
    log_format lim escape=json '{"t":"$msec","it''s":"$request","lim":"$limit_req_status","rt":$request_time,"ut":"$upstream_response_time","ua":"$http_user_agent"}';
    access_log access.log lim;
    server {
        listen 127.0.0.1:8080;
        location /api/ { limit_req zone=api burst=5 nodelay; limit_conn conns 10; proxy_pass http://127.0.0.1:8080/ok; }
        location /held/ { limit_req "zone=it's odd" burst=1; proxy_pass http://127.0.0.1:8080/ok; }
        location /dry/ { limit_req zone=api burst=1; limit_req_dry_run on; proxy_pass http://127.0.0.1:8080/ok; }
        location /ok { return 200; }
    }
}
`

var options = Options{Window: 5 * time.Minute, RefusedShare: 0.01, DelayedShare: 0.05}

func conf(port int) string {
	text := strings.ReplaceAll(watched, "8080", fmt.Sprint(port))
	return strings.ReplaceAll(text, "''", `\'`)
}

func planOf(t *testing.T, text string, o Options) (*Plan, error) {
	t.Helper()
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(inputs[0], config.Options{})
	if len(tree.Refusals) > 0 {
		t.Fatalf("refused: %+v", tree.Refusals[0])
	}
	return New(rule.NewFacts(tree, rule.Settings{}), o)
}

// written is every form of a configuration's plan.
func written(t *testing.T, text string) map[string]string {
	t.Helper()
	p, err := planOf(t, text, options)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, form := range Forms {
		var b bytes.Buffer
		if err := p.Write(&b, form.Name); err != nil {
			t.Fatalf("%s: %v", form.Name, err)
		}
		out[form.Name] = b.String()
	}
	return out
}

func TestForms(t *testing.T) {
	for form, text := range written(t, conf(8080)) {
		path := filepath.Join("testdata", form+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s differs from %s (go test -update rewrites it):\n%s", form, path, text)
		}
	}
}

// tool is a program that judges what is written. Where it is absent the test is skipped, but not in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("NGXLIMIT_REQUIRE_NGINX") != "" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed: nothing judges what is written", name)
	}
	return path
}

func runs(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func TestPromtoolTakesRules(t *testing.T) {
	promtool := tool(t, "promtool")
	forms := written(t, conf(8080))
	for _, form := range []string{"mtail-rules", "nginxlog-rules"} {
		path := filepath.Join(t.TempDir(), "rules.yml")
		if err := os.WriteFile(path, []byte(forms[form]), 0o600); err != nil {
			t.Fatal(err)
		}
		runs(t, promtool, "check", "rules", path)
	}
}

// served writes the forms beside the logs of a real nginx that has refused, held and counted.
func served(t *testing.T) (dir string, forms map[string]string, access, errors string) {
	t.Helper()
	port := nginxtest.Port(t)
	server := nginxtest.Start(t, conf(port), port, nil)
	for _, ask := range []struct {
		path  string
		times int
	}{{"/api/", 20}, {"/held/", 2}, {"/dry/", 2}} {
		for range ask.times {
			request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s?\"quoted\"", port, ask.path), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
		}
	}
	return t.TempDir(), written(t, conf(port)), filepath.Join(server.Prefix, "access.log"), filepath.Join(server.Prefix, "error.log")
}

func TestAwkReadsNginxLogs(t *testing.T) {
	dir, forms, access, errors := served(t)
	script := filepath.Join(dir, "limits.sh")
	if err := os.WriteFile(script, []byte(forms["awk"]), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() (string, int) {
		cmd := exec.Command("sh", script, access, errors)
		cmd.Env = append(os.Environ(), "NGINX_LIMITS_STATE="+filepath.Join(dir, "state"))
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	// Of the 20, one passes and five are within the burst; at 30r/m the rest comes too early. Those of the dry run count as limited.
	text, status := run()
	for _, want := range []string{"refused: 14 of 24 limited requests\n", "dry run: 2 of 24 limited requests would be refused\n", "zone api: 14 requests refused\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the script does not say %q:\n%s", want, text)
		}
	}
	if status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if text, status := run(); text != "" || status != 0 {
		t.Errorf("nothing was added to the logs, and the script says %q, exit status %d", text, status)
	}
	if err := os.Remove(access); err != nil {
		t.Fatal(err)
	}
	if text, status := run(); status != 2 || !strings.Contains(text, "cannot read") {
		t.Errorf("without its log the script says %q, exit status %d", text, status)
	}
}

// A line that is half written when the script runs is read by the next run, once and whole.
func TestAwkLeavesHalfLine(t *testing.T) {
	script := written(t, conf(8080))["awk"]
	for _, awk := range []string{"awk", "mawk", "gawk", "busybox"} {
		path, err := exec.LookPath(awk)
		if err != nil {
			continue
		}
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, "bin", "awk")); err != nil {
			t.Fatal(err)
		}
		put := func(name, content string) {
			t.Helper()
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(content); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		run := func(step, want string) {
			t.Helper()
			cmd := exec.Command("sh", "limits.sh", "access.log", "error.log")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "NGINX_LIMITS_STATE="+filepath.Join(dir, "state"))
			if out, _ := cmd.CombinedOutput(); string(out) != want {
				t.Errorf("%s, %s: %q, want %q", awk, step, out, want)
			}
		}
		line := `{"t":"1772438400.000","it's":"GET /api/ HTTP/1.1","lim":"REJECTED","rt":0.000,"ut":"","ua":"a \u0000\"b"}` + "\n"
		failed := "2026/03/02 08:00:00 [error] 1#1: *1 limiting requests, excess: 5.5 by zone \"api\", client: 203.0.113.7\n"
		put("limits.sh", script)
		put("access.log", strings.Repeat(line, 12)+line[:40])
		put("error.log", failed[:30])
		run("half lines", "refused: 12 of 12 limited requests\n")
		run("the same half lines", "")
		put("access.log", line[40:])
		put("error.log", failed[30:]+strings.Repeat(failed, 10))
		run("their ends", "zone api: 11 requests refused\n")
		put("access.log", strings.Repeat(line, 11))
		run("whole lines", "refused: 11 of 11 limited requests\n")
		if err := os.Truncate(filepath.Join(dir, "access.log"), 0); err != nil {
			t.Fatal(err)
		}
		put("access.log", line[:50])
		run("a new file with half a line", "")
		put("access.log", line[50:]+strings.Repeat(line, 10))
		run("its end", "refused: 11 of 11 limited requests\n")
		for _, old := range []string{"access.log.1", "access.log-20260303"} {
			put("access.log", strings.Repeat(line, 9))
			if err := os.Rename(filepath.Join(dir, "access.log"), filepath.Join(dir, old)); err != nil {
				t.Fatal(err)
			}
			put("access.log", strings.Repeat(line, 80)) // longer than the old one was
			run("a new file, and the end of "+old, "refused: 89 of 89 limited requests\n")
			run("nothing after "+old, "")
		}
		if err := os.Rename(filepath.Join(dir, "access.log"), filepath.Join(dir, "elsewhere")); err != nil {
			t.Fatal(err)
		}
		put("access.log", strings.Repeat(line, 90))
		run("a new file, the old one is gone", "refused: 90 of 90 limited requests\n")
	}
}

func TestMtailReadsNginxLogs(t *testing.T) {
	mtail := tool(t, "mtail")
	dir, forms, access, errors := served(t)
	if err := os.WriteFile(filepath.Join(dir, "limits.mtail"), []byte(forms["mtail"]), 0o600); err != nil {
		t.Fatal(err)
	}
	out := runs(t, mtail, "--one_shot", "--one_shot_format=prometheus", "--emit_prog_label=false", "--logtostderr=false", "--log_dir", dir,
		"--progs", dir, "--logs", access, "--logs", errors)
	for _, want := range []string{
		`nginx_limit_refused_total{directive="limit_req",mode="enforced",zone="api"} 14`,
		`nginx_limit_refused_total{directive="limit_req",mode="dry run",zone="api"} 2`,
		`nginx_limit_delayed_total{mode="enforced",zone="it's odd"} 1`,
		`nginx_limit_requests_total{status="REJECTED"} 14`,
		`nginx_limit_requests_total{status="DELAYED"} 1`,
		`nginx_limit_requests_total{status="PASSED"} 7`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("mtail does not count %s:\n%s", want, out)
		}
	}
}

func TestNothingToWatch(t *testing.T) {
	for _, c := range []struct{ name, conf, format, form, want string }{
		{"no limit", "events {}\nhttp { server { } }\n", "", "awk", "there is nothing to watch"},
		{"format of another name", conf(8080), "other", "awk", `log format "other": no limited location logs in it: they use lim`},
		{
			"variables side by side",
			strings.Replace(conf(8080), `"$msec"`, `"$msec$time_local"`, 1), "", "mtail", "nothing stands between $msec and $time_local",
		},
		{
			"no variable of use",
			"events {}\nhttp { limit_req_zone $remote_addr zone=a:1m rate=1r/s; server { limit_req zone=a; } }\n", "", "nginxlog",
			"log format combined has neither $limit_req_status nor $request_time",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options
			o.LogFormat = c.format
			p, err := planOf(t, c.conf, o)
			if err == nil {
				err = p.Write(&bytes.Buffer{}, c.form)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Of formats in which as many places log, the one that tells what the limits did is read, whatever it is called.
func TestLogThatTells(t *testing.T) {
	for name, want := range map[string]string{"aa": "tells", "zz": "tells"} {
		p, err := planOf(t, strings.ReplaceAll(`events {}
http {
    limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s;
    log_format NAME '$remote_addr';
    log_format tells '$remote_addr $limit_req_status';
    access_log a.log NAME;
    access_log b.log tells;
    server { limit_req zone=z; location / { proxy_pass http://127.0.0.1:1; } }
}
`, "NAME", name), options)
		if err != nil || p.Log.Format.Name != want {
			t.Errorf("beside %s: %+v, %v", name, p, err)
		}
	}
}

// TestHostileNamesAreText runs the script of a configuration whose names would be commands, verbs of printf and words of awk, and
// looks whether anything but text came of them.
func TestHostileNamesAreText(t *testing.T) {
	text := strings.ReplaceAll(`events {}
http {
    limit_req_zone $binary_remote_addr "zone=a'; touch PWN0; echo ':1m" rate=30r/m;
    map $uri $system { default 1; }
    log_format "x'; touch PWN1; echo ' %s%d \"); system(\"touch PWN2\") #" '$system "$request" lim=$limit_req_status rt=$request_time ut=$upstream_response_time
/ { touch PWN3 }';
    access_log "/tmp/a'; touch PWN4; echo ' ~touch PWN5~%.log" "x'; touch PWN1; echo ' %s%d \"); system(\"touch PWN2\") #";
    server { location / { limit_req "zone=a'; touch PWN0; echo '" burst=5; proxy_pass http://127.0.0.1:8080; } }
}
`, "~", "`")
	forms := written(t, text)
	for name, form := range forms {
		for line := range strings.Lines(form) {
			if strings.HasPrefix(line, "/ { touch") {
				t.Errorf("%s: a line of the log format stands on its own: %s", name, line)
			}
		}
	}
	for _, awk := range []string{"awk", "mawk", "gawk", "busybox"} {
		path, err := exec.LookPath(awk)
		if err != nil {
			continue
		}
		dir := t.TempDir()
		for name, content := range map[string]string{
			"alerts": forms["awk"], "access.log": strings.Repeat("of another format\n", 20),
			"error.log": strings.Repeat("x limiting requests, excess: 1.0 by zone \"a'; touch PWN0; echo '%s%d\", client\n", 20),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		bin := filepath.Join(dir, "bin")
		if err := os.Mkdir(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, "awk")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "alerts", "access.log", "error.log")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NGINX_LIMITS_STATE="+filepath.Join(dir, "state"))
		out, err := cmd.CombinedOutput()
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 {
			t.Errorf("%s: %v: %s", awk, err, out)
		}
		for _, want := range []string{`20 of 20 lines are not in the log format x'; touch PWN1; echo ' %s%d "); system("touch PWN2") #`, `zone a'; touch PWN0; echo '%s%d: 20 requests refused`} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in %s", awk, want, out)
			}
		}
		if made, _ := filepath.Glob(filepath.Join(dir, "PWN*")); len(made) > 0 {
			t.Errorf("%s: %q was run", awk, made)
		}
	}
}
