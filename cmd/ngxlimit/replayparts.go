package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// partFlags are the flags of replay for logs that are replayed where they lie.
type partFlags struct {
	partial string
	merge   bool
}

func (f *partFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.partial, "partial", "", "write what came of these logs to `file`, for --merge, and no report. The logs of one nginx belong into one such file")
	flags.BoolVar(&f.merge, "merge", false, "the arguments are files of --partial: report on them as one run over all their logs would have")
}

// check refuses what does not go together with the flags that were given.
func (f *partFlags) check(flags *pflag.FlagSet, redact bool, salt string) error {
	switch {
	case f.merge && f.partial != "":
		return errors.New("--partial and --merge cannot be given together: parts are not merged in steps")
	case f.partial != "" && (flags.Changed("format") || flags.Changed("output")):
		return errors.New("--partial writes no report: --format and --output are for --merge")
	case f.partial != "" && flags.Changed("edge"):
		return errors.New("--partial and --edge cannot be given together: an edge counts what comes to all nginx hosts, and a part has some of them")
	case f.partial != "" && redact && salt == "":
		return errors.New("--partial with --redact needs --redact-salt, the same for all parts: hashes of different secrets cannot be compared")
	}
	if !f.merge {
		return nil
	}
	var err error
	flags.Visit(func(given *pflag.Flag) {
		switch given.Name {
		case "merge", "format", "output":
			return
		}
		if err == nil {
			err = fmt.Errorf("--merge takes no --%s: it is said where the parts are written", given.Name)
		}
	})
	return err
}

// saltDigest tells secrets apart without telling them.
func saltDigest(salt string) string {
	if salt == "" {
		return ""
	}
	h := hmac.New(sha256.New, []byte(salt))
	h.Write([]byte("the secret of parts of a replay"))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// configDigest tells configurations apart by what was read of them.
func configDigest(tree *config.Tree, f *inputFlags) string {
	sum := contentOf(tree.Input)
	h := sha256.New()
	h.Write(sum[:])
	fmt.Fprintf(h, "%q", []string(f.context))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// headOf says what was replayed through what.
func (f *replayFlags) headOf(tree *config.Tree, path string, refused []string) replay.Head {
	return replay.Head{
		Tool: toolVersion(), Config: configDigest(tree, &f.inputFlags), Input: path, NginxVersion: f.nginxVersion, FromMs: f.from.ms, ToMs: f.to.ms, Host: f.host,
		Redacted: saltDigest(f.salt), Refused: append([]string{}, refused...),
	}
}

// writePart writes what came of logs for --merge. Whether enough of the lines could be used is for that to judge.
func (a *app) writePart(f *replayFlags, p *replay.Part) error {
	if err := p.Exact(); err != nil {
		return fmt.Errorf("--partial: %w", err)
	}
	return a.writeOutput(f.parts.partial, p.Write)
}

// mergeParts reports on parts.
func (a *app) mergeParts(f *replayFlags, args []string) error {
	names, err := logNames(args)
	if err != nil {
		return err
	}
	parts := make([]replay.Named, 0, len(names))
	for _, name := range names {
		p, err := a.readPart(name)
		if err != nil {
			return err
		}
		if p.Head.Tool != toolVersion() {
			return fmt.Errorf("%s was written by ngxlimit %s, and this is %s: write and merge parts with the same ngxlimit", name, p.Head.Tool, toolVersion())
		}
		parts = append(parts, replay.Named{File: name, Part: p})
	}
	result, head, err := replay.Merge(parts)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return a.writeReplay(f, report.Replay{Result: result, Input: head.Input, Version: toolVersion()})
}

func (a *app) readPart(name string) (*replay.Part, error) {
	if name == "-" {
		return replay.ReadPart(oserror.Reader(a.stdin), name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, oserror.Bare(err))
	}
	defer func() { _ = file.Close() }()
	return replay.ReadPart(oserror.Reader(file), name)
}

// writeReplay prints what came of a replay.
func (a *app) writeReplay(f *replayFlags, shown report.Replay) error {
	result := shown.Result
	err := a.writeOutput(f.output, func(w io.Writer) error {
		switch f.format.value {
		case "json":
			return report.EncodeJSON(w, result)
		case "html":
			return report.WriteReplayHTML(w, shown)
		}
		return report.WriteReplay(w, shown, a.screen(f.output))
	})
	if err == nil && result.Unusable() {
		return errors.New(unused(result))
	}
	return err
}
