// Package lsp is the language server: it speaks the Language Server Protocol 3.17 with an editor, lays the texts of its
// open documents over the files on disk, and shows what the other packages know. It decides nothing about a configuration
// itself. It reads nothing outside of the folder that the editor works in, and writes no file: changes are offered to the
// editor.
//
// The framing and the few messages of the protocol that are spoken are its own. The libraries that there are for it bring
// the whole protocol, most of it generated, a logger and a JSON library, for three hundred lines that are needed here; and
// the answers to what is no message are better written where they can be read.
package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
)

// Options say how the server works.
type Options struct {
	Version string       // of ngxlimit
	Load    load.Options // how configurations are read; relative folders are those of the workspace

	// Settings reads a settings file, and what it names, without leaving a folder. A path of "" is of no file.
	Settings     func(path, root string) (settings.Settings, error)
	SettingsFile string // to read in place of the one that is looked for; "" looks for it

	Debounce time.Duration // how long nothing has to be typed before a configuration is judged
	Log      io.Writer     // for faults of the server's own
}

// Serve speaks with one client until it says exit or its stream ends. It returns the exit status that the protocol
// demands: 0 where shutdown was asked for first, else 1.
func Serve(in io.Reader, out io.Writer, o Options) int {
	s := &server{
		options: o, out: out, units: utf16Units,
		documents: map[string]*document{}, published: map[string]bool{}, told: map[string]bool{},
		queue:  queue{pending: map[string]bool{}, cancelled: map[string]bool{}},
		judged: make(chan outcome, 1), settlement: newSettlement(),
	}
	s.snapshot = s.take()
	done := make(chan struct{})
	defer close(done)
	incoming := make(chan *message, 64)
	go s.queue.fill(newReader(in), incoming, done)
	for {
		select {
		case m, ok := <-incoming:
			if !ok {
				return s.status()
			}
			if m.Method == "exit" && m.ID == nil && m.fault == nil {
				return s.status()
			}
			s.take1(m)
		case <-s.due():
			s.timer = nil
			s.judge()
		case found := <-s.judged:
			s.judging = false
			s.publish(found)
		}
		if s.gone {
			return 1
		}
	}
}

// The stages of a server's life.
type stage int

const (
	fresh stage = iota
	running
	shut
)

// A server is the state of one conversation. All of it but the queue belongs to the goroutine of Serve.
type server struct {
	options Options
	out     io.Writer
	gone    bool // the client reads no more

	stage  stage
	client initializeParams
	units  encoding
	roots  []root

	documents  map[string]*document // open, by URI
	turn       int                  // counts opens and changes
	snapshot   *snapshot            // of the documents as they are now
	last       *snapshot            // that was judged; nil at first
	settlement *settlement
	timer      *time.Timer // nil where nothing is to be judged
	judging    bool        // a goroutine is at it
	judged     chan outcome
	published  map[string]bool // URIs with findings that the client shows
	told       map[string]bool // messages that were shown, so that each is shown once
	requests   int             // that were sent to the client

	queue queue
}

// A queue holds the requests that were read and not yet answered, since a client may cancel them.
type queue struct {
	sync.Mutex
	pending, cancelled map[string]bool
}

// fill reads messages until the stream ends.
func (q *queue) fill(in *reader, to chan<- *message, done <-chan struct{}) {
	defer close(to)
	for {
		m, err := in.next()
		if err != nil {
			return
		}
		q.note(m)
		select {
		case to <- m:
		case <-done:
			return
		}
	}
}

// note keeps what was asked, and what is no longer wanted.
func (q *queue) note(m *message) {
	q.Lock()
	defer q.Unlock()
	switch {
	case m.fault != nil:
	case m.call():
		q.pending[string(m.ID)] = true
	case m.Method == "$/cancelRequest":
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(m.Params, &p) == nil && q.pending[string(p.ID)] {
			q.cancelled[string(p.ID)] = true
		}
	}
}

// begin takes a request off the queue, and says whether it was cancelled.
func (q *queue) begin(id json.RawMessage) (cancelled bool) {
	q.Lock()
	defer q.Unlock()
	cancelled = q.cancelled[string(id)]
	delete(q.cancelled, string(id))
	delete(q.pending, string(id))
	return cancelled
}

func (s *server) status() int {
	if s.stage == shut {
		return 0
	}
	return 1
}

// due fires when the documents have been left alone for long enough.
func (s *server) due() <-chan time.Time {
	if s.timer == nil || s.judging {
		return nil
	}
	return s.timer.C
}

// send writes one message, unless the client is gone.
func (s *server) send(v any) {
	if write(s.out, v) != nil {
		s.gone = true
	}
}

func (s *server) notify(method string, params any) {
	s.send(notice{Version: "2.0", Method: method, Params: params})
}

// ask sends a request, whose answer does not matter.
func (s *server) ask(method string, params any) {
	s.requests++
	s.send(notice{Version: "2.0", ID: fmt.Sprintf("ngxlimit-%d", s.requests), Method: method, Params: params})
}

// tell shows a message to the person, once.
func (s *server) tell(kind int, text string) {
	if s.told[text] {
		return
	}
	s.told[text] = true
	s.notify("window/showMessage", map[string]any{"type": kind, "message": "ngxlimit: " + text})
}

// respond answers a request.
func (s *server) respond(id json.RawMessage, result any, err error) {
	r := response{Version: "2.0", ID: id}
	if err == nil {
		r.Result, err = json.Marshal(result)
	}
	if err != nil {
		f, ok := errors.AsType[*failure](err)
		if !ok {
			f = &failure{codeInternal, err.Error()}
		}
		r.Result, r.Error = nil, f
	}
	s.send(r)
}

