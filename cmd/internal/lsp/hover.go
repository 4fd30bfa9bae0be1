package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// hover tells of a limit, a zone, or a block what it comes to.
func (s *server) hover(p *placeParams) (any, error) {
	at, ok, err := s.spot(p)
	if !ok || at.directive == nil || at.tree.HTTP == nil {
		return nil, err
	}
	head := at.directive.Head()
	if at.offset < head.Start || at.offset > head.End {
		return nil, nil
	}
	text := at.about(at.directive)
	if text == "" {
		return nil, nil
	}
	r := at.rangeOf(head)
	if !slices.Contains(s.client.Capabilities.TextDocument.Hover.ContentFormat, "markdown") {
		return hover{markup{"plaintext", strings.NewReplacer("**", "", "`", "").Replace(text)}, &r}, nil
	}
	return hover{markup{"markdown", text}, &r}, nil
}

// about says what there is to be said of a directive.
func (v *view) about(d *syntax.Directive) string {
	switch d.Name().Value {
	case "limit_req":
		return v.aboutLimitReq(d)
	case "limit_conn":
		return v.aboutLimitConn(d)
	case "limit_req_zone":
		for _, z := range v.facts().Zones() {
			if z.Req != nil && z.Req.Directive == d {
				return v.aboutZone(z)
			}
		}
	case "limit_conn_zone":
		for _, z := range v.facts().Zones() {
			if z.Conn != nil && z.Conn.Directive == d {
				return v.aboutZone(z)
			}
		}
	case "server", "location", "if":
		return v.aboutBlock(d)
	case "include":
		return v.aboutInclude(d)
	}
	return ""
}

