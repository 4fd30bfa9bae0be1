package effect

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// counted compares by which keys the same visitor is counted for the same address: what set and rewrite do to a key shows in
// no limit. Told is what the limits themselves say already.
func counted(was, is *pipeline.Trace, told []compare.Difference) []compare.Difference {
	if len(was.Limits) == 0 || len(is.Limits) == 0 || was.DryRun || is.DryRun || slices.ContainsFunc(told, aboutKeys) {
		return nil
	}
	before, known := keysOf(was)
	after, sure := keysOf(is)
	if !known || !sure || slices.Equal(before, after) {
		return nil
	}
	d := compare.Difference{Subject: "limit_req", Old: spanOfLimits(was), New: spanOfLimits(is)}
	switch {
	case len(after) == 0:
		d.Direction, d.Text = compare.Lost, "an ordinary visitor is no longer counted: the key is empty"
	case len(before) == 0:
		d.Direction, d.Text = compare.Gained, "an ordinary visitor is counted now: before, the key was empty"
	case len(after) < len(before):
		d.Direction, d.Text = compare.Lost, "an ordinary visitor is no longer counted by all of the limits: a key is empty"
	case len(after) > len(before):
		d.Direction, d.Text = compare.Gained, "an ordinary visitor is counted by more of the limits: before, a key was empty"
	default:
		d.Direction, d.Text = compare.Changed, "an ordinary visitor is counted by another value of the key"
	}
	return []compare.Difference{d}
}

// aboutKeys says that a difference tells of which requests are counted, or of limits that come and go.
func aboutKeys(d compare.Difference) bool {
	return d.Subject == "limit_req" && (d.Direction == compare.Lost || d.Direction == compare.Gained || d.Direction == compare.Changed)
}

// keysOf are the keys by which a request was counted, sorted; both forms of an address are one. Not known where one of them is
// not.
func keysOf(t *pipeline.Trace) (keys []string, known bool) {
	addr := t.Client.Addr
	for _, l := range t.Limits {
		key, ok := l.Key.Known()
		if !ok {
			return nil, false
		}
		if !l.Counted {
			continue
		}
		if addr.IsValid() {
			key = strings.ReplaceAll(key, string(addr.AsSlice()), request.AddrText(addr))
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, true
}

func spanOfLimits(t *pipeline.Trace) source.Span { return t.Limits[0].Span }
