package changes

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
)

// A repository's own settings can name programs for git to run. None of them is needed to read what it holds, and one may
// be judged that nobody trusts yet: of git's commands only those are asked that show objects and the index as they are
// stored, and what these might start is switched off. Filters, text conversions and attributes are not applied by them.
var safely = []string{
	"--no-pager",
	"--literal-pathspecs",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.untrackedCache=false",
	"-c", "protocol.allow=never", // a partial clone fetches what it lacks, by programs that it names
}

// command is a command of git in a folder.
func command(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clip(safely), args...)...)
	cmd.Dir, cmd.Env = folder, ownEnvironment()
	return cmd
}

// git runs a command of git in a folder and returns what it prints.
func git(ctx context.Context, folder string, args ...string) (string, error) {
	var out bytes.Buffer
	err := pipe(command(ctx, folder, args...), nil, func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	})
	return out.String(), err
}

// pipe runs a command, with a text to read and a function that reads what it prints. An error of that function is the one
// that counts, unless git has failed itself.
func pipe(cmd *exec.Cmd, stdin io.Reader, read func(io.Reader) error) error {
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run git: %w", oserror.Bare(err))
	}
	wrong := read(out)
	if wrong != nil {
		cmd.Process.Kill() //nolint:errcheck // it may be through already
	}
	switch err := cmd.Wait(); {
	case wrong != nil:
		return wrong
	case err == nil:
		return nil
	default:
		if text, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n"); text != "" {
			return fmt.Errorf("git: %s", strings.TrimPrefix(text, "fatal: "))
		}
		return fmt.Errorf("run git: %w", err)
	}
}

// ownEnvironment is the environment without what a hook says of the repository that it runs for: git finds the one that a
// folder lies in.
func ownEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF":
			continue
		}
		env = append(env, v)
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0")
}