// code quotes text of a configuration in Markdown.
func code(text string) string {
	text = visible(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// A page is a text for a hover: a headline, and a list below it.
type page struct{ strings.Builder }

func (p *page) headline(format string, args ...any) { fmt.Fprintf(p, format+"\n\n", args...) }
func (p *page) item(format string, args ...any)     { fmt.Fprintf(p, "- "+format+"\n", args...) }

// where names a place in a configuration: a file and its line.
func where(s source.Span) string {
	return fmt.Sprintf("%s:%d", visible(s.File.Path), s.From().Line)
}

// interval is how often the rate lets a request through, in words.
func interval(rate int64) string {
	ms := 1_000_000 / rate
	if ms == 0 {
		return "less than a millisecond"
	}
	return rule.Duration(ms)
}

// aboutLimitReq tells of a limit_req what it does, and to whom.
func (v *view) aboutLimitReq(d *syntax.Directive) string {
	limit, lists := ofDirective(v.facts().LimitReqs(), func(l *config.LimitReq) bool { return l.Directive == d })
	if limit == nil {
		return v.nowhere(d)
	}
	var p page
	if limit.Zone == nil || limit.Zone.Rate <= 0 {
		p.headline("**limit_req** on zone %s, which is not defined in what was read", code(limit.ZoneName))
	} else {
		p.headline("**limit_req** on zone %s: %s for each %s", code(limit.ZoneName), rule.Rate(limit.Zone.Rate), code(limit.Zone.Key.Text))
		p.item("interval: one request every %s in the long run", interval(limit.Zone.Rate))
		p.tellBurst(limit)
		v.tellWho(&p, limit.Zone.Key)
		v.tellPage(&p, limit, lists)
		v.tellRoom(&p, limit.Zone.Key, limit.Zone.Size, len(limit.Zone.Name), reqCapacity)
	}
	tellEffect(&p, lists, func(s *config.Settings) (int, bool) { return s.LimitReqStatus.Value, s.LimitReqDryRun.Value })
	v.tellReplaced(&p, levelsOf(lists), func(s *config.Settings) *config.Level { return s.LimitReqs.At })
	return p.String()
}

// tellBurst says how many requests pass at once, and how long others wait.
func (p *page) tellBurst(l *config.LimitReq) {
	burst, delay := l.Burst/1000, l.Delay/1000
	switch {
	case burst == 0:
		p.item("capacity: 1 at once; a request that comes sooner is refused")
	case l.NoDelay:
		p.item("capacity: %s at once, the first and a burst of %s; none of them waits", rule.Count(burst+1), rule.Count(burst))
	case delay >= burst:
		p.item("capacity: %s at once, the first and a burst of %s; none of them waits, since delay=%s covers the burst", rule.Count(burst+1), rule.Count(burst), rule.Count(delay))
	default:
		longest := (l.Burst - l.Delay) * 1000 / l.Zone.Rate
		p.item("capacity: %s at once, of which %s without a delay and %s; more are refused",
			rule.Count(burst+1), rule.Plural(delay+1, "passes", "pass"), rule.Plural(burst-delay, "waits", "wait"))
		p.item("longest delay: %s", rule.AtMost(longest))
	}
}

// tellWho says who shares a bucket, as far as the key tells.
func (v *view) tellWho(p *page, key value.Template) {
	switch k := v.facts().Key(key); {
	case k.Never:
		p.item("who: nobody, since the key is always empty")
	case k.Exempt:
		p.item("who: no ordinary visitor, since the key is empty for them")
	case k.ForAll:
		p.item("who: all visitors together")
	case k.PerAddress:
		p.item("who: each address by itself; those who share one, such as an office, share its bucket")
	case k.Sent:
		p.item("who: by what the client sends")
	}
}

// tellPage says what the limit does to a page load, where the page comes by it.
func (v *view) tellPage(p *page, limit *config.LimitReq, lists []rule.List[*config.LimitReq]) {
	for _, list := range lists {
		all := v.facts().SufferedBy(list, slices.Index(list.Limits, limit), func(rule.Place) bool { return true })
		if all.One.Requests > 0 {
			p.item("effect: %s", all.Words())
			return
		}
	}
}

// aboutLimitConn tells of a limit_conn what it does, and to whom.
func (v *view) aboutLimitConn(d *syntax.Directive) string {
	limit, lists := ofDirective(v.facts().LimitConns(), func(l *config.LimitConn) bool { return l.Directive == d })
	if limit == nil {
		return v.nowhere(d)
	}
	var p page
	if limit.Zone == nil {
		p.headline("**limit_conn** on zone %s, which is not defined in what was read", code(limit.ZoneName))
	} else {
		p.headline("**limit_conn** on zone %s: %s at once for each %s", code(limit.ZoneName),
			rule.Plural(int64(limit.Max), "request", "requests"), code(limit.Zone.Key.Text))
		p.item("each stream of HTTP/2 counts by itself; an idle connection does not")
		v.tellWho(&p, limit.Zone.Key)
		v.tellRoom(&p, limit.Zone.Key, limit.Zone.Size, len(limit.Zone.Name), connCapacity)
	}
	tellEffect(&p, lists, func(s *config.Settings) (int, bool) { return s.LimitConnStatus.Value, s.LimitConnDryRun.Value })
	v.tellReplaced(&p, levelsOf(lists), func(s *config.Settings) *config.Level { return s.LimitConns.At })
	return p.String()
}

// ofDirective returns the limit that a directive writes, and the lists that it is in; nil where none is in effect.
func ofDirective[L any](lists []rule.List[*L], is func(*L) bool) (limit *L, in []rule.List[*L]) {
	for _, list := range lists {
		if i := slices.IndexFunc(list.Limits, is); i >= 0 {
			limit, in = list.Limits[i], append(in, list)
		}
	}
	return limit, in
}

// nowhere is said of a limit that is in no list in effect.
func (v *view) nowhere(d *syntax.Directive) string {
	why := "every block below has a list of its own, or nginx refuses the directive"
	if len(v.tree.HTTP.Servers) == 0 {
		why = "there is no server in what was read"
	}
	return fmt.Sprintf("**%s** is in effect nowhere: %s\n", d.Name().Value, why)
}

// tellEffect says what a refusal is, where the lists are written, and where they are in effect.
func tellEffect[L any](p *page, lists []rule.List[L], refusal func(*config.Settings) (status int, dry bool)) {
	var statuses, places []string
	dry := 0
	for _, list := range lists {
		for _, at := range list.Places {
			status, isDry := refusal(at.Settings)
			if text := fmt.Sprint(status); !slices.Contains(statuses, text) {
				statuses = append(statuses, text)
			}
			if isDry {
				dry++
			}
			places = append(places, contextText(at.Level))
		}
	}
	switch {
	case len(places) > 0 && dry == len(places):
		p.item("a dry run: what is over the limit is only marked")
	case dry > 0:
		p.item("refused with status %s; a dry run in %d of %d places", rule.Some(statuses), dry, len(places))
	case len(statuses) > 0:
		p.item("refused with status %s", rule.Some(statuses))
	}
	if len(lists) > 0 && lists[0].At != nil {
		p.item("written in %s", contextText(lists[0].At)+moreLevels(lists))
	}
	p.item("in effect in %s: %s", rule.Plural(int64(len(places)), "place", "places"), rule.Some(places))
}

func levelsOf[L any](lists []rule.List[L]) (levels []*config.Level) {
	for _, l := range lists {
		levels = append(levels, l.At)
	}
	return levels
}

// tellReplaced names the blocks below the levels that have a list of their own: it replaces the one above, it does not add
// to it.
func (v *view) tellReplaced(p *page, at []*config.Level, list func(*config.Settings) *config.Level) {
	var replacing []string
	seen := map[*config.Level]bool{}
	for _, place := range v.facts().Places() {
		own := list(place.Settings)
		if own == nil || seen[own] || slices.Contains(at, own) {
			continue
		}
		seen[own] = true
		for up := own.Parent; up != nil; up = up.Parent {
			if slices.Contains(at, up) {
				replacing = append(replacing, contextText(own))
				break
			}
		}
	}
	if len(replacing) > 0 {
		p.item("not in effect where another list replaces it: %s", rule.Some(replacing))
	}
}

func moreLevels[L any](lists []rule.List[L]) string {
	n := -1
	for _, l := range lists {
		n += max(l.Levels, 1)
	}
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %s more", rule.Count(int64(n)))
}

// contextText names a level by its innermost blocks: http goes without saying.
func contextText(l *config.Level) string {
	names := l.Context()
	if len(names) > 1 {
		names = names[1:]
	}
	return code(strings.Join(names, " > "))
}
