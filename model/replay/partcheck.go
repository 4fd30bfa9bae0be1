package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// mostNumber is more than any number of a part: of requests, lines, or milliseconds, of which it is a thousand years.
const mostNumber = 1 << 45

// check looks for what no replay writes, so that parts can be summed up and shown without further thought. An error begins with
// the path of the field.
func (p *Part) check() error {
	if err := walk(reflect.ValueOf(p).Elem(), "", onWalk{number: inRange, quantiles: rising}); err != nil {
		return err
	}
	var lines, used, requests int64
	for i := range p.Logs {
		l := &p.Logs[i]
		if err := l.check(); err != nil {
			return fmt.Errorf("logs[%d].%w", i, err)
		}
		if lines, used = lines+l.Lines, used+l.Used; lines > mostNumber {
			return fmt.Errorf("logs[%d].lines is %d, which with those before makes more than any run reads", i, l.Lines)
		}
	}
	if used+p.Outside > lines {
		return fmt.Errorf("outside is %d, beside %d lines that are used of %d", p.Outside, used, lines)
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		if i > 0 && h.Nginx <= p.Hosts[i-1].Nginx {
			return fmt.Errorf("hosts[%d].nginx is not in the order of names, or twice: %q", i, h.Nginx)
		}
		if err := h.check(); err != nil {
			return fmt.Errorf("hosts[%d].%w", i, err)
		}
		if requests += h.Requests; requests > used {
			return fmt.Errorf("hosts[%d].requests is %d, which makes more than the %d lines that are used", i, h.Requests, used)
		}
	}
	if requests < used { // each line that is used is a request of one host
		return fmt.Errorf("hosts have %d requests, of %d lines that are used", requests, used)
	}
	return nil
}

// moments may be before 1970, or before the first request.
var moments = []string{"from_ms", "to_ms", "first_ms", "last_ms", "peak_ms", "empty_ms"}

func inRange(path string, n int64) error {
	moment := slices.Contains(moments, path[strings.LastIndexByte(path, '.')+1:])
	if n > mostNumber || n < -mostNumber || n < 0 && !moment {
		return fmt.Errorf("%s is %d, out of any range", path, n)
	}
	return nil
}

func rising(path string, q simulate.Quantiles) error {
	for _, pair := range [][2]int64{{q.P50, q.P95}, {q.P95, q.P99}, {q.P99, q.Max}} {
		if pair[0] > pair[1] {
			return fmt.Errorf("%s: p50 %d, p95 %d, p99 %d and max %d do not rise", path, q.P50, q.P95, q.P99, q.Max)
		}
	}
	return nil
}

func (l *LogPart) check() error {
	switch {
	case l.Used > l.Lines:
		return fmt.Errorf("used is %d of %d lines", l.Used, l.Lines)
	case l.FromMs > l.ToMs:
		return fmt.Errorf("from_ms is %d, behind to_ms, %d", l.FromMs, l.ToMs)
	}
	left := l.Lines - l.Used
	for i, f := range l.Faults {
		kinds := accesslog.Kinds()
		at := slices.IndexFunc(kinds, func(k accesslog.Fault) bool { return k.Name() == f.Kind })
		switch {
		case at < 0:
			return fmt.Errorf("faults[%d].kind is %q, which is none", i, f.Kind)
		case f.Lines < 1 || f.First < 1 || f.Lines > l.Lines:
			return fmt.Errorf("faults[%d].lines is %d of %d, the first %d", i, f.Lines, l.Lines, f.First)
		case i > 0 && slices.ContainsFunc(l.Faults[:i], func(o LogFault) bool { return o.Kind == f.Kind }):
			return fmt.Errorf("faults[%d].kind is %q twice", i, f.Kind)
		case kinds[at].Skips():
			if left -= f.Lines; left < 0 {
				return fmt.Errorf("faults[%d].lines is %d, which are more skipped than %d of %d lines are not used", i, f.Lines, l.Lines-l.Used, l.Lines)
			}
		}
	}
	return nil
}

func (h *Host) check() error {
	if h.FromMs > h.ToMs {
		return fmt.Errorf("from_ms is %d, behind to_ms, %d", h.FromMs, h.ToMs)
	}
	for _, l := range []struct {
		name      string
		n, most   int
		checkEach func(i int) error
	}{
		{"agreement.kinds", len(h.Agreement.Kinds), len(kindTexts), h.checkKind},
		{"locations", len(h.Locations), 1 << 20, h.checkLocation},
		{"zones", len(h.Zones), 1 << 20, h.checkZone},
		{"conn_zones", len(h.ConnZones), 1 << 20, h.checkConnZone},
		{"keys", len(h.Keys), shownKeys, h.checkKey},
		{"uris", len(h.URIs), shownURIs, h.checkURI},
		{"windows", len(h.Windows), worstOf * len(widths) * len(h.Locations), h.checkWindow},
		{"times", len(h.Times), len(h.Locations), h.checkTimes},
		{"pages", len(h.Pages), shownPages, h.checkPage},
		{"diagnosis", len(h.Diagnosis), 1 << 20, h.checkDiagnosis},
	} {
		if l.n > l.most {
			return fmt.Errorf("%s has %d entries, and no more than %d are written", l.name, l.n, l.most)
		}
		for i := range l.n {
			if err := l.checkEach(i); err != nil {
				return fmt.Errorf("%s[%d].%w", l.name, i, err)
			}
		}
	}
	return h.checkSums()
}

