package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// logNames finds the logs that are meant: a name that is no file may be a pattern.
func logNames(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		if _, err := os.Lstat(arg); arg != "-" && errors.Is(err, fs.ErrNotExist) {
			if found, _ := filepath.Glob(arg); len(found) > 0 {
				slices.Sort(found)
				if err := allRegular(found, arg); err != nil {
					return nil, err
				}
				names = append(names, found...)
				continue
			}
		}
		names = append(names, arg)
	}
	return names, allOnce(names)
}

// allOnce refuses a log that is named twice, be it by another name: each of its requests would count twice.
func allOnce(names []string) error {
	files := make([]fs.FileInfo, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("log %s is named twice", name)
		}
		info, err := os.Stat(name)
		if err != nil || name == "-" || info.IsDir() {
			continue // it is said when it is opened
		}
		if at := slices.IndexFunc(files[:i], func(f fs.FileInfo) bool { return f != nil && os.SameFile(f, info) }); at >= 0 {
			return fmt.Errorf("log %s is the same file as %s: its requests would count twice", name, names[at])
		}
		files[i] = info
	}
	return nil
}

// allRegular refuses a pipe or a device that nobody named: a pattern or a folder came upon it, and reading it may never end.
func allRegular(found []string, in string) error {
	for _, name := range found {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("read %s: %s is no regular file", in, name)
		}
	}
	return nil
}

// An opener opens logs, and finds out in which format they are written.
type opener struct {
	app    *app
	flags  *replayFlags
	tree   *config.Tree
	wanted []string // variables

	kept spools // files that stand in for what comes only once

	timeless bool // logs without times will do
	edge     *replay.Edge
	quiet    bool // which format a log has was said already

	read int64 // bytes of all files so far
	size int64 // of all files
}

// sources prepares the logs. Each is looked into, and opened again when its time has come; what comes only once is read on.
func (o *opener) sources(names []string) ([]replay.Source, error) {
	if err := o.flags.named(names); err != nil {
		return nil, err
	}
	list := make([]replay.Source, 0, len(names))
	for _, name := range names {
		s, err := o.source(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, oserror.Bare(err))
		}
		list = append(list, s)
	}
	o.tellTwice(list)
	return list, nil
}

// peeked is how much of a log is looked at.
const peeked = 128 << 10

func (o *opener) source(name string) (replay.Source, error) {
	s := replay.Source{Name: name, Nginx: o.flags.nginxOf(name)}
	text, done, err := o.open(name)
	if err != nil {
		return s, err
	}
	head, long, b := firstLines(text)
	block := accesslog.Block{Text: string(head), First: true, Long: long}
	if err := accesslog.Strange(head); err != nil {
		done()
		return s, err
	}
	format, server, err := o.formatOf(name, block)
	if err == nil {
		s.Server = server
		s.Reader, err = accesslog.NewReader(format, o.options())
	}
	if err != nil {
		done()
		return s, err
	}
	var first accesslog.Batch
	s.Reader.Parser().Parse(block, &first)
	if falls, of := newestFirst(first.Records); falls > 0 && !o.timeless {
		done()
		return s, fmt.Errorf("its newest lines stand first (the time falls %d times among the first %d lines), and requests are replayed in the order in which they were logged: turn it round (tac)", falls, of)
	}
	s.First = firstTime(first.Records)
	if o.edge != nil {
		for _, v := range o.edge.Variables() {
			if s.Reader.Holds(v, block) {
				s.Held = append(s.Held, v)
			}
		}
	}
	if o.kept[name] == nil && comesOnce(name) {
		s.Open = func() (io.Reader, func(), error) { return b, done, nil }
		return s, nil
	}
	done()
	if info, err := os.Stat(o.fileOf(name)); err == nil {
		o.size += info.Size()
	}
	s.Open = func() (io.Reader, func(), error) {
		text, done, err := o.openCounted(name)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, oserror.Bare(err))
		}
		return text, done, nil
	}
	return s, nil
}

