package changes

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A repo is a repository for a test, which no settings of the machine reach.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@example.com",
		"GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@example.com",
	} {
		t.Setenv(name, value)
	}
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main", ".")
	return r
}

func (r *repo) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *repo) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--no-verify", "-m", "as it is")
}

// open takes out a revision that must be there.
func (r *repo) open(rev, name string) *Revision {
	r.t.Helper()
	old, err := Open(r.t.Context(), rev, []string{r.path(name)})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(old.Close)
	return old
}

// was is the text of a file at a revision; "" where it was not there.
func (r *repo) was(old *Revision, name string) string {
	r.t.Helper()
	path, was := old.Path(r.path(name))
	if !was {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Error(err)
	}
	return string(text)
}

func TestOpen(t *testing.T) {
	r := newRepo(t)
	r.write("conf/nginx.conf", "first\n")
	r.write("a b\n\"c\".conf", "odd\n")
	r.write("empty.conf", "")
	if err := os.Symlink("conf/nginx.conf", r.path("link.conf")); err != nil {
		t.Log(err)
	}
	r.commit()
	r.write("conf/nginx.conf", "second\n")
	r.write("new.conf", "new\n")
	old := r.open("HEAD", "conf")
	for name, want := range map[string]string{"conf/nginx.conf": "first\n", "a b\n\"c\".conf": "odd\n", "empty.conf": "", "link.conf": "first\n", "new.conf": ""} {
		if got := r.was(old, name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if target, err := os.Readlink(filepath.Join(old.old, "link.conf")); err != nil || target != filepath.FromSlash("conf/nginx.conf") {
		t.Errorf("the link leads to %q: %v", target, err)
	}
	old.Close()
	if _, err := os.Stat(old.temp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// What moved is found under its old name, staged or committed.
func TestRenames(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"conf/nginx.conf", "conf/conf.d/a.conf", "conf/conf.d/b.conf"} {
		r.write(name, strings.Repeat(name+" is like nothing else\n", 10))
	}
	r.commit()
	r.git("mv", "conf", "deploy")
	check := func() {
		t.Helper()
		old := r.open("main", ".")
		for name, want := range map[string]string{"deploy/nginx.conf": "conf/nginx.conf", "deploy": "conf", "deploy/conf.d": "conf/conf.d", "other": "", "dep": ""} {
			path, was := old.Path(r.path(name))
			if was != (want != "") || was && path != filepath.Join(old.old, filepath.FromSlash(want)) {
				t.Errorf("%s: %s, %t", name, path, was)
			}
		}
	}
	check()
	r.git("switch", "-q", "-c", "later")
	r.commit()
	check()
}

// A worktree, and a submodule, have a file in the place of the folder .git.
func TestWorktreeAndSubmodule(t *testing.T) {
	r, sub := newRepo(t), newRepo(t)
	sub.write("limits.conf", "one\n")
	sub.commit()
	r.write("nginx.conf", "first\n")
	r.git("submodule", "--quiet", "add", sub.dir, "shared")
	r.commit()

	inside := &repo{t, r.path("shared")}
	inside.write("limits.conf", "two\n")
	old := r.open("HEAD", "nginx.conf")
	if got := r.was(old, "shared/limits.conf"); got != "one\n" {
		t.Errorf("of the submodule: %q", got)
	}
	if got := inside.was(inside.open("HEAD", "limits.conf"), "limits.conf"); got != "one\n" {
		t.Errorf("in the submodule: %q", got)
	}
	if _, err := Open(t.Context(), "HEAD", []string{r.path("nginx.conf"), inside.path("limits.conf")}); err == nil || !strings.Contains(err.Error(), "another repository") {
		t.Errorf("both: %v", err)
	}

	tree := &repo{t, filepath.Join(t.TempDir(), "tree")}
	r.git("worktree", "add", "-q", tree.dir)
	tree.write("nginx.conf", "second\n")
	old = tree.open("HEAD", "nginx.conf")
	if got := tree.was(old, "nginx.conf"); got != "first\n" {
		t.Errorf("in the worktree: %q", got)
	}
	if got := tree.was(old, "shared/limits.conf"); got != "" {
		t.Errorf("of a submodule that is not there: %q", got)
	}
}

func TestRefused(t *testing.T) {
	r := newRepo(t)
	r.write("nginx.conf", "first\n")
	r.commit()
	r.write("nginx.conf", "second\n")
	r.commit()
	clone := func(args ...string) string {
		dir := filepath.Join(t.TempDir(), "clone")
		r.git(append(append([]string{"clone", "-q"}, args...), "file://"+filepath.ToSlash(r.dir), dir)...)
		return dir
	}
	shallow, bare := clone("--depth", "1"), clone("--bare")
	for name, c := range map[string]struct{ rev, path, want string }{
		"unknown":     {"no-such", r.path("nginx.conf"), `"no-such" is no revision of `},
		"option":      {"--upload-pack=touch x", r.path("nginx.conf"), `"--upload-pack=touch x" is no revision: none begins with "-"`},
		"dash":        {"-x", r.path("nginx.conf"), `"-x" is no revision: `},
		"empty":       {"", r.path("nginx.conf"), `"" is no revision: give a commit`},
		"range":       {"HEAD~1..HEAD", r.path("nginx.conf"), "git reads it as a range"},
		"a tree":      {"HEAD:", r.path("nginx.conf"), `"HEAD:" is no revision of `},
		"shallow":     {"HEAD~1", filepath.Join(shallow, "nginx.conf"), "git fetch --unshallow brings the others"},
		"bare":        {"HEAD", bare, "git: this operation must be run in a work tree"},
		"not in any":  {"HEAD", t.TempDir(), "git: not a git repository"},
		"no such dir": {"HEAD", filepath.Join(r.dir, "no", "such"), "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "no such dir" {
				t.Skip("other words")
			}
			if old, err := Open(t.Context(), c.rev, []string{c.path}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v", old, err)
			}
		})
	}
	if old, err := Open(t.Context(), "HEAD", []string{filepath.Join(shallow, "nginx.conf")}); err != nil {
		t.Error(err)
	} else {
		old.Close()
	}
}

// programs are settings by which a repository names programs that some command of git would run.
var programs = []string{
	"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
	"diff.external", "diff.odd.textconv", "diff.odd.command", "merge.odd.driver", "filter.odd.smudge", "filter.odd.clean",
	"filter.odd.process", "credential.helper", "gpg.program", "uploadpack.packObjectsHook", "pager.ls-tree", "pager.cat-file",
	"alias.ls-tree", "alias.cat-file", "alias.rev-parse", "alias.diff-index", "remote.origin.uploadpack", "interactive.diffFilter",
}

// hooks are the names of hooks that reading commands could run.
var hooks = []string{"post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite"}

// A repository whose settings name programs runs none of them.
func TestRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts of a shell")
	}
	r := newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>'"+ran+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.write("conf/nginx.conf", "first\n")
	r.write(".gitattributes", "* filter=odd diff=odd merge=odd\n")
	r.commit()
	r.git("mv", "conf", "deploy")
	r.write(".git/info/attributes", "* filter=odd diff=odd\n")
	for _, name := range programs {
		value := script
		if strings.HasPrefix(name, "alias.") {
			value = "!" + script
		}
		r.git("config", name, value)
	}
	for _, name := range hooks {
		for _, dir := range []string{".git/hooks/", ".hooks/"} {
			if err := os.MkdirAll(r.path(dir), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(r.path(dir+name), []byte("#!/bin/sh\nexec '"+script+"' hook\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.git("config", "core.hooksPath", r.path(".hooks"))
	if _, err := os.Stat(ran); err == nil {
		if err := os.Remove(ran); err != nil { // by what the test itself asked of git
			t.Fatal(err)
		}
	}

	old := r.open("HEAD", "deploy/nginx.conf")
	if got := r.was(old, "deploy/nginx.conf"); got != "first\n" {
		t.Errorf("got %q", got)
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("these were run:\n%s", text)
	}
	// The test can fail: a command that is not asked here does run them.
	cmd := exec.Command("git", "checkout-index", "--all", "--force", "--prefix="+t.TempDir()+"/")
	cmd.Dir = r.dir
	cmd.Run() //nolint:errcheck // the program is no filter
	if _, err := os.Stat(ran); err != nil {
		t.Error("git runs no program of this repository: the test says nothing")
	}
}

// A partial clone lacks contents, and fetches them by a program that its settings may name.
func TestPartialClone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script of a shell")
	}
	r := newRepo(t)
	r.git("config", "uploadpack.allowFilter", "true")
	r.write("nginx.conf", "first\n")
	r.commit()
	r.write("nginx.conf", "second\n")
	r.commit()
	dir := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--filter=blob:none", "file://"+r.dir, dir)
	part := &repo{t, dir}
	ran, script := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	part.git("config", "remote.origin.uploadpack", script)
	part.git("config", "protocol.file.allow", "always")
	_, err := Open(t.Context(), "HEAD~1", []string{part.path("nginx.conf")})
	if err == nil || !strings.Contains(err.Error(), "take out revision HEAD~1: ") || !strings.Contains(err.Error(), "partial") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the program was run")
	}
	if got := part.was(part.open("HEAD", "nginx.conf"), "nginx.conf"); got != "second\n" {
		t.Errorf("what is there is read as %q", got)
	}
}

// A tree made by hand may name what no checkout would write.
func TestTreeLeadsOutside(t *testing.T) {
	r := newRepo(t)
	r.write("nginx.conf", "first\n")
	r.commit()
	blob := r.out("hash-object", "-w", "--stdin")
	inner := r.in("100644 blob "+blob+"\tevil.conf\n", "mktree")
	tree := r.in("040000 tree "+inner+"\t..\n", "mktree")
	commit := r.out("commit-tree", "-m", "odd", tree)
	if _, err := Open(t.Context(), commit, []string{r.path("nginx.conf")}); err == nil || !strings.Contains(err.Error(), "it lies outside of the repository") {
		t.Errorf("%v", err)
	}
}

func (r *repo) out(args ...string) string { return r.in("", args...) }

func (r *repo) in(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// What git reads as something else than one commit is refused, with what it is; what names one is taken.
func TestCommitOf(t *testing.T) {
	r := newRepo(t)
	r.write("a.conf", "first\n")
	r.commit()
	for rev, want := range map[string]string{
		"^HEAD": "all but what \"HEAD\" holds", "^": "no revision of", "HEAD..HEAD": "a range", "HEAD...HEAD": "a range",
		"HEAD^@": "several commits", "HEAD^!": "several commits", "HEAD^-": "several commits", " ": "give a commit",
		"-x": "none begins with", "--all": "none begins with", "nope": "no revision of", "HEAD:a.conf": "no revision of",
		"HEAD^{tree}": "no revision of", ":/nowhere": "no revision of",
		"HEAD": "", "main": "", "HEAD^0": "", "HEAD^{commit}": "", ":/as it": "", "HEAD^{/as it}": "", "@": "",
	} {
		commit, err := commitOf(t.Context(), r.dir, rev)
		switch {
		case want == "" && (err != nil || len(commit) != 40 || strings.Trim(commit, "0123456789abcdef") != ""):
			t.Errorf("%q: %q, %v", rev, commit, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %q, %v, want an error with %q", rev, commit, err, want)
		}
	}
}
