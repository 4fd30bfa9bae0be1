package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func methodIs(method string) func(map[string]json.RawMessage) bool {
	return func(m map[string]json.RawMessage) bool { return string(m["method"]) == `"`+method+`"` }
}

func TestLifecycle(t *testing.T) {
	c := connect(t, t.TempDir())
	if f := c.request("textDocument/hover", "{}", nil); f == nil || f.Code != codeNotInitialized {
		t.Errorf("before initialize: %v", f)
	}
	c.notify("textDocument/didOpen", "{}") // is dropped
	can := c.initialize(`{"general": {"positionEncodings": ["utf-32", "utf-8", "utf-16"]}}`)
	if can["positionEncoding"] != "utf-8" {
		t.Errorf("agreed on %v", can["positionEncoding"])
	}
	if f := c.request("initialize", "{}", nil); f == nil || f.Code != codeInvalidRequest {
		t.Errorf("initialize again: %v", f)
	}
	if f := c.request("workspace/nonsense", "{}", nil); f == nil || f.Code != codeNoMethod {
		t.Errorf("a method that is not known: %v", f)
	}
	if f := c.request("$/nonsense", "{}", nil); f == nil || f.Code != codeNoMethod {
		t.Errorf("an optional method that is not known: %v", f)
	}
	c.notify("$/nonsense", "{}")
	c.notify("workspace/nonsense", "[1]")
	for _, params := range []string{`[]`, `{"textDocument": 7}`, `{"textDocument": {"uri": "file:///none"}, "position": {"line": -1, "character": 0}}`, `{"textDocument": {"uri": "file:///none"}}`, `null`} {
		if f := c.request("textDocument/hover", params, nil); f == nil || f.Code != codeInvalidParams {
			t.Errorf("hover with %s: %v", params, f)
		}
	}
	c.must("shutdown", "null", nil)
	if f := c.request("textDocument/hover", "{}", nil); f == nil || f.Code != codeInvalidRequest {
		t.Errorf("after shutdown: %v", f)
	}
	c.notify("exit", "null")
	if status := c.ended(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestEndWithoutShutdown(t *testing.T) {
	c := start(t, site)
	c.notify("exit", "null")
	if status := c.ended(); status != 1 {
		t.Errorf("exit without shutdown: status %d", status)
	}
	c = start(t, site)
	c.out.Close()
	if status := c.ended(); status != 1 {
		t.Errorf("the stream's end: status %d", status)
	}
}

// What is no message is answered as JSON-RPC says, and the messages behind it are found.
func TestBrokenMessages(t *testing.T) {
	c := start(t, site)
	alive := func(after string) {
		t.Helper()
		if f := c.request("workspace/nonsense", "{}", nil); f == nil || f.Code != codeNoMethod {
			t.Fatalf("after %s: %v", after, f)
		}
	}
	const good = `{"jsonrpc":"2.0","id":"x","method":"$/alive"}`
	frame := func(n int, content string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", n, content) }
	deep := strings.Repeat("[", 100_000)
	for _, test := range []struct {
		name, raw, id string
		code          int
	}{
		{"bad JSON", frame(5, "{nope"), "null", codeParse},
		{"JSON that is too deep", frame(len(deep), deep), "null", codeParse},
		{"nothing", frame(0, ""), "null", codeParse},
		{"a number", frame(1, "7"), "null", codeInvalidRequest},
		{"a batch", frame(2, "[]"), "null", codeInvalidRequest},
		{"no version", frame(22, `{"id":1,"method":"x" }`), "1", codeInvalidRequest},
		{"an id that is none", frame(40, `{"jsonrpc":"2.0","id":{},"method":"xxx"} `), "null", codeInvalidRequest},
		{"a method that is none", frame(36, `{"jsonrpc":"2.0","id":5,"method":77}`), "5", codeInvalidRequest},
		{"a length that is too small", frame(10, good+"\r\n"), "null", codeParse},
		{"a length that is too large", frame(len(good)+30, good+"\r\n"), "null", codeParse},
		{"a length that is none", "Content-Length: -5\r\n\r\nContent-Length: many\r\n\r\n" + frame(len(good), good), `"x"`, codeNoMethod},
		{"a line without end", strings.Repeat("x", 3*maxHeader) + "\r\n" + frame(len(good), good), `"x"`, codeNoMethod},
		{"other headers", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + frame(len(good), good), `"x"`, codeNoMethod},
		{"a header in small letters", "content-length:" + fmt.Sprint(len(good)) + "\n\n" + good, `"x"`, codeNoMethod},
	} {
		c.raw(test.raw)
		if test.name == "a length that is too large" {
			c.raw(frame(len(good), good)) // a part of it is taken for the rest of the message before
			c.raw("\r\n")
		}
		if f := c.answer(test.id, nil); f == nil || f.Code != test.code {
			t.Errorf("%s: %v", test.name, f)
		}
		alive(test.name)
	}
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n", maxMessage+1))
	block := strings.Repeat("x", 1<<20)
	for range maxMessage >> 20 {
		c.raw(block)
	}
	c.raw("x")
	if f := c.answer("null", nil); f == nil || f.Code != codeInvalidRequest {
		t.Errorf("a huge message: %v", f)
	}
	alive("a huge message")
	c.send(`{"jsonrpc":"2.0","id":"ngxlimit-1","result":null}`) // an answer to a request of the server
	alive("an answer")
}

func TestCancel(t *testing.T) {
	var out strings.Builder
	s := &server{out: &out, queue: queue{pending: map[string]bool{}, cancelled: map[string]bool{}}}
	q := &s.queue
	cancel := &message{Method: "$/cancelRequest", Params: json.RawMessage(`{"id":7}`)}
	q.note(cancel) // of what is not asked yet
	if len(q.cancelled) > 0 {
		t.Error("what nobody asked for is kept")
	}
	q.note(&message{ID: json.RawMessage("7"), Method: "x"})
	q.note(cancel)
	if !q.begin(json.RawMessage("7")) || len(q.pending)+len(q.cancelled) > 0 {
		t.Errorf("not cancelled: %+v", q.pending)
	}
	q.pending["8"], q.cancelled["8"] = true, true
	s.take1(&message{Version: "2.0", ID: json.RawMessage("8"), Method: "textDocument/hover"})
	if !strings.Contains(out.String(), fmt.Sprint(codeCancelled)) {
		t.Errorf("answered: %s", out.String())
	}
}

// An edit at any place of any text gives the same in every encoding, and positions lead back to where they are from.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "ü", "\u20ac", "\U0001f5fb", "\n", "\r\n", "\r", "\xff", "\xe2\x82"})).Draw(t, "text"), "")
		units := rapid.SampledFrom([]encoding{utf8Units, utf16Units, utf32Units}).Draw(t, "units")
		l := newLines(text, units)
		for at := range len(text) + 1 {
			p := l.position(uint32(at))
			back := l.offset(p)
			if back > uint32(at) || l.position(back) != p {
				t.Fatalf("offset %d is %v, which is offset %d", at, p, back)
			}
		}
		far := l.offset(position{rapid.Uint32().Draw(t, "line"), rapid.Uint32().Draw(t, "character")})
		if int(far) > len(text) {
			t.Fatalf("a position lies behind the text, at %d", far)
		}
	})
	for _, test := range []struct {
		units encoding
		want  uint32
	}{{utf8Units, 7}, {utf16Units, 4}, {utf32Units, 3}} {
		if got := newLines("x\n\U0001f5fbüyz", test.units).position(2 + 4 + 2 + 1); got != (position{1, test.want}) {
			t.Errorf("in %s: %v", test.units, got)
		}
	}
}

// FuzzServe sends any bytes to a server that has a document open: it must end with the stream, without a fault.
func FuzzServe(f *testing.F) {
	frame := func(content string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content) }
	f.Add([]byte(frame(`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:a"},"position":{"line":2,"character":3}}}`)))
	f.Add([]byte(frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[{"range":{"start":{"line":9,"character":0},"end":{"line":0,"character":99}},"text":"}"}]}}`)))
	f.Add([]byte("Content-Length: 99999999999999999999\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		const text = `limit_req_zone $a zone=z:1m rate=1r/s;\nserver { location / { limit_req zone=z burst=2; } }\n`
		head := frame(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"rootUri":null,"capabilities":{}}}`) +
			frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","languageId":"nginx","version":1,"text":"`+text+`"}}}`)
		Serve(io.MultiReader(strings.NewReader(head), strings.NewReader(string(sent))), io.Discard,
			Options{Debounce: time.Hour, Log: testLog{t}, Settings: settingsFor})
	})
}
