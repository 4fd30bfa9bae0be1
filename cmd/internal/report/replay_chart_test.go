package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/replay"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// The charts stand in the page with the numbers that they are of, and nothing of a log becomes markup.
func TestReplayCharts(t *testing.T) {
	const hostile = `</svg><script>alert(1)</script>"onload="x`
	r := &replay.Result{
		Series: replay.Series{WidthMs: 1000, Spans: []replay.Span{{FromMs: 1772438400000, Requests: 10, Delayed: 3, Rejected: 2}, {FromMs: 1772438409000, Requests: 20}}},
		Times: []replay.TimesStat{
			{Server: hostile, Location: "/", Requests: 5, RequestMs: simulate.Quantiles{P95: 400}, UpstreamMs: simulate.Quantiles{P95: 100}},
			{Server: "b", Location: "/", Requests: 5, RequestMs: simulate.Quantiles{P95: 1000}, UpstreamMs: simulate.Quantiles{P95: 200}},
		},
		Keys: []replay.KeyStat{{Nginx: hostile, Zone: hostile, Key: hostile, Requests: 8, Passed: 4, Delayed: 2, Rejected: 2}},
	}
	var b strings.Builder
	if err := WriteReplayHTML(&b, Replay{Result: r}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		`<title>2026-03-02 08:00:00.000: 10 requests, 3 delayed, 2 refused</title>`,
		`<rect class="requests" x="0.00" width="100.00" y="165.00" height="135.00"/>`,
		`<rect class="requests" x="900.00" width="100.00" y="30.00" height="270.00"/>`,
		`<rect class="refused" x="0.00" width="100.00" y="192.00" height="108.00"/><rect class="delayed" x="0.00" width="100.00" y="30.00" height="162.00"/>`,
		`<span class="bar upstream" style="left:0%;width:20%"></span><span class="bar limiter" style="left:20%;width:80%"></span>`,
		`<span class="bar refused" style="left:75%;width:25%"></span>`,
		"1 s, upstream 200 ms", "2 of 8 refused",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, `"onload`) {
		t.Error("text of the log has become markup")
	}
	if strings.Index(page, "1 s, upstream 200 ms") > strings.Index(page, "400 ms, upstream 100 ms") {
		t.Error("the place with the greatest difference is not the first")
	}
	for rest := page; ; {
		_, begin, ok := strings.Cut(rest, "<svg")
		if !ok {
			break
		}
		text, after, _ := strings.Cut(begin, "</svg>")
		rest = after
		dec := xml.NewDecoder(strings.NewReader("<svg" + text + "</svg>"))
		for {
			_, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("a drawing is not well formed: %v", err)
			}
		}
	}
	b.Reset()
	if err := WriteReplayHTML(&b, Replay{Result: &replay.Result{}}); err != nil || strings.Contains(b.String(), "<svg") {
		t.Errorf("a drawing of nothing, %v", err)
	}
}
