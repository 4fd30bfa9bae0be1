package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// What one message may be. A header line that is longer is passed over.
const (
	maxMessage = 64 << 20 // bytes of content
	maxHeader  = 4 << 10  // bytes of a header line
)

// The codes of JSON-RPC and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeFailed         = -32803
	codeCancelled      = -32800
)

// A failure is the error of a response.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

func failed(code int, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

// A message is a request, a notification (without an ID), or the response to a request of ours (without a method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`

	fault *failure // what came is none of these
}

// call says whether the message is a request, which wants a response.
func (m *message) call() bool { return m.ID != nil && m.Method != "" }

// A reader takes messages off a stream. What is no message is one with a fault: the next one is looked for behind it.
type reader struct{ in *bufio.Reader }

func newReader(in io.Reader) *reader { return &reader{bufio.NewReaderSize(in, maxHeader)} }

// next returns the next message; the error is that of the stream, io.EOF at its end.
func (r *reader) next() (*message, error) {
	size, err := r.header()
	if err != nil {
		return nil, err
	}
	if size > maxMessage {
		if _, err := io.CopyN(io.Discard, r.in, size); err != nil {
			return nil, err
		}
		return &message{fault: failed(codeInvalidRequest, "the message has %d bytes, more than the %d that are taken", size, maxMessage)}, nil
	}
	// The buffer grows with what comes: a length alone takes no memory.
	var content bytes.Buffer
	if _, err := io.CopyN(&content, r.in, size); err != nil {
		return nil, err
	}
	return decode(content.Bytes()), nil
}

// header reads up to the empty line behind a length. Lines that are none of a header are passed over, so that the
// messages behind one with a wrong length are found again: a header may then stand behind the rest of that one.
func (r *reader) header() (int64, error) {
	const name = "content-length:"
	size := int64(-1)
	for {
		line, err := r.in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !long {
			return 0, err
		}
		text := strings.ToLower(string(line))
		if i := strings.LastIndex(text, name); i >= 0 {
			if n, err := strconv.ParseInt(strings.TrimSpace(text[i+len(name):]), 10, 64); err == nil && n >= 0 {
				size = n
			}
			continue
		}
		if size >= 0 && !long && strings.TrimSpace(text) == "" {
			return size, nil
		}
	}
}

// decode reads the content of a message.
func decode(content []byte) *message {
	var m message
	if err := json.Unmarshal(content, &m); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || !json.Valid(content) {
			return &message{fault: failed(codeParse, "the message is no JSON: %v", err)}
		}
		return &message{ID: idOf(content), fault: failed(codeInvalidRequest, "the message is no request: %v", err)}
	}
	switch {
	case m.ID != nil && !validID(m.ID):
		m = message{fault: failed(codeInvalidRequest, "the message's id is neither a number nor a text")}
	case m.Version != "2.0":
		m.fault = failed(codeInvalidRequest, "the message is none of JSON-RPC 2.0")
	case m.Method == "" && m.ID == nil:
		m.fault = failed(codeInvalidRequest, "the message has neither a method nor an id")
	}
	return &m
}

// idOf is the ID of a message that is otherwise at fault; nil where it has none that could be named.
func idOf(content []byte) json.RawMessage {
	var only struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(content, &only) != nil || !validID(only.ID) {
		return nil
	}
	return only.ID
}

func validID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	c := id[0]
	return c == '"' || c == '-' || c >= '0' && c <= '9'
}

// A response answers a request: with a result, which may be null, or with an error.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null where it is not known
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// A notice is a notification to the client, or with an ID a request to it.
type notice struct {
	Version string `json:"jsonrpc"`
	ID      string `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// write sends one message.
func write(out io.Writer, v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	_, err = out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(content)), content...))
	return err
}
