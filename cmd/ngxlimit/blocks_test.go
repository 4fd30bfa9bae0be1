package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// shown are the blocks of a page. Those of a shell, and those of no language, may hold commands; what a console shows is
// held by TestReadme, to the letter. inline are commands in running text; one with a word such as FILE is only a pattern.
var (
	shown   = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```\n")
	inline  = regexp.MustCompile("`(ngxlimit [^`]+)`")
	pattern = regexp.MustCompile(`\b[A-Z]{2,}\b|\.\.\.`)
)

// notRun are the beginnings of the commands in such blocks that no test runs, with the reason.
var notRun = map[string]string{
	"docker build":               "there may be no Docker; CI builds the image and runs it",
	"docker run":                 "as above",
	"nginx -T 2>&1 | docker run": "as above",
	"go install":                 "fetches a release from the network; in a checkout, TestPreCommit does the same",
	"go run":                     ".ci/run runs it",
	"go test":                    "is a test",
	"ngxlimit replay part":       "is what a file begins with",
	"hyperfine":                  "measures, which depends on the machine",
	"curl":                       "asks the network",
	"git clone":                  "likewise",
	"source":                     "changes the shell that runs it",
	"for host":                   "needs machines to log in to; what follows reads such files",
}

// A stage is a folder with what the pages' commands name: a configuration, its logs, an older revision.
func stage(t *testing.T) *repo {
	t.Helper()
	root := nginxtest.Root(t)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	r := newRepo(t)
	site := read("fixtures/alb/before.dump")
	log := read("fixtures/trustline/morning.log")
	log = log[:strings.LastIndexByte(log[:min(len(log), 60_000)], '\n')+1]
	conf := read("fixtures/ok/balancer.conf")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(log)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nginx.conf": conf, "conf/nginx.conf": conf, "new.conf": conf, "hosts/web01.dump": site, "hosts/web02.dump": site,
		"subnets.json": read("fixtures/alb/subnets.json"), "page.har": read("fixtures/recordings/portal-chrome.har"),
		"access.log": log, "access.log.1.gz": packed.String(),
		"rules.json": read("fixtures/edge/portal-20.json"),
		"ips.json":   `{"result":{"ipv4_cidrs":["173.245.48.0/20"],"ipv6_cidrs":["2400:cb00::/32"],"etag":"x"},"success":true,"errors":[],"messages":[]}`,
	} {
		r.write(name, text)
	}
	r.must("git", "add", "-A")
	r.must("git", "commit", "-q", "-m", "as it is")
	r.must("git", "update-ref", "refs/remotes/origin/main", "HEAD")
	if err := os.Symlink(filepath.Join(root, "fixtures"), filepath.Join(r.dir, "fixtures")); err != nil {
		t.Skip(err)
	}
	return r
}

// wordsOf splits a line as a shell does: at blanks outside of quotes. Patterns are left to the program.
func wordsOf(line string) (words []string) {
	var word strings.Builder
	var quote rune
	open := false
	for _, r := range line + " " {
		switch {
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	return words
}

var (
	prompt    = regexp.MustCompile(`^\w*\$ `)
	remark    = regexp.MustCompile(`\s+# .*$`)
	elsewhere = strings.NewReplacer("/etc/nginx/nginx.conf", "nginx.conf", "/var/log/nginx/", "")
)

// commandsOf are the lines of a block that are commands: all of a shell's, and those with a prompt or the program's name
// of one without a language.
func commandsOf(language, block string) (lines []string) {
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", "")) {
		line = remark.ReplaceAllString(strings.TrimRight(line, "\n"), "")
		bare := prompt.ReplaceAllString(line, "")
		if bare == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if language == "" && bare == line && !strings.Contains(line, "ngxlimit ") && !hasReason(line) {
			continue
		}
		lines = append(lines, bare)
	}
	return lines
}

func hasReason(command string) bool {
	for start := range notRun {
		if command == start || strings.HasPrefix(command, start+" ") {
			return true
		}
	}
	return false
}

// Whatever command a page shows does its work where its files are there, or is named above with the reason why nobody
// tries it.
func TestShownCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the documentation")
	}
	root := nginxtest.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	dump, err := os.ReadFile(filepath.Join(root, "fixtures", "alb", "before.dump"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NO_COLOR", "1")
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			var commands []string
			for _, block := range shown.FindAllStringSubmatch(string(text), -1) {
				if block[1] == "" || block[1] == "sh" || block[1] == "bash" {
					commands = append(commands, commandsOf(block[1], block[2])...)
				}
			}
			for _, span := range inline.FindAllStringSubmatch(shown.ReplaceAllString(string(text), ""), -1) {
				if command := strings.ReplaceAll(span[1], "\n", " "); !pattern.MatchString(command) {
					commands = append(commands, command)
				}
			}
			if len(commands) == 0 {
				t.Skip("no commands")
			}
			t.Chdir(stage(t).dir)
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			for _, command := range commands {
				if !hasReason(command) || strings.Contains(command, "| ngxlimit ") {
					runShown(t, command, dump)
				}
			}
		})
	}
}

// runShown runs a command of a page; what is piped into it is a dump.
func runShown(t *testing.T, command string, dump []byte) {
	t.Helper()
	command = elsewhere.Replace(command)
	stages := strings.Split(command, " | ")
	words := wordsOf(stages[len(stages)-1])
	var args []string
	for _, word := range words[min(1, len(words)):] {
		found, err := filepath.Glob(word)
		if err != nil || len(found) == 0 || strings.Contains(command, "'"+word+"'") {
			found = []string{word}
		}
		args = append(args, found...)
	}
	if len(words) == 0 || words[0] != "ngxlimit" {
		t.Errorf("%s: it is not run, and no reason is given", command)
		return
	}
	if cmd, rest, err := newRoot(&app{}).Find(args); err == nil && cmd.Args != nil && len(rest) == 0 {
		args = append(args, "--help") // the name of a command that takes arguments
	}
	var out, errs bytes.Buffer
	if status := Main(args, bytes.NewReader(dump), &out, &errs); status > exitFound {
		t.Errorf("%s: status %d: %s", command, status, &errs)
	}
}
