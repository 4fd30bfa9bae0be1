package nginxtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Client sends requests to a server of the loopback interface byte for byte as they are given, where net/http would
// clean them. It keeps its connection as long as the server does.
type Client struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

// A Response is what the server answered. The status is 0 where it closed the connection without an answer.
type Response struct {
	Status int
	Header textproto.MIMEHeader
	Body   string
}

// NewClient returns a client of 127.0.0.1:port. Its connection is closed when the test ends.
func NewClient(t testing.TB, port int) *Client {
	c := &Client{address: fmt.Sprintf("127.0.0.1:%d", port)}
	t.Cleanup(c.close)
	return c
}

func (c *Client) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// Send sends the head of a request, without its empty line at the end, and reads the answer.
func (c *Client) Send(t testing.TB, head string) Response {
	t.Helper()
	for attempt := 0; ; attempt++ {
		fresh := c.conn == nil
		r, err := c.try(head)
		if err == nil {
			return r
		}
		c.close()
		if fresh || attempt > 0 { // a connection that was kept may have been closed in the meantime
			if errors.Is(err, io.EOF) {
				return Response{}
			}
			t.Fatalf("send %q: %v", head, err)
		}
	}
}

func (c *Client) try(head string) (Response, error) {
	if c.conn == nil {
		conn, err := c.dial()
		if err != nil {
			return Response{}, err
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(startBound)); err != nil {
		return Response{}, err
	}
	if _, err := io.WriteString(c.conn, head+"\r\n\r\n"); err != nil {
		return Response{}, err
	}
	return c.read(strings.HasPrefix(head, "HEAD "))
}

// dial connects. A server that was just started may listen on one of its ports before it does on another.
func (c *Client) dial() (net.Conn, error) {
	for end := time.Now().Add(startBound); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp4", c.address, startBound)
		if err == nil || !errors.Is(err, syscall.ECONNREFUSED) || time.Now().After(end) {
			return conn, err
		}
	}
}

func (c *Client) read(bodyless bool) (Response, error) {
	tp := textproto.NewReader(c.reader)
	line, err := tp.ReadLine()
	if err != nil {
		return Response{}, err
	}
	var r Response
	if _, rest, ok := strings.Cut(line, " "); ok {
		r.Status, _ = strconv.Atoi(rest[:min(3, len(rest))])
	}
	if r.Header, err = tp.ReadMIMEHeader(); err != nil {
		return r, err
	}
	length, _ := strconv.Atoi(r.Header.Get("Content-Length"))
	if !bodyless {
		body := make([]byte, length)
		if _, err := io.ReadFull(c.reader, body); err != nil {
			return r, err
		}
		r.Body = string(body)
	}
	if r.Header.Get("Connection") == "close" {
		c.close()
	}
	return r, nil
}
