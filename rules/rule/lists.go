package rule

import (
	"iter"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A Written is a list of limit_req or of limit_conn as it is written, for rules to which both are the same.
type Written struct {
	Kind    string // "limit_req" or "limit_conn"
	At      *config.Level
	Levels  int
	Lines   []Line  // until the next list comes
	Places  []Place // where it is in effect; empty where every level below has a list of its own
	OffHere bool    // each of its keys is always empty: it is there to switch limits off
}

// A Line is one limit of a Written.
type Line struct {
	config.Item
	Zone  string
	Known bool  // the zone is defined in what was read
	Rate  int64 // of limit_req's zone, in thousandths of a request per second
	Room  int64 // the burst, in thousandths of a request; of limit_conn, how many connections

	Key     Key // where the zone is defined
	KeyText string
}

// Lists yields all lists of both kinds, those that every level below replaces among them.
func (f *Facts) Lists() iter.Seq[Written] {
	return func(yield func(Written) bool) {
		var lines []Line
		for _, l := range f.LimitReqs() {
			w := f.reqList(l, lines)
			if lines = w.Lines; !yield(w) {
				return
			}
		}
		for _, l := range f.LimitConns() {
			w := f.connList(l, lines)
			if lines = w.Lines; !yield(w) {
				return
			}
		}
		f.replaced(yield)
	}
}

// replaced yields the lists of http that are in effect nowhere.
func (f *Facts) replaced(yield func(Written) bool) {
	if f.Tree.HTTP == nil || len(f.Tree.HTTP.Servers) == 0 {
		return
	}
	at := &f.Tree.HTTP.Level
	if s := at.Settings.LimitReqs; len(s.Value) > 0 && !used(f.LimitReqs(), s.Value[0]) {
		if !yield(f.reqList(List[*config.LimitReq]{Standing{At: at, Levels: 1}, s.Value}, nil)) {
			return
		}
	}
	if s := at.Settings.LimitConns; len(s.Value) > 0 && !used(f.LimitConns(), s.Value[0]) {
		yield(f.connList(List[*config.LimitConn]{Standing{At: at, Levels: 1}, s.Value}, nil))
	}
}

func used[L comparable](lists []List[L], limit L) bool {
	for i := range lists {
		if lists[i].Limits[0] == limit {
			return true
		}
	}
	return false
}

// reqList makes a Written whose lines take the room given, where that is enough.
func (f *Facts) reqList(l List[*config.LimitReq], room []Line) Written {
	w := Written{Kind: "limit_req", At: l.At, Levels: l.Levels, Places: l.Places, Lines: room[:0]}
	for _, limit := range l.Limits {
		w.Lines = append(w.Lines, f.ReqLine(limit))
	}
	w.OffHere = off(w.Lines)
	return w
}

func (f *Facts) connList(l List[*config.LimitConn], room []Line) Written {
	w := Written{Kind: "limit_conn", At: l.At, Levels: l.Levels, Places: l.Places, Lines: room[:0]}
	for _, limit := range l.Limits {
		w.Lines = append(w.Lines, f.ConnLine(limit))
	}
	w.OffHere = off(w.Lines)
	return w
}

// ReqLine returns a limit_req as a Line.
func (f *Facts) ReqLine(l *config.LimitReq) Line {
	line := Line{Item: config.Item{Directive: l.Directive, Via: l.Via}, Zone: l.ZoneName, Known: l.Zone != nil, Room: l.Burst}
	if l.Zone != nil {
		line.Key, line.KeyText, line.Rate = f.Key(l.Zone.Key), l.Zone.Key.Text, l.Zone.Rate
	}
	return line
}

// ConnLine returns a limit_conn as a Line.
func (f *Facts) ConnLine(l *config.LimitConn) Line {
	line := Line{Item: config.Item{Directive: l.Directive, Via: l.Via}, Zone: l.ZoneName, Known: l.Zone != nil, Room: int64(l.Max)}
	if l.Zone != nil {
		line.Key, line.KeyText = f.Key(l.Zone.Key), l.Zone.Key.Text
	}
	return line
}

// SameKey says whether two limits count by the same: the same template, or the address in one form or another.
func (l *Line) SameKey(o *Line) bool {
	return l.KeyText == o.KeyText || l.Key.PerAddress && o.Key.PerAddress && len(l.Key.Variables) == 1 && len(o.Key.Variables) == 1
}

// Looser says whether a limit lets in more than another one of the same key.
func (l *Line) Looser(o *Line) bool { return l.Rate > o.Rate || l.Rate == o.Rate && l.Room > o.Room }

func off(lines []Line) bool {
	for i := range lines {
		if !lines[i].Known || !lines[i].Key.Never {
			return false
		}
	}
	return true
}