// take1 handles one message.
func (s *server) take1(m *message) {
	switch {
	case m.fault != nil:
		s.respond(m.ID, nil, m.fault)
	case m.Method == "": // the answer to a request of ours
	case m.call():
		cancelled := s.queue.begin(m.ID)
		if cancelled {
			s.respond(m.ID, nil, failed(codeCancelled, "%s was cancelled", m.Method))
			return
		}
		result, err := s.guarded(m)
		s.respond(m.ID, result, err)
	default:
		if _, err := s.guarded(m); err != nil && s.stage == running {
			s.notify("window/logMessage", map[string]any{"type": 1, "message": "ngxlimit: " + m.Method + ": " + err.Error()})
		}
	}
}

// guarded handles a message so that a fault of the server's own costs the answer, not what the person has typed.
func (s *server) guarded(m *message) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(s.options.Log, "ngxlimit: %s: %v\n%s", m.Method, fault, debug.Stack()) //nolint:errcheck // there is nowhere left to say so
			result, err = nil, failed(codeInternal, "%s: a fault in ngxlimit: %v", m.Method, fault)
		}
	}()
	return s.handle(m)
}

// handle does what a message asks for, where its time is right.
func (s *server) handle(m *message) (any, error) {
	handler, known := handlers[m.Method]
	switch {
	case s.stage == fresh && m.Method != "initialize":
		if !m.call() {
			return nil, nil
		}
		return nil, failed(codeNotInitialized, "%s: the first request must be initialize", m.Method)
	case s.stage == shut:
		return nil, failed(codeInvalidRequest, "%s: the server was shut down", m.Method)
	case !known && m.call():
		return nil, failed(codeNoMethod, "%q is no method that is known", m.Method)
	case !known:
		return nil, nil
	}
	return handler(s, m.Params)
}

// A handler answers a request; of a notification nothing is answered.
type handler func(*server, json.RawMessage) (any, error)

// with makes a handler of a function that takes its parameters decoded.
func with[P any](f func(*server, *P) (any, error)) handler {
	return func(s *server, params json.RawMessage) (any, error) {
		var p P
		if len(params) == 0 {
			params = json.RawMessage("null")
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, failed(codeInvalidParams, "the parameters cannot be read: %v", err)
		}
		return f(s, &p)
	}
}

// handlers are the methods that are known. It is filled when the program starts, as the handlers refer to it.
var handlers map[string]handler

func init() {
	ignore := func(*server, json.RawMessage) (any, error) { return nil, nil }
	handlers = map[string]handler{
		"initialize":                          with((*server).initialize),
		"initialized":                         with((*server).initialized),
		"shutdown":                            func(s *server, _ json.RawMessage) (any, error) { s.stage = shut; return nil, nil },
		"exit":                                ignore,
		"$/cancelRequest":                     ignore, // the queue has seen it
		"$/setTrace":                          ignore,
		"textDocument/didOpen":                with((*server).didOpen),
		"textDocument/didChange":              with((*server).didChange),
		"textDocument/didSave":                with((*server).didSave),
		"textDocument/didClose":               with((*server).didClose),
		"workspace/didChangeWatchedFiles":     func(s *server, _ json.RawMessage) (any, error) { s.disk(); return nil, nil },
		"workspace/didChangeConfiguration":    func(s *server, _ json.RawMessage) (any, error) { s.disk(); return nil, nil },
		"workspace/didChangeWorkspaceFolders": with((*server).foldersChanged),
		"textDocument/hover":                  with((*server).hover),
		"textDocument/definition":             with((*server).definition),
		"textDocument/references":             with((*server).references),
		"textDocument/prepareRename":          with((*server).prepareRename),
		"textDocument/rename":                 with((*server).rename),
		"textDocument/completion":             with((*server).completion),
		"textDocument/documentSymbol":         with((*server).symbols),
		"textDocument/codeAction":             with((*server).codeActions),
		"codeAction/resolve":                  with((*server).resolveAction),
	}
}

// disk notes that files may have changed.
func (s *server) disk() {
	s.settlement = newSettlement()
	s.changed()
}

// changed notes that what was found may hold no more.
func (s *server) changed() {
	s.snapshot = s.take()
	if s.timer == nil {
		s.timer = time.NewTimer(s.options.Debounce)
	} else {
		s.timer.Reset(s.options.Debounce)
	}
}

// An outcome is what judging one snapshot came to.
type outcome struct {
	of       *snapshot
	messages []string
	files    map[string]*publishParams // by URI
	fault    string
}

// judge looks for findings in all that is open, on the side.
func (s *server) judge() {
	s.judging = true
	of := s.snapshot
	go func() {
		found := outcome{of: of}
		defer func() {
			if fault := recover(); fault != nil {
				found.fault = fmt.Sprintf("judging the configuration: %v\n%s", fault, debug.Stack())
			}
			s.judged <- found
		}()
		found.files, found.messages = of.diagnose(&s.client)
	}()
}

// publish tells the client what was found, and clears what is mended. What was found in texts that have changed meanwhile
// is not told: it is being looked for again.
func (s *server) publish(found outcome) {
	if found.fault != "" {
		fmt.Fprintf(s.options.Log, "ngxlimit: %s", found.fault) //nolint:errcheck // there is nowhere left to say so
		s.tell(severityError, "a fault in ngxlimit keeps the configuration from being judged")
		return
	}
	if found.of != s.snapshot {
		return
	}
	s.last = found.of
	for _, text := range found.messages {
		s.tell(severityWarning, text)
	}
	for uri := range s.published {
		if found.files[uri] == nil {
			s.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
			delete(s.published, uri)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(found.files)) {
		s.notify("textDocument/publishDiagnostics", found.files[uri])
		if len(found.files[uri].Diagnostics) > 0 || s.documents[uri] != nil {
			s.published[uri] = true
		}
	}
}