// mostLong is how many lines that are longer than what is looked at may stand in front of the first one that is not.
const mostLong = 16

// firstLines returns the first whole lines of a log, behind those that are too long to be looked at, and a reader of all of it:
// of such a line it holds as much as tells that it is too long. long says that there are only such.
func firstLines(text io.Reader) (head []byte, long bool, all io.Reader) {
	b := bufio.NewReaderSize(text, peeked)
	var front []byte
	for range mostLong {
		var err error
		if head, err = b.Peek(peeked); err != nil { // there is no more
			break
		}
		if end := bytes.LastIndexByte(head, '\n') + 1; end > 0 {
			head = head[:end]
			break
		}
		front = append(append(front, head[:accesslog.LongestLine+1]...), '\n')
		for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
			_, err = b.ReadSlice('\n')
		}
		head = nil
	}
	return head, len(front) > 0 && len(head) == 0, io.MultiReader(bytes.NewReader(front), b)
}

func (o *opener) options() accesslog.Options {
	return accesslog.Options{Fields: o.flags.fields.values, Headers: o.wanted, Timeless: o.timeless}
}

func (o *opener) open(name string) (io.Reader, func(), error) { return o.unpack(name, nil) }

func (o *opener) openCounted(name string) (io.Reader, func(), error) { return o.unpack(name, &o.read) }

func (o *opener) unpack(name string, count *int64) (io.Reader, func(), error) {
	if name == "-" && o.kept[name] == nil {
		return accesslog.Unpack(o.app.stdin)
	}
	f, err := os.Open(o.fileOf(name))
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, nil, errors.New("it is a folder")
	}
	text, done, err := accesslog.Unpack(&countedReader{f, count})
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return text, func() {
		done()
		_ = f.Close()
	}, nil
}

// fileOf is the file that a log is read from.
func (o *opener) fileOf(name string) string {
	if s := o.kept[name]; s != nil {
		return s.path
	}
	return name
}

// countedReader tells how much of a file has been read.
type countedReader struct {
	r io.Reader
	n *int64 // nil: nobody wants to know
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n != nil {
		atomic.AddInt64(c.n, int64(n))
	}
	return n, err
}

// farApart is how far, in milliseconds, the times of neighbouring lines may be apart that are both right.
const farApart = 30 * 24 * 60 * 60 * 1000

