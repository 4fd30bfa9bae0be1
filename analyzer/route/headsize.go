package route

import (
	"strconv"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// nginx's default sizes for what it reads requests into.
const (
	firstBuffer  = 1 << 10
	largeBuffers = 4
	largeBuffer  = 8 << 10
)

// first is the size of the buffer that a connection begins with: client_header_buffer_size of the default server.
func (g *group) first() int {
	if n := g.firstSize.Load(); n != 0 {
		return int(n)
	}
	n := g.readFirst()
	g.firstSize.Store(int64(n))
	return n
}

func (g *group) readFirst() int {
	if it, ok := g.standard.site.Server.Effective("client_header_buffer_size"); ok {
		if n, ok := config.ParseSize(it.Arg(0)); ok {
			return int(min(n, 1<<30))
		}
	}
	return firstBuffer
}

// large is what large_client_header_buffers of a server says.
func large(s *config.Server) (number, size int) {
	it, ok := s.Effective("large_client_header_buffers")
	if !ok || it.NumArgs() != 2 {
		return largeBuffers, largeBuffer
	}
	number, err := strconv.Atoi(it.Arg(0))
	n, ok := config.ParseSize(it.Arg(1))
	if err != nil || !ok {
		return largeBuffers, largeBuffer
	}
	return number, int(min(n, 1<<30))
}

// A head is the reading of a request line and of headers into nginx's buffers (ngx_http_alloc_large_header_buffer). Only
// HTTP/1 is read so; what clients send beside what is known of them is not counted.
type head struct {
	left int // room in the buffer at hand
	busy int // large ones in use
}

// line takes one more line of that length, with its end, while a server's settings are in force. It is not ok where there is
// no room.
func (h *head) line(length int, s *config.Server) (ok bool) {
	if length <= h.left {
		h.left -= length
		return true
	}
	number, size := large(s)
	if h.left >= size || length > size || h.busy >= number { // what was read of the line goes to the new buffer as well
		return false
	}
	h.busy++
	h.left = size - length
	return true
}

// lineEnd and between are the bytes of a line beside its words.
const (
	lineEnd = len("\r\n")
	between = len(": ")
)

// lineLength is the length of the request line.
func lineLength(req *request.Request) int {
	method := len(req.Method)
	if method == 0 {
		method = len("GET")
	}
	return method + len(" ") + len(req.Target) + len(" HTTP/1.1") + lineEnd
}

func headerLength(h *request.Header) int { return len(h.Name) + between + len(h.Value) + lineEnd }

// small says that a request fits the first buffer as nginx has it by default, which most do.
func small(req *request.Request) bool {
	n := lineLength(req) + len("Host: ") + len(req.Host) + 2*lineEnd
	for i := range req.Headers {
		n += headerLength(&req.Headers[i])
	}
	return n <= firstBuffer
}

// readLine reads the request line. nil: nothing needs to be counted.
func readLine(v *value.Request, a *group, c *Choice) (h *head, ok bool) {
	req := v.HTTP
	if req.Protocol > "HTTP/1.1" && len(req.Protocol) == len("HTTP/1.1") {
		return nil, true
	}
	first := a.first()
	if first >= firstBuffer && small(req) {
		return nil, true
	}
	h = &head{left: first}
	return h, h.line(lineLength(req), c.Server)
}

// readHeaders reads the headers, Host in front: before it the server that was chosen by the request line is in force,
// behind it the one that it names.
func (h *head) readHeaders(req *request.Request, before, behind *config.Server) (ok bool) {
	if h == nil {
		return true
	}
	if !req.NoHost && !h.line(len("Host: ")+len(req.Host)+lineEnd, before) {
		return false
	}
	for i := range req.Headers {
		if !h.line(headerLength(&req.Headers[i]), behind) {
			return false
		}
	}
	return h.line(lineEnd, behind)
}
