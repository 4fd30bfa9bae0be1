package lsp

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A capacity is how many keys of a length fit in a zone.
type capacity func(size int64, nameLen, keyLen int) int

var (
	reqCapacity  capacity = limitreq.Capacity
	connCapacity capacity = limitconn.Capacity
)

// tellRoom says how many keys a zone holds.
func (v *view) tellRoom(p *page, key value.Template, size int64, nameLen int, capacity capacity) {
	length, ok := v.facts().KeyLength(key)
	if !ok {
		p.item("zone: %s; how long its keys are cannot be known", bytesText(size))
		return
	}
	most, least := capacity(size, nameLen, length.Least), capacity(size, nameLen, length.Most)
	if length.Least == length.Most || most == least {
		p.item("zone: %s holds %s", bytesText(size), rule.Plural(int64(most), "key", "keys"))
		return
	}
	p.item("zone: %s holds %s keys of %d bytes, %s of %d bytes", bytesText(size),
		rule.Count(int64(most)), length.Least, rule.Count(int64(least)), length.Most)
}

// bytesText writes a size as a configuration would.
func bytesText(size int64) string {
	for _, unit := range []struct {
		name string
		of   int64
	}{{"m", 1 << 20}, {"k", 1 << 10}} {
		if size >= unit.of && size%unit.of == 0 {
			return fmt.Sprintf("%d%s", size/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", size)
}

// aboutZone tells of a zone what it counts, what fits in it, and which limits use it.
func (v *view) aboutZone(z *rule.Zone) string {
	var p page
	if z.Req != nil && z.Req.Rate > 0 {
		p.headline("**limit_req_zone** %s: %s for each %s", code(z.Name), rule.Rate(z.Req.Rate), code(z.Key.Text))
		if z.Req.PerMinute > 0 {
			p.item("%dr/m is kept as %s", z.Req.PerMinute, rule.Rate(z.Req.Rate))
		}
		p.item("interval: one request every %s in the long run", interval(z.Req.Rate))
		v.tellRoom(&p, z.Key, z.Size, len(z.Name), reqCapacity)
	} else {
		p.headline("**limit_conn_zone** %s: requests at once for each %s", code(z.Name), code(z.Key.Text))
		v.tellRoom(&p, z.Key, z.Size, len(z.Name), connCapacity)
	}
	if empty := v.facts().Key(z.Key); empty.Never {
		p.item("the key is always empty: nothing is counted")
	}
	uses := make([]string, 0, len(z.Uses))
	places := 0
	for i := range z.Uses {
		u := &z.Uses[i]
		uses = append(uses, fmt.Sprintf("%s in %s", code(rule.Quoted(u.Item().Directive)), contextText(u.At)))
		places += len(u.Places)
	}
	if len(uses) == 0 {
		p.item("no limit that is in effect names it")
	} else {
		p.item("used by %s, in effect in %s", rule.Some(uses), rule.Plural(int64(places), "place", "places"))
	}
	return p.String()
}

// aboutBlock tells of a block which limits are in effect there, and where they come from.
func (v *view) aboutBlock(d *syntax.Directive) string {
	places := v.facts().Places()
	i := slices.IndexFunc(places, func(p rule.Place) bool { return p.Directive == d })
	if i < 0 {
		return ""
	}
	at := places[i]
	var p page
	p.headline("limits in effect in %s", contextText(at.Level))
	s := at.Settings
	for _, l := range s.LimitReqs.Value {
		text := code(rule.Quoted(l.Directive))
		if l.Zone != nil {
			text += " at " + rule.Rate(l.Zone.Rate) + " for each " + code(l.Zone.Key.Text)
		}
		p.item("%s, %s", text, origin(at.Level, s.LimitReqs.At, l.Directive))
	}
	for _, l := range s.LimitConns.Value {
		p.item("%s, %s", code(rule.Quoted(l.Directive)), origin(at.Level, s.LimitConns.At, l.Directive))
	}
	if len(s.LimitReqs.Value)+len(s.LimitConns.Value) == 0 {
		p.item("none")
	}
	if len(s.LimitReqs.Value) > 0 {
		p.item("limit_req refuses with status %d, %s", s.LimitReqStatus.Value, settingOrigin(at.Level, s.LimitReqStatus))
		if s.LimitReqDryRun.Value {
			p.item("limit_req_dry_run is on, %s", settingOrigin(at.Level, s.LimitReqDryRun))
		}
	}
	if len(s.LimitConns.Value) > 0 {
		p.item("limit_conn refuses with status %d, %s", s.LimitConnStatus.Value, settingOrigin(at.Level, s.LimitConnStatus))
		if s.LimitConnDryRun.Value {
			p.item("limit_conn_dry_run is on, %s", settingOrigin(at.Level, s.LimitConnDryRun))
		}
	}
	if n := len(s.RealIPFrom.Value); n > 0 {
		p.item("the client's address is taken from %s where one of %s connects, %s", code(s.RealIPHeader.Value),
			rule.Plural(int64(n), "trusted network", "trusted networks"), settingOrigin(at.Level, s.RealIPFrom))
	}
	if by, ok := at.Answerer(); ok && !at.Judges() {
		p.item("no request is judged by them here: %s answers before", code(rule.Quoted(by.Directive)))
	}
	return p.String()
}

// origin says where a list that is in effect at a level is written.
func origin(here, at *config.Level, d *syntax.Directive) string {
	if at == here || at == nil {
		return "written here at " + where(d.Span())
	}
	return "inherited from " + contextText(at) + " at " + where(d.Span())
}

func settingOrigin[T any](here *config.Level, s *config.Setting[T]) string {
	if s.Origin == nil {
		return "nginx's default"
	}
	return origin(here, s.At, s.Origin)
}

// aboutInclude lists the files that an include leads to.
func (v *view) aboutInclude(d *syntax.Directive) string {
	docs := v.input.Includes(d)
	if len(docs) == 0 {
		return ""
	}
	var p page
	p.headline("**include** of %s", rule.Plural(int64(len(docs)), "file", "files"))
	const shown = 20
	for i, doc := range docs {
		if i == shown {
			p.item("and %s more", rule.Count(int64(len(docs)-shown)))
			break
		}
		p.item("%s", code(doc.File.Path))
	}
	return p.String()
}
