package nginxtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Limited is what became of one request, as far as nginx shows it at once.
type Limited struct {
	Response        // Status 0 where nginx lets the request wait
	Delayed  bool   // by limit_req: nginx has not answered yet
	Zone     string // that limit_req named in its log; "" where it logged nothing
	Excess   int64  // as logged, in thousandths of a request
}

// limitLine is what limit_req logs of a request that it refuses or delays, dry or in earnest.
var limitLine = regexp.MustCompile(`(limiting requests|delaying request)(, dry run)?, excess: (\d+)\.(\d{3}),? by zone "([^"]*)"`)

// Ask sends the head of a request, without its empty line at the end, from an address of the loopback interface, and
// waits until nginx has answered it or lets it wait; then it closes the connection. The head must ask for
// "Connection: close". How limit_req decided is read from error.log, which must be at level info: the limiter's own
// messages must not be below that.
func (s *Server) Ask(t testing.TB, from string, port int, head string) Limited {
	t.Helper()
	before := len(s.ErrorLog(t))
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", net.JoinHostPort(loopbackOf(from), strconv.Itoa(port)))
	if err != nil {
		t.Fatalf("connect to nginx: %v", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, head+"\r\n\r\n"); err != nil {
		t.Fatalf("send %q: %v", head, err)
	}
	var answer strings.Builder
	buffer := make([]byte, 4096)
	for end := time.Now().Add(startBound); time.Now().Before(end); {
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
		n, err := conn.Read(buffer)
		answer.Write(buffer[:n])
		l := limitedBy(s.ErrorLog(t)[before:])
		switch {
		case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
			l.read(t, head, answer.String())
			return l
		case l.Delayed:
			return l
		}
	}
	t.Fatalf("nginx decides nothing about %q; its answer so far: %q", head, answer.String())
	return Limited{}
}

// loopbackOf is where a client of the given address finds the server.
func loopbackOf(from string) string {
	if strings.Contains(from, ":") {
		return "::1"
	}
	return "127.0.0.1"
}

func limitedBy(log string) (l Limited) {
	m := limitLine.FindStringSubmatch(log)
	if m == nil {
		return l
	}
	if _, err := fmt.Sscanf(m[3]+m[4], "%d", &l.Excess); err != nil {
		return Limited{}
	}
	l.Zone, l.Delayed = m[5], m[1] == "delaying request" && m[2] == ""
	return l
}

func (l *Limited) read(t testing.TB, head, answer string) {
	t.Helper()
	if l.Delayed = false; answer == "" { // nginx closed the connection
		return
	}
	c := &Client{reader: bufio.NewReader(strings.NewReader(answer))}
	var err error
	if l.Response, err = c.read(strings.HasPrefix(head, "HEAD ")); err != nil {
		t.Fatalf("read the answer to %q: %v", head, err)
	}
}

// AccessLog returns the last line of a log of requests below the prefix; "" where it has none.
func (s *Server) AccessLog(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Prefix, name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return lines[len(lines)-1]
}

// Logged waits until a log of requests below the prefix has n lines, and returns the last of them. nginx writes a line
// when it is done with a request, which may be later than the client has its answer.
func (s *Server) Logged(t testing.TB, name string, n int) string {
	t.Helper()
	for end := time.Now().Add(startBound); time.Now().Before(end); time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(s.Prefix, name))
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(string(text), "\n"); len(lines) > n {
			return lines[n-1]
		}
	}
	t.Fatalf("%s has no %d lines after %s", name, n, startBound)
	return ""
}
