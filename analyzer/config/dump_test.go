package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

var update = flag.Bool("update", false, "write the goldens anew; commit only what is understood")

// Trees as people would draw them, with the origin of each setting that is not nginx's default. An archive holds the
// files of a configuration, its main file first, and the drawing as tree.golden. A comment "version: 1.14.0" judges for
// that version, "context: http server" makes a fragment of it.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/tree/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
	dir := t.TempDir()
	main, want := "", []byte(nil)
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if f.Name == "tree.golden" {
			want = f.Data
			continue
		}
		kept = append(kept, f)
		to := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		if main == "" {
			main = to
		}
	}
	o := load.Options{Prefix: dir}
	if context := comment(archive, "context"); context != "" {
		o.Context = strings.Fields(context)
	}
	inputs, err := load.Load([]string{main}, o)
	if err != nil || len(inputs) != 1 {
		t.Fatalf("load: %v, %d inputs", err, len(inputs))
	}
	version := comment(archive, "version")
	if version == "" {
		version = "1.22.1"
	}
	got := draw(Resolve(inputs[0], Options{Version: version}), dir)
	if *update {
		archive.Files = kept
		archive.Files = append(archive.Files, txtar.File{Name: "tree.golden", Data: got})
		if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func comment(a *txtar.Archive, key string) string {
	for line := range strings.Lines(string(a.Comment)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A drawer writes a tree for people.
type drawer struct {
	strings.Builder
	dir string
}

func draw(t *Tree, dir string) []byte {
	d := &drawer{dir: dir}
	if h := t.HTTP; h != nil {
		d.line(0, "http%s", d.block(&h.Level))
		for _, name := range sorted(h.Zones) {
			z := h.Zones[name]
			d.line(1, "zone %s: key %s, %d/1000 per second, %d bytes%s", name, z.Key.Text, z.Rate, z.Size, d.origin(z.Directive.Span(), z.Via))
		}
		for _, name := range sorted(h.ConnZones) {
			z := h.ConnZones[name]
			d.line(1, "conn zone %s: key %s, %d bytes%s", name, z.Key.Text, z.Size, d.origin(z.Directive.Span(), z.Via))
		}
		for _, name := range sorted(h.LogFormats) {
			if f := h.LogFormats[name]; f.Directive != nil {
				d.line(1, "log format %s (%s): %s", name, f.Escape, f.Text)
			}
		}
		d.settings(1, &h.Level)
		for _, s := range h.Servers {
			d.server(s)
		}
	}
	for _, r := range t.Refusals {
		level := "refused"
		if r.Warning {
			level = "warned"
		}
		d.line(0, "%s %s: %s:%d %s", level, r.Kind, d.path(r.Span.File), r.Line, strings.ReplaceAll(r.Text, dir, ""))
		d.line(1, "at %q in %q", r.Span.Text(), r.Context)
		if r.Related != nil {
			d.line(1, "see %s:%d", d.path(r.Related.File), r.Related.From().Line)
		}
	}
	return []byte(d.String())
}

func sorted[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (d *drawer) line(depth int, format string, args ...any) {
	fmt.Fprintf(d, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

func (d *drawer) path(f *source.File) string {
	if f == nil {
		return "-"
	}
	return strings.TrimPrefix(f.Path, d.dir+"/")
}

func (d *drawer) block(l *Level) string {
	if l.Directive == nil {
		return " (implied)"
	}
	return d.origin(l.Directive.Span(), l.Via)
}

func (d *drawer) origin(s source.Span, via *Via) string {
	text := fmt.Sprintf(" (%s:%d", d.path(s.File), s.From().Line)
	for ; via != nil; via = via.Outer {
		text += fmt.Sprintf(" via %s:%d", d.path(via.Include.File), via.Include.Span().From().Line)
	}
	return text + ")"
}

func (d *drawer) server(s *Server) {
	var listens, names []string
	for _, l := range s.Listens {
		text := listenText(l.Address, l.Port)
		if l.LastPort != l.Port {
			text += fmt.Sprintf("-%d", l.LastPort)
		}
		for _, flag := range []struct {
			on   bool
			name string
		}{{l.Default, "default"}, {l.SSL, "ssl"}, {l.HTTP2, "http2"}, {l.QUIC, "quic"}, {l.ProxyProtocol, "proxy_protocol"}} {
			if flag.on {
				text += " " + flag.name
			}
		}
		listens = append(listens, text)
	}
	for _, n := range s.Names {
		names = append(names, fmt.Sprintf("%q", n.Text))
	}
	d.line(1, "%s on %s, names %s%s", s.Context()[1], strings.Join(listens, ", "), strings.Join(names, " "), d.block(&s.Level))
	if !s.MergeSlashes {
		d.line(2, "merge_slashes off")
	}
	d.settings(2, &s.Level)
	for _, l := range s.Ifs {
		d.branch(2, l)
	}
	for _, l := range s.Locations {
		d.location(2, l)
	}
}

func (d *drawer) location(depth int, l *Location) {
	handler := "files"
	if l.Handler != nil {
		handler = l.Handler.Name().Value
	}
	if l.Internal {
		handler += ", internal"
	}
	d.line(depth, "location %s: %s%s", l.Label(), handler, d.block(&l.Level))
	d.settings(depth+1, &l.Level)
	for _, b := range l.Ifs {
		d.branch(depth+1, b)
	}
	if l.Except != nil {
		d.branch(depth+1, l.Except)
	}
	for _, inner := range l.Locations {
		d.location(depth+1, inner)
	}
}

func (d *drawer) branch(depth int, l *Level) {
	path := l.Context()
	d.line(depth, "%s%s", path[len(path)-1], d.block(l))
	d.settings(depth+1, l)
}
