package replay

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// leaves calls a function for each whole number of a value, which it may change.
func leaves(v reflect.Value, see func(field string, n reflect.Value)) {
	switch v.Kind() { //nolint:exhaustive // the others hold none
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				leaves(v.Field(i), func(field string, n reflect.Value) { see(name+"."+field, n) })
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			leaves(v.Index(i), see)
		}
	case reflect.Int, reflect.Int64:
		see("", v)
	}
}

// No number of a part may be negative or beyond all bounds, but for times.
func TestNumbersOfParts(t *testing.T) {
	p := partOf(t, limited, hostLog(t, "a", 900), hostLog(t, "b", 200))
	seen := 0
	leaves(reflect.ValueOf(p).Elem(), func(field string, n reflect.Value) {
		was := n.Int()
		seen++
		for _, wrong := range []int64{-5, mostNumber + 1} {
			names := strings.Split(strings.Trim(field, "."), ".")
			if name := names[len(names)-1]; wrong < 0 && slices.Contains(moments, name) || name == "version" {
				continue
			}
			n.SetInt(wrong)
			if err := p.check(); err == nil {
				t.Errorf("%s: %d is taken", field, wrong)
			}
		}
		n.SetInt(was)
	})
	if err := p.check(); err != nil || seen < 100 {
		t.Fatalf("%v, %d numbers", err, seen)
	}
}

