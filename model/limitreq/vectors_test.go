package limitreq

import (
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// TestVectors replays every scenario that was measured on nginx, with the keys given there. Which location's limits
// decide is given as well; finding it is the pipeline's work.
func TestVectors(t *testing.T) {
	files := measured.Files(t, "vectors/limit_req/*.json")
	requests := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			s := measured.ReadLimitReq(t, file)
			requests += len(s.Requests)
			replay(t, s)
		})
	}
	t.Logf("%d requests of %d scenarios", requests, len(files))
}

func replay(t *testing.T, s *measured.LimitReq) {
	t.Helper()
	zones := map[string]*Zone{}
	binary := map[string]bool{}
	for _, z := range s.Zones {
		var err error
		if zones[z.Name], err = NewZone(z.Name, rateOf(t, z.Rate), sizeOf(t, z.Size)); err != nil {
			t.Fatal(err)
		}
		binary[z.Name] = z.Key == "$binary_remote_addr"
	}
	start := clock.Up
	if s.Uptime != nil {
		start = clock.Msec(*s.Uptime)
	}
	for i, r := range s.Requests {
		in := s.ReqLimits
		if r.Location != "" {
			in = s.Locations[r.Location]
		}
		limits := make([]Limit, len(in.Limits))
		for j, l := range in.Limits {
			key := r.Key[l.Zone]
			if binary[l.Zone] && key != "" {
				key = string(netip.MustParseAddr(key).AsSlice())
			}
			limits[j] = Limit{Zone: zones[l.Zone], Key: key, Burst: l.Burst * 1000}
			switch {
			case l.NoDelay:
				limits[j].Delay = NoDelay
			case l.Delay != nil:
				limits[j].Delay = *l.Delay * 1000
			}
		}
		d, log := DecideLogged(start+clock.Msec(r.TMs), limits, in.DryRun, nil)
		r.Expect.Status = nil // that of the whole request
		if diff := cmp.Diff(r.Expect, seen(d, log, limits), cmp.Transformer("number", numbers)); diff != "" {
			t.Fatalf("request %d at %d ms, %s (-nginx +model):\n%s", i, r.TMs, r.URL, diff)
		}
	}
}

// seen writes a decision as the vectors write it.
func seen(d Decision, log []Lookup, limits []Limit) measured.Verdict {
	e := measured.Verdict{Outcome: string(d.Verdict)}
	if d.Full {
		e.Alert = `could not allocate node in limit_req zone "` + limits[d.Zone].Zone.Name() + `"`
	} else if d.Zone >= 0 {
		e.ExcessMilli, e.Zone = new(d.Excess), new(limits[d.Zone].Zone.Name())
	}
	if d.Verdict == Delayed {
		e.DelayMs = new(int64(d.Wait))
	}
	for _, l := range log {
		rc := [...]string{Charged: "OK", Within: "AGAIN", Over: "BUSY", NoRoom: "ERROR"}[l.Result]
		e.Lookups = append(e.Lookups, [3]any{limits[l.Limit].Zone.Name(), rc, float64(l.Excess)})
	}
	if e.Lookups == nil {
		e.Lookups = [][3]any{}
	}
	return e
}

// numbers lets cmp compare the mixed cells of a look-up.
func numbers(cells [3]any) []any { return cells[:] }

// rateOf reads a rate as nginx does, for the spellings that the scenarios use.
func rateOf(t *testing.T, text string) int64 {
	t.Helper()
	per := int64(1)
	if n, ok := strings.CutSuffix(text, "r/m"); ok {
		text, per = n, 60
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "r/s"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n * 1000 / per
}

func sizeOf(t *testing.T, text string) int64 {
	t.Helper()
	unit := int64(1)
	switch text[len(text)-1] {
	case 'k', 'K':
		unit, text = 1<<10, text[:len(text)-1]
	case 'm', 'M':
		unit, text = 1<<20, text[:len(text)-1]
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n * unit
}
