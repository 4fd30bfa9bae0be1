package pipeline

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// TestLocations sends the requests of the corpus to configurations whose locations name themselves, with their files at
// hand, and compares with what nginx answered.
func TestLocations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "corpus", "locations"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	same, all := 0, 0
	for _, file := range files {
		base := strings.TrimSuffix(file, ".json")
		t.Run(filepath.Base(base), func(t *testing.T) {
			var c struct {
				Requests []struct {
					sent
					Hold   bool
					Expect *located
				}
			}
			readJSON(t, file, &c)
			p := pipelineOf(t, base+".conf")
			if _, err := os.Stat(base + ".files"); err == nil {
				p.Files = diskAt(base + ".files")
			} else {
				p.Files = func(string) FileKind { return FileAbsent }
			}
			for i := range c.Requests {
				q := &c.Requests[i]
				now := clock.Up + clock.Msec(i)
				f := p.Plan(q.request(t), nil).Start(now)
				if q.Hold {
					continue
				}
				all++
				for !f.Done() {
					now += f.Wait
					f.Resume(now)
				}
				f.Finish()
				tr := f.Trace()
				if status := upstreamStatus(&tr); tr.Status == 0 && tr.EndsIn == EndContent && status >= 300 {
					f = p.PlanAnswered(q.request(t), nil, status).Start(now)
					tr = f.Trace()
				}
				if diff := q.Expect.differences(&tr); diff != "" {
					t.Errorf("request %d, %s %s: %s (%s, path %q)", i, q.Method, q.URI, diff, tr.EndsIn, tr.Path())
					continue
				}
				same++
			}
		})
	}
	t.Logf("%d of %d requests to %d configurations agree", same, all, len(files))
}

// located is what nginx did with a request.
type located struct {
	Status     *int
	Label      *string
	Location   *string
	If         *string
	Line       int
	ServerLine int `json:"server_line"`
	Redirect   string
	LimitReq   *string `json:"limit_req"`
	LimitConn  *string `json:"limit_conn"`
	RemoteAddr *string `json:"remote_addr"`
	RealipAddr *string `json:"realip_remote_addr"`
	FinalURI   *string `json:"final_uri"`
}

func (e *located) differences(tr *Trace) string {
	var d []string
	differ := func(what string, got, want any) {
		if shown(got) != shown(want) {
			d = append(d, what+" "+shown(got)+", want "+shown(want))
		}
	}
	want := 444 // nginx closed the connection
	if e.Status != nil {
		want = *e.Status
	}
	got := tr.Status
	if got == 0 && tr.EndsIn == EndContent {
		got = upstreamStatus(tr)
	}
	differ("status", got, want)
	if e.Label != nil {
		label, line := "", 0
		if tr.Location != nil {
			label, line = tr.Location.Label(), tr.Location.Directive.Span().From().Line
		}
		location := ""
		if e.Location != nil {
			location = *e.Location
		}
		if location != "" {
			differ("location", glued(label), glued(location))
			differ("line", line, e.Line)
		}
		in := ""
		if tr.If != nil {
			in = strings.TrimPrefix(tr.If.Directive.Head().Text(), "if ")
		}
		if e.If != nil {
			differ("if", in, *e.If)
		}
	}
	if e.ServerLine != 0 {
		differ("server", tr.Server.Directive.Span().From().Line, e.ServerLine)
	}
	if e.FinalURI != nil { // then the access log says the rest as well
		differ("uri", tr.URI, *e.FinalURI)
		differ("limit_req", verdictText(tr.Decision.Verdict), e.LimitReq)
		differ("limit_conn", verdictText(limitreq.Verdict(tr.ConnVerdict)), e.LimitConn)
		differ("remote_addr", tr.Client.Addr.String(), *e.RemoteAddr)
		if e.RealipAddr != nil {
			differ("realip_remote_addr", tr.Client.Peer.String(), *e.RealipAddr)
		}
	}
	if e.Redirect != "" && !strings.HasSuffix(e.Redirect, tr.Redirect) {
		differ("redirect", tr.Redirect, e.Redirect)
	}
	return strings.Join(d, "; ")
}

// glued takes the space behind a modifier away; the corpus keeps "=/x" as it is written.
func glued(label string) string { return strings.Replace(label, " ", "", 1) }

func verdictText(v limitreq.Verdict) *string {
	if v == limitreq.None {
		return nil
	}
	return new(string(v))
}

// upstreamStatus is what the upstream of the corpus answered: 200, or the N of /status/N.
func upstreamStatus(tr *Trace) int {
	if tr.Location == nil || tr.Location.Handler == nil {
		return 0
	}
	_, n, ok := strings.Cut(tr.Location.Handler.Arg(0), "/status/")
	if !ok {
		return 200
	}
	status, err := strconv.Atoi(n)
	if err != nil {
		return 0
	}
	return status
}