// What cannot all be true is refused with the path of the field.
func TestPartsThatContradict(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h *Host, l *LogPart)
		want   string
	}{
		"passed":            {func(h *Host, _ *LogPart) { h.Keys[1].Passed++ }, "hosts[0].keys[1].requests is"},
		"delayed":           {func(h *Host, _ *LogPart) { h.URIs[0].Delayed++ }, "hosts[0].uris[0].requests is"},
		"rejected":          {func(h *Host, _ *LogPart) { h.Zones[0].Rejected++ }, "hosts[0].zones[0].requests is"},
		"a location":        {func(h *Host, _ *LogPart) { h.Locations[0].Unknown++ }, "hosts[0].locations[0].requests is"},
		"a window":          {func(h *Host, _ *LogPart) { h.Windows[0].Requests++ }, "hosts[0].windows[0].requests is"},
		"a width":           {func(h *Host, _ *LogPart) { h.Windows[0].WidthMs = 7 }, "hosts[0].windows[0].width_ms is 7"},
		"a strange time":    {func(h *Host, _ *LogPart) { h.Windows[0].FromMs -= 600_000 }, "hosts[0].windows[0].from_ms is"},
		"quantiles":         {func(h *Host, _ *LogPart) { h.Zones[0].AddedMs.P50 = h.Zones[0].AddedMs.P95 + 1 }, "hosts[0].zones[0].added_ms: p50"},
		"a maximum":         {func(h *Host, _ *LogPart) { h.Times = []TimesStat{{Nginx: "a", RequestMs: simulate.Quantiles{P99: 1}}} }, "hosts[0].times[0].request_ms: p50"},
		"from and to":       {func(h *Host, _ *LogPart) { h.FromMs = h.ToMs + 1 }, "hosts[0].from_ms is"},
		"a key's time":      {func(h *Host, _ *LogPart) { h.Keys[0].LastMs = h.ToMs + 1 }, "hosts[0].keys[0].first_ms and last_ms"},
		"a key's second":    {func(h *Host, _ *LogPart) { h.Keys[0].MostInSecond = h.Keys[0].Requests + 1 }, "hosts[0].keys[0].most_in_a_second"},
		"a key's zone":      {func(h *Host, _ *LogPart) { h.Keys[0].Zone = "x" }, `hosts[0].keys[0].zone is "x"`},
		"another nginx":     {func(h *Host, _ *LogPart) { h.Keys[0].Nginx = "z" }, `hosts[0].keys[0].nginx is "z"`},
		"used":              {func(_ *Host, l *LogPart) { l.Used = l.Lines + 1 }, "logs[0].used is"},
		"fewer requests":    {func(_ *Host, l *LogPart) { l.Lines, l.Used = l.Lines+3, l.Used+3 }, "hosts have "},
		"a message":         {disagreeing(func(k *Disagreeing) { k.Message = "\x1b[2J" }), "hosts[0].agreement.kinds[0].message is"},
		"a logged outcome":  {disagreeing(func(k *Disagreeing) { k.Logged = "PASSED\n" }), "hosts[0].agreement.kinds[0].logged is"},
		"a replayed one":    {disagreeing(func(k *Disagreeing) { k.Replayed = "x" }), "hosts[0].agreement.kinds[0].replayed is"},
		"a log's time":      {func(_ *Host, l *LogPart) { l.FromMs = l.ToMs + 1 }, "logs[0].from_ms is"},
		"more requests":     {func(_ *Host, l *LogPart) { l.Used -= 2 }, "hosts[0].requests is"},
		"skipped":           {func(_ *Host, l *LogPart) { l.Faults = []LogFault{{accesslog.Cut.Name(), 1, 1}} }, "logs[0].faults[0].lines is 1"},
		"series":            {func(h *Host, _ *LogPart) { h.Series.Spans[0].Requests++ }, "hosts[0].series: "},
		"series elsewhere":  {func(h *Host, _ *LogPart) { h.Series.Spans[0].FromMs++ }, "hosts[0].series: "},
		"more of locations": {func(h *Host, _ *LogPart) { h.Locations = append(h.Locations, h.Locations...) }, "hosts[0].locations["},
		"too many keys":     {func(h *Host, _ *LogPart) { h.Keys = slices.Repeat(h.Keys, 60) }, "hosts[0].keys has"},
		"too many windows":  {func(h *Host, _ *LogPart) { h.Windows = slices.Repeat(h.Windows, 60) }, "hosts[0].windows has"},
		"a page":            {func(h *Host, _ *LogPart) { h.Pages = []PageStat{{Nginx: "a", Loads: h.Requests}} }, "hosts[0].pages[0].loads is"},
		"agreement":         {func(h *Host, _ *LogPart) { h.Agreement.Same-- }, "hosts[0].agreement.same is"},
		"a diagnosis":       {func(h *Host, _ *LogPart) { h.Diagnosis[0].Kind = "x" }, `hosts[0].diagnosis[0].kind is "x"`},
		"evidence":          {func(h *Host, _ *LogPart) { h.Diagnosis[0].Evidence["x"] = []any{} }, `hosts[0].diagnosis[0].evidence["x"] is neither`},
	} {
		t.Run(name, func(t *testing.T) {
			p := partOf(t, limited, hostLog(t, "a", 900))
			c.change(&p.Hosts[0], &p.Logs[0])
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadPart(&b, "x"); err == nil || !strings.HasPrefix(err.Error(), "x: "+c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// What takes much memory for its size is refused before it is read.
func TestPartsThatSwell(t *testing.T) {
	head := `{"format":"` + PartFormat + `","version":1,"hosts":[{"diagnosis":[{"evidence":{`
	for name, c := range map[string]struct{ text, want string }{
		"numbers": {head + `"a":[` + strings.Repeat("0,", 100_000), "a list of something else"},
		"texts":   {head + `"a":[` + strings.Repeat(`"",`, 100_000), "more values than"},
		"members": {head + strings.Repeat(`"a":1,`, 100_000), "more than 40 members"},
		"objects": {head + `"a":[` + strings.Repeat(`{},`, 100_000), "more values than"},
		"lists":   {head + `"a":` + strings.Repeat(`{"a":`, 100_000), "nested"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadPart(strings.NewReader(c.text), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	p := partOf(t, limited, hostLog(t, "a", 30))
	p.Head.Input = strings.Repeat("x", mostPart)
	if err := p.Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "write parts of fewer nginx hosts") {
		t.Error(err)
	}
}

// disagreeing puts a disagreement into a host, of which one thing is wrong.
func disagreeing(spoil func(*Disagreeing)) func(*Host, *LogPart) {
	return func(h *Host, _ *LogPart) {
		k := Disagreeing{Kind: kindTime, Message: kindTexts[kindTime], N: 1, Logged: "PASSED", Replayed: "REJECTED_DRY_RUN"}
		spoil(&k)
		h.Agreement.Kinds = []Disagreeing{k}
	}
}

// Hosts that are left out are missed.
func TestPartsWithoutHosts(t *testing.T) {
	for name, hosts := range map[string][]Host{"none": {}, "an empty one": {{}}} {
		p := partOf(t, limited, hostLog(t, "a", 900))
		if p.Hosts = hosts; p.check() == nil {
			t.Errorf("%s: 900 lines are used, and no host has them", name)
		}
	}
}
