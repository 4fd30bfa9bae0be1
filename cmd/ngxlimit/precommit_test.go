package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// needsPreCommit skips where pre-commit is missing, unless NGXLIMIT_REQUIRE_PRE_COMMIT asks for it.
func needsPreCommit(t *testing.T) {
	t.Helper()
	for _, name := range []string{"pre-commit", "git", "go"} {
		if _, err := exec.LookPath(name); err == nil && runtime.GOOS != "windows" {
			continue
		}
		if os.Getenv("NGXLIMIT_REQUIRE_PRE_COMMIT") != "" {
			t.Fatalf("%s is not installed, and NGXLIMIT_REQUIRE_PRE_COMMIT is set", name)
		}
		t.Skipf("%s is not installed", name)
	}
}

// A repo is a git repository for a test, with an environment that no settings of the machine reach.
type repo struct {
	t   *testing.T
	dir string
	env []string
}

func newRepo(t *testing.T, env ...string) *repo {
	r := &repo{t: t, dir: t.TempDir()}
	r.env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@example.com",
		"GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@example.com")
	r.env = append(r.env, env...)
	r.must("git", "init", "-q", "-b", "main", ".")
	return r
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *repo) must(name string, args ...string) string {
	r.t.Helper()
	out, err := r.run(name, args...)
	if err != nil {
		r.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// ownRepo is a repository with the files of this one as they are now, as somebody would clone it.
func ownRepo(t *testing.T) *repo {
	t.Helper()
	r := newRepo(t)
	root := nginxtest.Root(t)
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	list, err := cmd.Output()
	if err != nil {
		t.Skipf("the sources are no git repository: %v", err)
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(list, []byte{0}), []byte{0}) {
		name := string(name)
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		r.write(name, string(text))
	}
	r.must("git", "add", "-A")
	r.must("git", "commit", "-q", "-m", "as it is")
	return r
}

// The three hooks differ in how the program is had, and in nothing else.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(nginxtest.Root(t), ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Entry, Language, Files, Exclude string
		RequireSerial                             bool `yaml:"require_serial"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hooks {
		got = append(got, h.ID+" "+h.Language)
		if strings.TrimPrefix(h.Entry, "/") != "ngxlimit check --whole" || h.Name != "ngxlimit" || !h.RequireSerial ||
			h.Files == "" || h.Files != hooks[0].Files || h.Exclude != hooks[0].Exclude {
			t.Errorf("%+v", h)
		}
	}
	if want := "ngxlimit golang, ngxlimit-docker docker, ngxlimit-system system"; strings.Join(got, ", ") != want {
		t.Errorf("got %s", strings.Join(got, ", "))
	}
}

// A staged fragment fails the commit at the right line, within the configuration that it is part of; mended it passes.
func TestPreCommit(t *testing.T) {
	needsPreCommit(t)
	own := ownRepo(t)
	rev := strings.TrimSpace(own.must("git", "rev-parse", "HEAD"))
	bin := t.TempDir()
	own.must("go", "build", "-o", bin, "./cmd/ngxlimit")
	modules := strings.TrimSpace(own.must("go", "env", "GOMODCACHE"))
	home := t.TempDir()
	for _, id := range []string{"ngxlimit", "ngxlimit-system"} {
		t.Run(id, func(t *testing.T) {
			path := os.Getenv("PATH")
			if id == "ngxlimit-system" {
				path = bin + string(os.PathListSeparator) + path
			}
			r := newRepo(t, "PRE_COMMIT_HOME="+home, "PATH="+path, "GOMODCACHE="+modules, "NO_COLOR=1", "PRE_COMMIT_COLOR=never")
			r.write(".pre-commit-config.yaml", "repos:\n- repo: "+own.dir+"\n  rev: "+rev+"\n  hooks:\n  - id: "+id+
				"\n    args: [--enable, 'missing-nodelay,zone-unknown,syntax']\n")
			r.write("conf/nginx.conf", "events {}\nhttp {\n    limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;\n    include /etc/nginx/conf.d/*.conf;\n}\n")
			r.write("conf/conf.d/my site.conf", "server {\n    listen 80;\n    location / {\n        limit_req zone=a burst=5;\n        proxy_pass http://127.0.0.1:8080;\n    }\n}\n")
			r.write("README.md", "limit_req zone=a burst=5;\n")
			r.must("git", "add", "-A")

			out, err := r.run("pre-commit", "run")
			if err == nil || !strings.Contains(out, "conf/conf.d/my site.conf:4:") || !strings.Contains(out, "[missing-nodelay]") {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.Contains(out, "zone-unknown") || strings.Count(out, "[missing-nodelay]") != 1 {
				t.Errorf("the part was not checked within the whole:\n%s", out)
			}
			fix := exec.Command(filepath.Join(bin, "ngxlimit"), "check", "--whole", "--enable", "missing-nodelay", "--fix", "conf/conf.d/my site.conf")
			fix.Dir = r.dir
			if out, err := fix.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			r.must("git", "add", "-A")
			if out, err := r.run("pre-commit", "run"); err != nil || !strings.Contains(out, "Passed") {
				t.Errorf("mended: %v\n%s", err, out)
			}
		})
	}
}