// checkSums looks at what adds up over a host.
func (h *Host) checkSums() error {
	a := &h.Agreement
	differ := int64(0)
	for _, k := range a.Kinds {
		differ += k.N
	}
	switch {
	case a.Logged > h.Requests:
		return fmt.Errorf("agreement.logged is %d of %d requests", a.Logged, h.Requests)
	case a.Shifted > a.Same:
		return fmt.Errorf("agreement.shifted is %d of %d that are the same", a.Shifted, a.Same)
	case a.Same+differ != a.Logged:
		return fmt.Errorf("agreement.same is %d, which beside %d that differ does not make %d", a.Same, differ, a.Logged)
	}
	var here, there counts
	for i := range h.Locations {
		l := &h.Locations[i]
		if here.add(counts{int64(l.Requests), 0, int64(l.Delayed), int64(l.Rejected)}); here.requests > h.Requests {
			return fmt.Errorf("locations[%d].requests is %d, which with those before makes more than %d", i, l.Requests, h.Requests)
		}
	}
	if !h.Series.valid() {
		return fmt.Errorf("series: %d spans of %d ms are not as they are made", len(h.Series.Spans), h.Series.WidthMs)
	}
	for _, s := range h.Series.Spans {
		there.add(counts{s.Requests, 0, s.Delayed, s.Rejected})
	}
	if here != there {
		return fmt.Errorf("series: %d requests, %d delayed, %d rejected, and those of the locations are %d, %d, %d", there.requests, there.delayed, there.rejected, here.requests, here.delayed, here.rejected)
	}
	return nil
}

// counts say what became of requests.
type counts struct{ requests, passed, delayed, rejected int64 }

func (c *counts) add(o counts) {
	c.requests, c.delayed, c.rejected = c.requests+o.requests, c.delayed+o.delayed, c.rejected+o.rejected
}

// of says what is wrong with counts of a host's requests; nil for nothing.
func (c counts) of(h *Host) error {
	switch {
	case c.passed+c.delayed+c.rejected != c.requests:
		return fmt.Errorf("requests is %d, and %d passed, %d were delayed and %d rejected", c.requests, c.passed, c.delayed, c.rejected)
	case c.requests > h.Requests:
		return fmt.Errorf("requests is %d of %d", c.requests, h.Requests)
	}
	return nil
}

// own says what is wrong with the name of an nginx.
func (h *Host) own(nginx string) error {
	if nginx != h.Nginx {
		return fmt.Errorf("nginx is %q, and the host's is %q", nginx, h.Nginx)
	}
	return nil
}

// outcomes are all that a limit decides.
var outcomes = map[limitreq.Verdict]bool{
	limitreq.None: true, limitreq.Passed: true, limitreq.Delayed: true, limitreq.Rejected: true,
	limitreq.DelayedDryRun: true, limitreq.RejectedDryRun: true,
}

func (h *Host) checkKind(i int) error {
	k := &h.Agreement.Kinds[i]
	if _, ok := kindTexts[k.Kind]; !ok {
		return fmt.Errorf("kind is %q, which is none", k.Kind)
	}
	if i > 0 && k.Kind <= h.Agreement.Kinds[i-1].Kind {
		return fmt.Errorf("kind is %q, not in order or twice", k.Kind)
	}
	switch {
	case k.N < 1:
		return fmt.Errorf("n is %d", k.N)
	case k.Message != kindTexts[k.Kind]:
		return fmt.Errorf("message is %q, which is not that of kind %q", k.Message, k.Kind)
	case !outcomes[limitreq.Verdict(k.Logged)]:
		return fmt.Errorf("logged is %q, which no limit decides", k.Logged)
	case !outcomes[limitreq.Verdict(k.Replayed)]:
		return fmt.Errorf("replayed is %q, which no limit decides", k.Replayed)
	}
	return nil
}

func (h *Host) checkLocation(i int) error {
	l := &h.Locations[i]
	if l.DryRun > l.Requests {
		return fmt.Errorf("dry_run is %d of %d requests", l.DryRun, l.Requests)
	}
	if l.AtEdge > 0 || l.NotIssued > 0 {
		return fmt.Errorf("at_edge is %d and not_issued %d, of which a log tells nothing", l.AtEdge, l.NotIssued)
	}
	return cmp.Or(h.own(l.Nginx), counts{int64(l.Requests), int64(l.Passed + l.Unknown), int64(l.Delayed), int64(l.Rejected)}.of(h))
}

