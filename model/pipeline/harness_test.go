package pipeline

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// pipelineOf reads a configuration from disk.
func pipelineOf(t testing.TB, path string) *Pipeline {
	t.Helper()
	in, err := load.Load([]string{path}, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(in[0], config.Options{Version: "1.22.1"})
	for _, r := range tree.Refusals {
		if !r.Warning {
			t.Fatalf("line %d: %s", r.Line, r.Text)
		}
	}
	p := New(tree, route.New(tree))
	p.Explain = true
	return p
}

// pipelineOfText reads what stands in an http block.
func pipelineOfText(t testing.TB, http string) *Pipeline {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte("events {}\nhttp {\n"+http+"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return pipelineOf(t, path)
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// A sent is a request as the shared sets write it.
type sent struct {
	Method   string
	Host     *string
	URI      string
	URL      string
	To       string
	Peer     string
	PeerIP   string `json:"peer_ip"`
	ClientIP string `json:"client_ip"`
	Port     uint16
	Headers  measured.Headers
	Body     string
	Proto    string
	Protocol string
}

func (s *sent) request(t testing.TB) *request.Request {
	t.Helper()
	r := &request.Request{Method: s.Method, Target: s.URI + s.URL, Headers: s.Headers, BodySize: int64(len(s.Body))}
	if s.Host == nil {
		r.NoHost = s.To != "" // the cases leave the host out where it does not matter
		r.Host = "localhost"
	} else {
		r.Host = *s.Host
	}
	switch {
	case s.Proto != "":
		r.Protocol = "HTTP/" + s.Proto
	case s.Protocol == "h2":
		r.Protocol = "HTTP/2.0"
	}
	switch peer := s.Peer + s.PeerIP + s.ClientIP; {
	case peer == "":
		r.Peer = netip.MustParseAddr("127.0.0.1")
	case !strings.HasPrefix(peer, "unix:"):
		r.Peer = netip.MustParseAddr(peer)
	}
	if s.To != "" {
		to, err := netip.ParseAddrPort(s.To)
		if err != nil {
			t.Fatal(err)
		}
		r.Server = to
	} else {
		port := s.Port
		if port == 0 {
			port = 80
		}
		r.Server = netip.AddrPortFrom(netip.Addr{}, port)
	}
	return r
}

// diskAt lets a pipeline see the files of a folder as nginx's prefix.
func diskAt(dir string) Files {
	return func(path string) FileKind {
		info, err := os.Stat(filepath.Join(dir, path))
		switch {
		case err != nil:
			return FileAbsent
		case info.IsDir():
			return FileDir
		}
		return FileRegular
	}
}

func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
