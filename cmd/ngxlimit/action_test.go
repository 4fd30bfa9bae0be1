package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// An action is action.yml as a runner reads it.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) *action {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(nginxtest.Root(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.UnmarshalWithOptions(text, &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("%+v", a)
	}
	for name, in := range a.Inputs {
		if in.Description == "" {
			t.Errorf("input %s has no description", name)
		}
	}
	return &a
}

// A runner does what GitHub does with a composite action, as far as ours asks for it.
type runner struct {
	dir, summary, output string
	env                  []string
	status               int
	log                  string
}

// run runs the steps in a folder with the inputs given.
func (a *action) run(t *testing.T, dir string, inputs map[string]string) *runner {
	t.Helper()
	temp := t.TempDir()
	r := &runner{dir: dir, summary: filepath.Join(temp, "summary"), output: filepath.Join(temp, "output")}
	r.env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+r.summary, "GITHUB_OUTPUT="+r.output)
	var values []string
	for name, in := range a.Inputs {
		value, given := inputs[name]
		if !given {
			value = in.Default
		}
		values = append(values, "${{ inputs."+name+" }}", value)
	}
	for name := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("there is no input %s", name)
		}
	}
	expand := strings.NewReplacer(append(values, "${{ github.action_path }}", nginxtest.Root(t))...)
	for _, step := range a.Runs.Steps {
		if step.Shell != "bash" || strings.Contains(step.Run, "${{") {
			t.Fatalf("step %q: shell %q runs %q", step.Name, step.Shell, step.Run)
		}
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir = dir
		cmd.Env = r.env
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expand.Replace(value))
		}
		out, err := cmd.CombinedOutput()
		r.log += string(out)
		if err != nil {
			r.status = cmd.ProcessState.ExitCode()
			break
		}
	}
	return r
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const actionConf = `events {}
http {
    limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;
    server {
        listen 80;
        server_name a.example;
        location / {
            limit_req zone=a burst=20;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`

// The action as a workflow runs it: built, run on a repository, with annotations, a summary that tells what changed, and
// SARIF.
func TestAction(t *testing.T) {
	for _, name := range []string{"bash", "git", "go"} {
		if _, err := exec.LookPath(name); err != nil || runtime.GOOS == "windows" {
			t.Skipf("%s is not there", name)
		}
	}
	a := readAction(t)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	write("my nginx.conf", actionConf)
	git("init", "-q", ".")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	write("my nginx.conf", strings.Replace(actionConf, "burst=20", "burst=40", 1))

	r := a.run(t, dir, map[string]string{
		"paths": "my nginx.conf", "sarif-file": "out.sarif", "base": "HEAD", "args": "--enable\nmissing-nodelay,default-reject-status\n",
	})
	if r.status != 1 {
		t.Fatalf("status %d: %s", r.status, r.log)
	}
	if !strings.Contains(r.log, "::warning file=my nginx.conf,line=8,") {
		t.Errorf("no annotation in\n%s", r.log)
	}
	if got := read(t, r.output); got != "status=1\n" {
		t.Errorf("output %q", got)
	}
	summary := read(t, r.summary)
	for _, part := range []string{"| warning | my nginx.conf:8 |", "What a page load suffers", "### ngxlimit diff", "**loosened** a.example /", "| portal at a.example |"} {
		if !strings.Contains(summary, part) {
			t.Errorf("the summary lacks %q:\n%s", part, summary)
		}
	}
	var sarif struct{ Runs []struct{ Results []any } }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "out.sarif"))), &sarif); err != nil || len(sarif.Runs[0].Results) == 0 {
		t.Errorf("SARIF: %v, %+v", err, sarif)
	}

	for status, inputs := range map[int]map[string]string{
		0: {"paths": "\nmy nginx.conf\n", "fail-on": "never", "base": "no-such-revision"},
		2: {"paths": "missing.conf"},
	} {
		if r := a.run(t, dir, inputs); r.status != status {
			t.Errorf("%v: status %d: %s", inputs, r.status, r.log)
		}
	}
	// An input is never a command of the shell.
	if r := a.run(t, dir, map[string]string{"paths": "$(touch pwned)`touch pwned`\"; touch pwned"}); r.status != 2 {
		t.Errorf("status %d: %s", r.status, r.log)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("an input was run")
	}
	if r := a.run(t, dir, map[string]string{"version": "1.0.0/../../x"}); r.status != 2 || !strings.Contains(r.log, "::error::version") {
		t.Errorf("status %d: %s", r.status, r.log)
	}
}

// A release is taken only where its checksum is the one that the release names.
func TestActionRelease(t *testing.T) {
	for _, name := range []string{"bash", "curl", "tar", "sha256sum"} {
		if _, err := exec.LookPath(name); err != nil || runtime.GOOS != "linux" {
			t.Skipf("%s is not there", name)
		}
	}
	release := filepath.Join(t.TempDir(), "v9.9.9")
	if err := os.Mkdir(release, 0o700); err != nil {
		t.Fatal(err)
	}
	arch := map[string]string{"arm64": "arm64"}[runtime.GOARCH]
	if arch == "" {
		arch = "amd64"
	}
	sh := func(script string) string {
		cmd := exec.Command("bash", "-ec", script)
		cmd.Dir = release
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s", script, out)
		}
		return string(out)
	}
	archive := "ngxlimit_9.9.9_linux_" + arch + ".tar.gz"
	sh("echo 'echo it is $1' >ngxlimit; chmod +x ngxlimit; tar -czf " + archive + " ngxlimit; rm ngxlimit; sha256sum *.tar.gz >checksums.txt")
	install := func() (out, bin string, err error) {
		temp := t.TempDir()
		cmd := exec.Command("bash", filepath.Join(nginxtest.Root(t), ".github", "action", "install.sh"))
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "NGXLIMIT_VERSION=v9.9.9", "NGXLIMIT_RELEASES=file://"+filepath.Dir(release))
		text, err := cmd.CombinedOutput()
		return string(text), filepath.Join(temp, "ngxlimit-bin", "ngxlimit"), err
	}
	out, bin, err := install()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := sh("bash " + bin + " here"); got != "it is here\n" {
		t.Errorf("got %q", got)
	}
	sh("echo more >>" + archive)
	if out, _, err := install(); err == nil || !strings.Contains(out, "is not what checksums.txt of the release says") {
		t.Errorf("%v: %s", err, out)
	}
}
