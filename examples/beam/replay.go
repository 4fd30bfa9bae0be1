package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn1x2[string, string, string](&HostFn{})
	register.DoFn4x1[context.Context, string, func(*string) bool, func([]byte), error](&PartFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(string), error](&MergeFn{})
	register.DoFn1x1[string, error](&WriteFn{})
	register.Iter1[string]()
	register.Iter1[[]byte]()
	register.Emitter1[[]byte]()
	register.Emitter1[string]()
}

// A Program is ngxlimit, and what it is told on every worker. The configuration and the logs have to be there by the same
// paths.
type Program struct {
	Path, Config, Nginx string
}

// Replay turns the paths of logs into one report. All logs of one nginx go to one worker, as its zones count their requests
// together; of different ones nothing depends on the others.
func Replay(s beam.Scope, logs beam.PCollection, program Program, format string) beam.PCollection {
	s = s.Scope("ngxlimit.Replay")
	byHost := beam.GroupByKey(s, beam.ParDo(s, &HostFn{Nginx: program.Nginx}, logs))
	parts := beam.ParDo(s, &PartFn{Program: program}, byHost)
	return beam.ParDo(s, &MergeFn{Program: program, Format: format}, beam.GroupByKey(s, beam.AddFixedKey(s, parts)))
}

// A HostFn finds the nginx that wrote a log.
type HostFn struct {
	Nginx string

	pattern *regexp.Regexp
}

// Setup compiles the pattern.
func (f *HostFn) Setup() { f.pattern = regexp.MustCompile(f.Nginx) }

// ProcessElement returns the name and the log.
func (f *HostFn) ProcessElement(path string) (host, same string) {
	if m := f.pattern.FindStringSubmatch(path); len(m) > 1 {
		host = m[1]
	}
	return host, path
}

// A PartFn replays the logs of one nginx.
type PartFn struct{ Program Program }

// ProcessElement emits the part.
func (f *PartFn) ProcessElement(ctx context.Context, _ string, logs func(*string) bool, emit func([]byte)) error {
	var paths []string
	for path := ""; logs(&path); {
		paths = append(paths, path)
	}
	slices.Sort(paths) // they come in any order
	args := slices.Concat([]string{"replay", f.Program.Config}, paths, []string{"--nginx", f.Program.Nginx, "--partial", "-"})
	part, err := f.Program.run(ctx, args...)
	if err != nil {
		return err
	}
	emit(part)
	return nil
}

// A MergeFn merges the parts.
type MergeFn struct {
	Program Program
	Format  string
}

// ProcessElement emits the report.
func (f *MergeFn) ProcessElement(ctx context.Context, _ int, parts func(*[]byte) bool, emit func(string)) error {
	dir, err := os.MkdirTemp("", "parts")
	if err != nil {
		return fmt.Errorf("keep the parts: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	args := []string{"replay", "--merge", "--format", f.Format}
	for part := []byte(nil); parts(&part); {
		path := filepath.Join(dir, strconv.Itoa(len(args)))
		if err := os.WriteFile(path, part, 0o600); err != nil {
			return fmt.Errorf("keep the parts: %w", err)
		}
		args = append(args, path)
	}
	report, err := f.Program.run(ctx, args...)
	if err != nil {
		return err
	}
	emit(string(report))
	return nil
}

// run runs ngxlimit and returns what it printed.
func (p *Program) run(ctx context.Context, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", p.Path, args[0], err, said.String())
	}
	return out.Bytes(), nil
}
