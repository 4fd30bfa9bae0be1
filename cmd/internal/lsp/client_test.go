package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules"
)

// patience is how long a test waits for the server. It is long, because machines may be busy.
const patience = 30 * time.Second

// A client is an editor's side of a conversation.
type client struct {
	*testing.T
	dir     string
	out     io.WriteCloser
	got     chan json.RawMessage
	status  chan int
	next    int
	pending []json.RawMessage // read and not yet looked for
	texts   map[string]string // open documents, by their path below dir
	version map[string]int
}

// what a client can do, unless a test says otherwise.
const able = `{"general": {"positionEncodings": ["utf-16"]},
 "workspace": {"workspaceEdit": {"documentChanges": true}, "didChangeWatchedFiles": {"dynamicRegistration": true}},
 "textDocument": {"publishDiagnostics": {"relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true, "tagSupport": {"valueSet": [1, 2]}},
  "codeAction": {"codeActionLiteralSupport": {}, "isPreferredSupport": true, "dataSupport": true, "resolveSupport": {"properties": ["edit"]}},
  "documentSymbol": {"hierarchicalDocumentSymbolSupport": true}, "hover": {"contentFormat": ["markdown"]}}}`

// start begins a conversation over pipes, in a folder with the files of a txtar archive.
func start(t *testing.T, files string) *client {
	t.Helper()
	c := connect(t, unpack(t, files))
	c.initialize(able)
	return c
}

func unpack(t *testing.T, files string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(files)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func connect(t *testing.T, dir string) *client {
	in, out := io.Pipe()
	from, to := io.Pipe()
	c := &client{
		T: t, dir: dir, out: out, got: make(chan json.RawMessage, 1000), status: make(chan int, 1),
		texts: map[string]string{}, version: map[string]int{},
	}
	go func() {
		c.status <- Serve(in, to, Options{Version: "test", Debounce: 5 * time.Millisecond, Log: testLog{t}, Settings: settingsFor})
		to.Close()
	}()
	go c.read(bufio.NewReader(from))
	t.Cleanup(func() { out.Close(); from.Close() })
	return c
}

func settingsFor(path, _ string) (settings.Settings, error) {
	return settings.Load(path, settings.Known{Rules: rules.All(), Fan: traffic.Builtin})
}

// testLog fails a test in which the server has a fault to tell.
type testLog struct{ *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.Errorf("the server's log: %s", p)
	return len(p), nil
}

// read takes the server's messages apart, as strictly as the protocol allows.
func (c *client) read(in *bufio.Reader) {
	defer close(c.got)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		size, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(line, "Content-Length: "), "\r\n"))
		if err != nil {
			c.Errorf("a header of the server: %q", line)
			return
		}
		if empty, err := in.ReadString('\n'); empty != "\r\n" || err != nil {
			c.Errorf("behind a header: %q", empty)
			return
		}
		content := make([]byte, size)
		if _, err := io.ReadFull(in, content); err != nil || !json.Valid(content) {
			c.Errorf("a message of the server: %q", content)
			return
		}
		c.got <- content
	}
}

func (c *client) raw(text string) {
	c.Helper()
	if _, err := io.WriteString(c.out, text); err != nil {
		c.Fatal(err)
	}
}

func (c *client) send(content string) {
	c.Helper()
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content))
}

func (c *client) notify(method string, params any) {
	c.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, asJSON(c.T, params)))
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	if text, ok := v.(string); ok {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// await returns the next message that a test looks for; others stay for later.
func (c *client) await(what string, is func(m map[string]json.RawMessage) bool) map[string]json.RawMessage {
	c.Helper()
	fits := func(content json.RawMessage) map[string]json.RawMessage {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(content, &m); err != nil {
			c.Fatal(err)
		}
		if is(m) {
			return m
		}
		return nil
	}
	for i, content := range c.pending {
		if m := fits(content); m != nil {
			c.pending = slices.Delete(c.pending, i, i+1)
			return m
		}
	}
	timeout := time.After(patience)
	for {
		select {
		case content, ok := <-c.got:
			if !ok {
				c.Fatalf("the server ended before it sent %s", what)
			}
			if m := fits(content); m != nil {
				return m
			}
			c.pending = append(c.pending, content)
		case <-timeout:
			c.Fatalf("the server did not send %s; it sent %s", what, c.pending)
		}
	}
}

// request asks, and decodes the answer into result. An error of the server is returned.
func (c *client) request(method string, params, result any) *failure {
	c.Helper()
	c.next++
	id := strconv.Itoa(c.next)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, asJSON(c.T, params)))
	return c.answer(id, result)
}

func (c *client) answer(id string, result any) *failure {
	c.Helper()
	m := c.await("an answer to request "+id, func(m map[string]json.RawMessage) bool {
		return string(m["id"]) == id && m["method"] == nil
	})
	if m["error"] != nil {
		var f failure
		if err := json.Unmarshal(m["error"], &f); err != nil {
			c.Fatal(err)
		}
		return &f
	}
	if m["result"] == nil {
		c.Fatalf("an answer with neither a result nor an error: %v", m)
	}
	if result != nil {
		if err := json.Unmarshal(m["result"], result); err != nil {
			c.Fatalf("%s: %v", m["result"], err)
		}
	}
	return nil
}