func (h *Host) checkZone(i int) error {
	z := &h.Zones[i]
	if len(z.Limits) > len(h.Locations)*len(h.Zones) {
		return fmt.Errorf("limits has %d entries, at %d locations", len(z.Limits), len(h.Locations))
	}
	if z.Series != nil {
		return fmt.Errorf("series is that of zone %q, which none has", z.Zone)
	}
	for j, l := range z.Limits {
		if l.DelayMilli > l.BurstMilli {
			return fmt.Errorf("limits[%d].delay_milli is %d, of a burst of %d", j, l.DelayMilli, l.BurstMilli)
		}
	}
	return cmp.Or(h.own(z.Nginx), counts{int64(z.Requests), int64(z.Passed), int64(z.Delayed), int64(z.Rejected)}.of(h))
}

func (h *Host) checkConnZone(i int) error {
	z := &h.ConnZones[i]
	if z.Rejected > z.Requests || z.Peak > int64(z.Requests) {
		return fmt.Errorf("requests is %d, and %d are rejected and %d at once", z.Requests, z.Rejected, z.Peak)
	}
	return h.own(z.Nginx)
}

func (h *Host) checkKey(i int) error {
	k := &h.Keys[i]
	zone := slices.IndexFunc(h.Zones, func(z Zone) bool { return z.Zone == k.Zone })
	switch {
	case zone < 0:
		return fmt.Errorf("zone is %q, which zones does not have", k.Zone)
	case k.Requests > int64(h.Zones[zone].Requests):
		return fmt.Errorf("requests is %d, and of the whole zone %d", k.Requests, h.Zones[zone].Requests)
	case k.MostInSecond > k.Requests:
		return fmt.Errorf("most_in_a_second is %d of %d requests", k.MostInSecond, k.Requests)
	case k.FirstMs < h.FromMs || k.FirstMs > h.ToMs || k.LastMs < h.FromMs || k.LastMs > h.ToMs:
		return fmt.Errorf("first_ms and last_ms are %d and %d, and of the host %d and %d", k.FirstMs, k.LastMs, h.FromMs, h.ToMs)
	}
	return cmp.Or(h.own(k.Nginx), counts{k.Requests, k.Passed, k.Delayed, k.Rejected}.of(h))
}

func (h *Host) checkURI(i int) error {
	u := &h.URIs[i]
	return cmp.Or(h.own(u.Nginx), counts{u.Requests, u.Passed, u.Delayed, u.Rejected}.of(h))
}

func (h *Host) checkWindow(i int) error {
	w := &h.Windows[i]
	switch {
	case !slices.Contains(widths[:], w.WidthMs):
		return fmt.Errorf("width_ms is %d", w.WidthMs)
	case w.FromMs%w.WidthMs != 0 || w.FromMs < h.FromMs-w.WidthMs || w.FromMs > h.ToMs:
		return fmt.Errorf("from_ms is %d, and the host's requests are of %d to %d", w.FromMs, h.FromMs, h.ToMs)
	case w.Delayed+w.Rejected < 1 || w.Hit < 1:
		return fmt.Errorf("hit is %d, of %d delayed and %d rejected", w.Hit, w.Delayed, w.Rejected)
	}
	return cmp.Or(h.own(w.Nginx), counts{w.Requests, w.Passed, w.Delayed, w.Rejected}.of(h))
}

func (h *Host) checkTimes(i int) error {
	t := &h.Times[i]
	return cmp.Or(h.own(t.Nginx), counts{t.Requests, t.Requests, 0, 0}.of(h))
}

func (h *Host) checkPage(i int) error {
	p := &h.Pages[i]
	if p.Loads < 1 || p.Loads > h.Requests/leastOfPage {
		return fmt.Errorf("loads is %d, of %d requests", p.Loads, h.Requests)
	}
	if p.Requests.P50 < leastOfPage || p.Requests.Max > h.Requests {
		return fmt.Errorf("requests: a load has %d to %d, of %d", p.Requests.P50, p.Requests.Max, h.Requests)
	}
	return h.own(p.Nginx)
}

func (h *Host) checkDiagnosis(i int) error {
	d := &h.Diagnosis[i]
	if !slices.Contains(diagKinds, d.Kind) {
		return fmt.Errorf("kind is %q, which is none", d.Kind)
	}
	return cmp.Or(h.own(d.Nginx), checkEvidence("evidence", d.Evidence, 0))
}

// checkEvidence looks at the numbers that a message rests on: whole ones, and maps of these.
func checkEvidence(path string, evidence map[string]any, depth int) error {
	for _, name := range sortedKeys(evidence) {
		at := path + "[" + strconv.Quote(name) + "]"
		switch v := evidence[name].(type) {
		case string, bool:
		case json.Number:
			n, err := strconv.ParseInt(v.String(), 10, 64)
			if err != nil || n < -mostNumber || n > mostNumber {
				return fmt.Errorf("%s is %s, out of any range", at, v)
			}
		case map[string]any:
			if depth > 0 {
				return fmt.Errorf("%s is nested", at)
			}
			if err := checkEvidence(at, v, depth+1); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is neither a number nor a text", at)
		}
	}
	return nil
}
