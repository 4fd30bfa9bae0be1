package nginxtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// startBound is how long an nginx may take until it listens, and to end once it is told to.
const startBound = 10 * time.Second

// A Server is one nginx that a test started: one process, on the loopback interface, with a folder of its own as prefix.
type Server struct {
	Prefix string // the folder that relative paths of the configuration lead to
	cmd    *exec.Cmd
	output *lockedBuffer
	done   chan struct{}
}

// Start runs nginx on the configuration and waits until port accepts connections. The configuration must keep its own
// files (pid, logs, temporary paths) below the prefix by relative paths; "error.log" below the prefix is nginx's first log.
// clock, where it is not nil, is the time that nginx sees. The server is stopped when the test ends.
func Start(t testing.TB, conf string, port int, clock *Clock) *Server {
	t.Helper()
	return start(t, conf, port, clock, "daemon off; master_process off;")
}

// StartWorkers is Start with a master process and as many workers as the configuration says.
func StartWorkers(t testing.TB, conf string, port int) *Server {
	t.Helper()
	return start(t, conf, port, nil, "daemon off;")
}

func start(t testing.TB, conf string, port int, clock *Clock, directives string) *Server {
	t.Helper()
	s := &Server{Prefix: t.TempDir(), output: &lockedBuffer{}, done: make(chan struct{})}
	path := filepath.Join(s.Prefix, "nginx.conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(Binary(t), "-p", s.Prefix, "-e", filepath.Join(s.Prefix, "error.log"), "-c", path,
		"-g", directives)
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	if clock != nil {
		s.cmd.Env = append(os.Environ(), clock.env()...)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("start nginx: %v", err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(s.stop)
	s.await(t, fmt.Sprintf("127.0.0.1:%d", port))
	return s
}

func (s *Server) await(t testing.TB, address string) {
	t.Helper()
	for deadline := time.Now().Add(startBound); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case <-s.done:
			t.Fatalf("nginx ended at its start:\n%s", s.output)
		default:
		}
		if c, err := net.Dial("tcp4", address); err == nil {
			_ = c.Close()
			return
		}
	}
	t.Fatalf("nginx does not listen on %s:\n%s", address, s.output)
}

func (s *Server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt) // to nginx, a fast shutdown
	select {
	case <-s.done:
	case <-time.After(startBound):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}

// ErrorLog returns what nginx has written to its error log so far.
func (s *Server) ErrorLog(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Prefix, "error.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A Verdict is what nginx -t says of a configuration.
type Verdict struct {
	Accepted bool
	Message  string // of the first line that refuses, without the level, the file and the line
	File     string
	Line     int // 0 where nginx names none
	Output   string
}

// Check runs nginx -t on a configuration that lies at path, with the folder prefix as its prefix.
func Check(t testing.TB, prefix, path string) Verdict {
	t.Helper()
	out, err := exec.Command(Binary(t), "-t", "-p", prefix, "-e", "stderr", "-c", path).CombinedOutput()
	v := Verdict{Accepted: err == nil, Output: string(out)}
	for line := range strings.Lines(v.Output) {
		_, text, found := strings.Cut(line, "[emerg]")
		if !found {
			continue
		}
		if _, rest, ok := strings.Cut(text, "#"); ok { // "pid#tid: message"
			if _, message, ok := strings.Cut(rest, ": "); ok {
				text = message
			}
		}
		v.Message, v.File, v.Line = place(strings.TrimSpace(text))
		break
	}
	return v
}

// place takes " in FILE:LINE" off the end of a message.
func place(message string) (text, file string, line int) {
	i := strings.LastIndex(message, " in ")
	if i < 0 {
		return message, "", 0
	}
	j := strings.LastIndexByte(message, ':')
	if j < i {
		return message, "", 0
	}
	if _, err := fmt.Sscanf(message[j+1:], "%d", &line); err != nil {
		return message, "", 0
	}
	return message[:i], message[i+len(" in ") : j], line
}

// A lockedBuffer takes the output of a process while the test reads it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