// firstTime is when a log begins: the earliest of the times of its first lines, but for such as are far from the others and
// may be wrong.
func firstTime(records []accesslog.Record) int64 {
	times := make([]int64, min(len(records), 21))
	for i := range times {
		times[i] = records[i].Time
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	at := len(times) / 2
	for at > 0 && times[at]-times[at-1] <= farApart {
		at--
	}
	return times[at]
}

// newestFirst says whether a log's first records stand in the opposite of their order, as exports write them: how often their
// time falls, or 0, and how many they are. Of a log as it was written single times fall.
func newestFirst(records []accesslog.Record) (falls, of int) {
	rises := 0
	for i := 1; i < len(records); i++ {
		switch a, b := records[i-1].Time, records[i].Time; {
		case b < a:
			falls++
		case b > a:
			rises++
		}
	}
	if falls < 3 || falls < 4*rises || records[0].Time <= records[len(records)-1].Time {
		falls = 0
	}
	return falls, len(records)
}

// formatOf returns the format of a log, and the server that it belongs to where the configuration says so by its name.
func (o *opener) formatOf(name string, block accesslog.Block) (accesslog.Format, *config.Server, error) {
	own, server := o.byName(name)
	text := o.flags.logFormat
	switch f, known := accesslog.Known(text); {
	case text == "json":
		return accesslog.JSON, server, nil
	case known:
		return f, server, nil
	case text != "auto":
		if f := o.tree.HTTP.LogFormats[text]; f != nil {
			return formatText(f), server, nil
		}
		if !strings.Contains(text, "$") {
			return f, nil, fmt.Errorf("--log-format: %w", unknownName("format", text, append(slices.Sorted(maps.Keys(o.tree.HTTP.LogFormats)), "auto", "json", "common", "main")))
		}
		return accesslog.Format{Name: "as given", Text: text}, server, nil
	}
	if len(o.flags.fields.values) > 0 && strings.HasPrefix(strings.TrimSpace(block.Text), "{") {
		return o.asJSON(name, block, server)
	}
	given := own
	for _, name := range slices.Sorted(maps.Keys(o.tree.HTTP.LogFormats)) {
		if f := formatText(o.tree.HTTP.LogFormats[name]); !slices.Contains(given, f) {
			given = append(given, f)
		}
	}
	guess := accesslog.Detect(block, given, o.options())
	if guess.Fit == 0 && guess.Of > 0 {
		return guess.Format, nil, accesslog.Unreadable(block, o.options())
	}
	if guess.Of == 0 {
		guess.Format = accesslog.JSON
	}
	switch {
	case o.quiet:
		return guess.Format, server, nil
	case guess.Of == 0:
		complain(o.app.stderr, fmt.Errorf("%s: %s", name, nothingIn(block)))
		return guess.Format, server, nil
	}
	o.tell(name, guess)
	return guess.Format, server, nil
}

// asJSON takes lines that are JSON by --fields and by no log_format, which would say all of them.
func (o *opener) asJSON(name string, block accesslog.Block, server *config.Server) (accesslog.Format, *config.Server, error) {
	guess := accesslog.Detect(block, []accesslog.Format{accesslog.JSON}, o.options())
	if guess.Format.Name != accesslog.JSON.Name {
		return guess.Format, nil, accesslog.Unreadable(block, o.options())
	}
	o.tell(name, guess)
	return guess.Format, server, nil
}

// tell says which format a log has.
func (o *opener) tell(name string, guess accesslog.Guess) {
	if !o.quiet {
		complain(o.app.stderr, fmt.Errorf("%s: format %s (%d of the first %d lines fit)", name, guess.Format.Name, guess.Fit, guess.Of))
	}
}

// nothingIn says why a log has no line to look at.
func nothingIn(block accesslog.Block) string {
	switch {
	case block.Long:
		return "it begins with lines that are too long, and is taken for JSON lines"
	case block.Text == "":
		return "the log is empty"
	}
	return "it begins with nothing but blank lines, or such as are too long, and is taken for JSON lines"
}

func formatText(f *config.LogFormat) accesslog.Format {
	return accesslog.Format{Name: f.Name, Text: f.Text, Escape: f.Escape}
}

// rotated are the endings that the rotation of logs adds.
var rotated = regexp.MustCompile(`(?i)([.-](\d+|old|gz|zst|zstd))+$`)

// byName finds the formats in which the configuration writes a log of that name, and its server where only one writes it.
func (o *opener) byName(name string) ([]accesslog.Format, *config.Server) {
	base := baseName(name)
	var formats []accesslog.Format
	servers := map[*config.Server]bool{}
	look := func(l *config.Level, s *config.Server) {
		for _, log := range l.Settings.AccessLogs.Value {
			f := o.tree.HTTP.LogFormats[log.Format]
			if f == nil || filepath.Base(filepath.ToSlash(log.Path)) != base {
				continue
			}
			servers[s] = true
			if text := formatText(f); !slices.Contains(formats, text) {
				formats = append(formats, text)
			}
		}
	}
	for _, s := range o.tree.HTTP.Servers {
		look(&s.Level, s)
		for l := range s.AllLocations {
			look(&l.Level, s)
		}
	}
	if len(servers) != 1 || o.flags.host != "" {
		return formats, nil
	}
	for s := range servers {
		return formats, s
	}
	return formats, nil
}
