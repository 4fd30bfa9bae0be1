package route

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// laterPhases are directives that lead a request on behind its location: they belong to the pipeline.
var laterPhases = regexp.MustCompile(`(?m)(?:^|[{;])\s*(rewrite|try_files|error_page|index|if|limit_except|autoindex|deny|set)\b`)

type corpusEntry struct {
	ID     string
	Files  *string
	Labels map[string]struct {
		Location *string
		Line     int
	}
	Requests []struct {
		Method string
		Host   *string
		URI    string
		To     string
		Peer   *string
		Proto  *string
		Hold   bool
		Body   json.RawMessage
		Expect *struct {
			Status     *int
			Label      *string
			Location   *string
			ServerLine *int `json:"server_line"`
			Redirect   *string
		}
	}
}

// TestCorpusLocations compares with the locations that nginx 1.22.1 took, in those configurations of the corpus in which
// nothing but server and location decide.
func TestCorpusLocations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "corpus", "locations"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no entries: %v", err)
	}
	total, entries := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var e corpusEntry
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		conf := strings.TrimSuffix(file, ".json") + ".conf"
		source, err := os.ReadFile(conf)
		if err != nil {
			t.Fatal(err)
		}
		if laterPhases.Match(source) || e.Files != nil {
			continue
		}
		entries++
		total += compareEntry(t, &e, conf)
	}
	t.Logf("%d requests in %d configurations", total, entries)
	if entries < 15 {
		t.Errorf("only %d configurations were compared", entries)
	}
}

func compareEntry(t *testing.T, e *corpusEntry, conf string) (compared int) {
	t.Helper()
	r := New(resolveFile(t, conf))
	v := &value.Request{}
	for _, q := range e.Requests {
		if q.Expect == nil || q.Hold || q.Body != nil && string(q.Body) != "null" {
			continue
		}
		compared++
		req := &request.Request{Method: q.Method, Target: q.URI, NoHost: q.Host == nil, Peer: netip.MustParseAddr("127.0.0.1")}
		if q.Host != nil {
			req.Host = *q.Host
		}
		if q.Proto != nil {
			req.Protocol = "HTTP/" + *q.Proto
		}
		if q.Peer != nil {
			req.Peer = netip.MustParseAddr(*q.Peer)
		}
		req.Server = netip.MustParseAddrPort(q.To)
		c := r.Begin(v, req)
		if c.Server == nil {
			t.Errorf("%s %s: no server: %s", e.ID, q.URI, c.Why)
			continue
		}
		got := Match{Status: c.Status}
		if c.Status == 0 {
			if _, ok := c.Server.Find("return"); !ok {
				got = c.Site.Location(v, false)
			}
		}
		if w := q.Expect; w.ServerLine != nil && *w.ServerLine != c.Server.Directive.Span().From().Line {
			t.Errorf("%s %s: server of line %d, nginx %d", e.ID, q.URI, c.Server.Directive.Span().From().Line, *w.ServerLine)
		}
		if w := q.Expect; w.Label != nil && got.Status == 0 {
			want := 0
			if w.Location != nil {
				want = e.Labels[*w.Label].Line
			}
			if at := lineOf(r.Numbered(got.Number)); at != want {
				t.Errorf("%s %s: location of line %d, nginx %d", e.ID, q.URI, at, want)
			}
		} else if got.Status != 0 && (w.Status == nil || *w.Status != got.Status) {
			t.Errorf("%s %s: status %d", e.ID, q.URI, got.Status)
		} else if got.Redirect != "" && (w.Redirect == nil || !strings.HasSuffix(*w.Redirect, got.Redirect)) {
			t.Errorf("%s %s: redirect %q", e.ID, q.URI, got.Redirect)
		}
	}
	return compared
}

func lineOf(l *config.Location) int {
	if l == nil {
		return 0
	}
	return l.Directive.Span().From().Line
}