// must is a request that is to succeed.
func (c *client) must(method string, params, result any) {
	c.Helper()
	if f := c.request(method, params, result); f != nil {
		c.Fatalf("%s: %v", method, f)
	}
}

func (c *client) initialize(capabilities string) map[string]any {
	c.Helper()
	var result struct{ Capabilities map[string]any }
	c.must("initialize", fmt.Sprintf(`{"processId":null,"rootUri":%q,"capabilities":%s}`, uriOf(c.dir), capabilities), &result)
	c.notify("initialized", "{}")
	return result.Capabilities
}

func (c *client) uri(name string) string {
	return uriOf(filepath.Join(c.dir, filepath.FromSlash(name)))
}

// open opens a file with the text that it has on disk.
func (c *client) open(name string) {
	c.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
	if err != nil {
		c.Fatal(err)
	}
	c.openText(name, string(text))
}

func (c *client) openText(name, text string) {
	c.Helper()
	c.version[name]++
	c.texts[name] = text
	c.notify("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": c.uri(name), "languageId": "nginx", "version": c.version[name], "text": text},
	})
}

// change replaces the first place of a text in a document by another one, as an editor does.
func (c *client) change(name, old, text string) {
	c.Helper()
	r := c.place(name, old)
	c.version[name]++
	c.texts[name] = strings.Replace(c.texts[name], old, text, 1)
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.uri(name), "version": c.version[name]},
		"contentChanges": []any{map[string]any{"range": r, "text": text}},
	})
}

// place is the range of the first place of a text in a document, in UTF-16.
func (c *client) place(name, text string) textRange {
	c.Helper()
	i := strings.Index(c.texts[name], text)
	if i < 0 {
		c.Fatalf("%s does not hold %q", name, text)
	}
	return newLines(c.texts[name], utf16Units).between(uint32(i), uint32(i+len(text)))
}

func (c *client) save(name, text string) {
	c.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

// found waits for the diagnostics of a file as it is now, and returns the rules that they name.
func (c *client) found(name string) (codes []string, all []diagnostic) {
	c.Helper()
	p := c.published(c.uri(name), c.version[name])
	for _, d := range p.Diagnostics {
		codes = append(codes, d.Code)
	}
	return codes, p.Diagnostics
}

// published waits for the diagnostics of a URI, of a version where it is open.
func (c *client) published(uri string, version int) publishParams {
	c.Helper()
	var p publishParams
	c.await(fmt.Sprintf("diagnostics of %s, version %d", uri, version), func(m map[string]json.RawMessage) bool {
		if string(m["method"]) != `"textDocument/publishDiagnostics"` {
			return false
		}
		p = publishParams{}
		if err := json.Unmarshal(m["params"], &p); err != nil {
			c.Fatal(err)
		}
		return p.URI == uri && (version == 0 || p.Version != nil && int(*p.Version) == version)
	})
	return p
}

// at are the parameters of a request about the start of a text in a document, moved by some bytes.
func (c *client) at(name, text string, by int) map[string]any {
	c.Helper()
	i := strings.Index(c.texts[name], text)
	if i < 0 {
		c.Fatalf("%s does not hold %q", name, text)
	}
	return map[string]any{
		"textDocument": map[string]any{"uri": c.uri(name)},
		"position":     newLines(c.texts[name], utf16Units).position(uint32(i + by)),
	}
}

// bye ends the conversation, and returns the exit status.
func (c *client) bye() int {
	c.Helper()
	c.must("shutdown", "null", nil)
	c.notify("exit", "null")
	return c.ended()
}

func (c *client) ended() int {
	c.Helper()
	select {
	case status := <-c.status:
		return status
	case <-time.After(patience):
		c.Fatal("the server does not end")
		return -1
	}
}

// applied returns the documents as they are after a change of the workspace.
func (c *client) applied(w *workspaceEdit) map[string]string {
	c.Helper()
	after := map[string]string{}
	for _, d := range w.DocumentChanges {
		rel, err := filepath.Rel(c.dir, pathOf(d.TextDocument.URI))
		if err != nil {
			c.Fatal(err)
		}
		name := filepath.ToSlash(rel)
		text, open := c.texts[name]
		if !open {
			b, err := os.ReadFile(filepath.Join(c.dir, rel))
			if err != nil {
				c.Fatal(err)
			}
			text = string(b)
		} else if d.TextDocument.Version == nil || int(*d.TextDocument.Version) != c.version[name] {
			c.Errorf("%s is open at version %d; the edit is for %v", name, c.version[name], d.TextDocument.Version)
		}
		l := newLines(text, utf16Units)
		edits := slices.Clone(d.Edits)
		slices.SortStableFunc(edits, func(a, b textEdit) int { return int(l.offset(b.Range.Start)) - int(l.offset(a.Range.Start)) })
		for _, e := range edits {
			text = text[:l.offset(e.Range.Start)] + e.NewText + text[l.offset(e.Range.End):]
		}
		after[name] = text
	}
	return after
}
