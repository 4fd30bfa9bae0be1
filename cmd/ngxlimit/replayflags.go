package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	inputFlags
	logFormat, host, nginxes, nginx, output, salt string
	fields                                        fieldNames
	from, to                                      instant
	redact                                        bool
	format                                        *choice
	parts                                         partFlags
	edge                                          edgeFlags

	pattern *regexp.Regexp // of nginxes
}

func newReplayFlags() *replayFlags {
	return &replayFlags{format: oneOf("text", "text", "json", "html"), edge: newEdgeFlags()}
}

func (f *replayFlags) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.registerLogs(flags)
	flags.StringVar(&f.host, "host", "", "`host` that was asked for where the log does not say it (default: that of the server whose access_log it is, else of the first server with a limit)")
	f.registerRedact(flags)
	flags.Var(f.format, "format", "how to print")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	f.edge.addSimulate(flags)
	f.add(flags)
}

// registerRedact registers what is not to be shown.
func (f *replayFlags) registerRedact(flags *pflag.FlagSet) {
	flags.BoolVar(&f.redact, "redact", false, "show hashes in the place of addresses, key values and query strings")
	flags.StringVar(&f.salt, "redact-salt", "", "secret `text` that the hashes are made with, so that those of several runs can be compared (default: another one each time)")
}

// registerLogs registers what says how logs are read.
func (f *replayFlags) registerLogs(flags *pflag.FlagSet) {
	flags.StringVar(&f.logFormat, "log-format", "auto", "`format` of the logs: auto, json, combined, common, main, the name of a log_format of the configuration, or the text of one")
	flags.Var(&f.fields, "fields", "names of the fields of JSON lines: time=ts,ip=client,rt=took,... (ngxlimit help replay lists them)")
	flags.Var(&f.from, "from", "leave out what arrived before: 2026-03-02T08:00:00Z, 2026-03-02T08:00:00.250+01:00, or seconds since 1970")
	flags.Var(&f.to, "to", "leave out what arrived then or later")
	flags.StringVar(&f.nginxes, "nginx", "", "`pattern` (regular expression) that finds the name of the nginx in a log's path, in its first group; each nginx has zones of its own. In JSON lines --fields nginx=NAME names it")
	flags.StringVar(&f.nginx, "nginx-name", "", "`name` of the nginx that wrote the logs, where neither their lines nor --nginx names it")
	for _, name := range []string{"from", "to"} {
		flags.Lookup(name).DefValue = "" // what their text says is not one value
	}
}

// check refuses what does not go together.
func (f *replayFlags) check() error {
	if f.salt != "" && !f.redact {
		return errors.New("--redact-salt is of use with --redact only")
	}
	if f.from.ms != 0 && f.to.ms != 0 && f.from.ms >= f.to.ms {
		return errors.New("--from is not before --to")
	}
	if f.nginxes == "" {
		return nil
	}
	re, err := regexp.Compile(f.nginxes)
	if err != nil {
		return fmt.Errorf("--nginx: %w", err)
	}
	if re.NumSubexp() == 0 {
		return errors.New("--nginx: the pattern has no group that would be the name, as in 'logs/([^/]+)/'")
	}
	f.pattern = re
	return nil
}

// nginxOf is the name of the nginx that wrote a log.
func (f *replayFlags) nginxOf(path string) string {
	if f.pattern != nil {
		if m := f.pattern.FindStringSubmatch(path); m != nil {
			return m[1]
		}
	}
	return f.nginx
}

// named refuses a pattern that finds no name in any log: all would be taken for those of one nginx.
func (f *replayFlags) named(logs []string) error {
	if f.pattern != nil && len(logs) > 0 && !slices.ContainsFunc(logs, f.pattern.MatchString) {
		return fmt.Errorf("--nginx %s: no log's path has such a name in it, as in %s", f.nginxes, logs[0])
	}
	return nil
}

// redactor returns what stands in for texts that may tell who somebody is; nil where they are shown.
func (f *replayFlags) redactor() (func(string) string, error) {
	if !f.redact {
		return nil, nil //nolint:nilnil // nothing is replaced
	}
	salt := []byte(f.salt)
	if len(salt) == 0 {
		salt = make([]byte, 32)
		if _, err := rand.Read(salt); err != nil {
			return nil, fmt.Errorf("make a secret: %w", err)
		}
	}
	return func(text string) string {
		h := hmac.New(sha256.New, salt)
		h.Write([]byte(text))
		return "#" + hex.EncodeToString(h.Sum(nil)[:6])
	}, nil
}

// fieldNames is a flag of the form OURS=THEIRS,...
type fieldNames struct{ values accesslog.Fields }

func (f *fieldNames) Type() string   { return "NAME=FIELD,..." }
func (f *fieldNames) String() string { return "" }

func (f *fieldNames) Set(s string) error {
	if f.values == nil {
		f.values = accesslog.Fields{}
	}
	for pair := range strings.SplitSeq(s, ",") {
		ours, theirs, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || ours == "" || theirs == "" {
			return fmt.Errorf("want NAME=FIELD,..., as in time=ts,ip=client")
		}
		f.values[ours] = theirs
	}
	return f.values.Check()
}

// instant is a flag that takes a moment.
type instant struct {
	ms   int64
	text string
}

func (i *instant) Type() string   { return "TIME" }
func (i *instant) String() string { return i.text }

func (i *instant) Set(s string) error {
	ms, ok := accesslog.ParseTime(s)
	if !ok || ms <= 0 {
		return fmt.Errorf("%q is no time: want one such as %s, or seconds since 1970", s, time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC).Format(time.RFC3339))
	}
	i.ms, i.text = ms, s
	return nil
}
