package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// maxPageRows is how many locations the table of page loads shows; more would bury the findings above it.
const maxPageRows = 20

// A pageRow is one limited location, and the locations of other servers at which a page suffers exactly the same.
type pageRow struct {
	page  Page
	loc   simulate.PageLocation
	alike int      // other locations
	hosts []string // inputs of the machines of which alone it is true; none where it is of all that have the location
}

// A pageTable is what is worth showing of all page loads.
type pageTable struct {
	fan       string
	requests  int  // of the fan
	several   bool // configurations were read
	rows      []pageRow
	left      int      // locations that rows have no room for
	unreached []string // limited locations to which no request of the page comes
	undefined []zoneOf // zones that limits name and nothing defines
	notes     []string // what whole pages take, in words
}

// A zoneOf is a zone, and the input in which a limit names it.
type zoneOf struct{ input, zone string }

// pageTables are the tables of all fans, in the order in which they were loaded first.
func pageTables(r *Report) []*pageTable {
	var fans []string
	of := map[string][]Page{}
	for _, p := range r.Pages {
		if of[p.Fan] == nil {
			fans = append(fans, p.Fan)
		}
		of[p.Fan] = append(of[p.Fan], p)
	}
	var tables []*pageTable
	for _, fan := range fans {
		if t := newPageTable(of[fan], len(r.Inputs) > 1); t != nil {
			tables = append(tables, t)
		}
	}
	return tables
}

// newPageTable picks the rows: each limited location, what is alike put together, the worst where not all fit. It is nil
// where nothing is limited.
func newPageTable(pages []Page, several bool) *pageTable {
	var t *pageTable
	met := newPageRows()
	for _, p := range pages {
		for _, l := range p.Locations {
			if !l.One.Limited && !l.Office.Limited {
				continue
			}
			if t == nil {
				t = &pageTable{fan: p.Fan, requests: fanRequests(p)}
			}
			if zones, all := undefinedZones(p, l); len(zones) > 0 {
				for _, z := range zones {
					t.undefined = append(t.undefined, zoneOf{p.Input, z})
				}
				if all {
					continue // nothing is known of this location's limits
				}
			}
			met.add(pageRow{page: p, loc: l, hosts: p.Hosts})
		}
	}
	if t == nil {
		return nil
	}
	t.fill(met)
	t.several = several
	t.keepWorst()
	t.notes = pageNotes(pages)
	return t
}

// fill takes the rows, those of different servers that are alike put together.
func (t *pageTable) fill(met *pageRows) {
	groups := map[string]int{}
	for _, row := range met.told() {
		if row.loc.One.Requests+row.loc.Office.Requests == 0 {
			t.unreached = append(t.unreached, row.name(60))
			continue
		}
		key := fmt.Sprint(row.loc.One.Location, figures(row.loc.One), figures(row.loc.Office), row.hosts)
		if i, ok := groups[key]; ok {
			t.rows[i].alike++
			continue
		}
		groups[key] = len(t.rows)
		t.rows = append(t.rows, row)
	}
}

// fanRequests is how many requests the page makes where none is refused.
func fanRequests(p Page) int {
	n := 0
	for _, l := range p.Locations {
		n += l.One.Requests + l.One.NotIssued
	}
	return n
}

// figures are the numbers of a location without its name and place.
func figures(s simulate.LocationStat) simulate.LocationStat {
	s.Server, s.File, s.Line = "", "", 0
	return s
}

// keepWorst drops rows beyond maxPageRows: those with fewest refusals, then with the shortest delays.
func (t *pageTable) keepWorst() {
	if len(t.rows) <= maxPageRows {
		return
	}
	order := make([]int, len(t.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareHarm(t.rows[b].loc, t.rows[a].loc) })
	keep := order[:maxPageRows]
	for _, i := range order[maxPageRows:] {
		t.left += 1 + t.rows[i].alike
	}
	slices.Sort(keep)
	rows := make([]pageRow, len(keep))
	for i, k := range keep {
		rows[i] = t.rows[k]
	}
	t.rows = rows
}

func compareHarm(a, b simulate.PageLocation) int {
	if d := (a.One.Rejected + a.Office.Rejected) - (b.One.Rejected + b.Office.Rejected); d != 0 {
		return d
	}
	if a.Office.AddedMs.Max != b.Office.AddedMs.Max {
		return int(a.Office.AddedMs.Max - b.Office.AddedMs.Max)
	}
	return a.Office.Requests - b.Office.Requests
}

// name is the location for people, cut to width columns.
func (r pageRow) name(width int) string {
	server := r.loc.One.Server
	if server == "" {
		server = r.page.name()
	}
	more := ""
	if r.alike > 0 {
		more = " and " + numeral.Count(r.alike) + " alike"
	}
	width -= len(more)
	if len(r.hosts) > 0 {
		on := " on " + clean(hostNames(r.hosts))
		more += on
		width = max(width-columns(on), leastName)
	}
	return placeName(server, r.loc.One.Location, width) + more
}

// placeName names a location and its server within width columns. Where both have no room the server is shortened, then
// left out, and last the location is shortened: it tells more.
func placeName(server, label string, width int) string {
	width = max(width, 8)
	server, label = clean(server), clean(label)
	if label == "" {
		label = "(the server itself)"
	}
	if server == "" {
		return middle(label, width)
	}
	if whole := server + " " + label; columns(whole) <= width {
		return whole
	}
	const least = 8 // of a server's name, below which it says nothing
	if room := width - 1 - columns(label); room >= least {
		return middle(server, room) + " " + label
	}
	return middle(label, width)
}

// leastName is how much of a location and its server a table shows, however many columns of numbers it has.
const leastName = 32

// placeNames names the locations of a table, by server and label, each within width columns or the least that says something.
// Different ones that would look alike are not shortened.
func placeNames(places [][2]string, width int) []string {
	width = max(width, leastName)
	names := make([]string, len(places))
	of := map[string][2]string{} // the first place of a name
	alike := map[string]bool{}
	for i, p := range places {
		names[i] = placeName(p[0], p[1], width)
		if first, known := of[names[i]]; known && first != p {
			alike[names[i]] = true
		} else if !known {
			of[names[i]] = p
		}
	}
	for i, p := range places {
		if alike[names[i]] {
			names[i] = placeName(p[0], p[1], wholeName)
		}
	}
	return names
}

// wholeName is the width to which a name is cut that has to be told from others.
const wholeName = 300

// snipText cuts text to width columns.
func snipText(s string, width int) string { return text.Snip(s, max(width, 8), "...") }

// middle cuts text to width columns, what is left out from its middle.
func middle(s string, width int) string {
	const gap = "..."
	total := columns(s)
	if total <= width || width <= len(gap) {
		return s
	}
	head := (width - len(gap)) / 2
	tail := width - len(gap) - head
	from, to, at := len(s), 0, 0 // the text left out is s[to:from]
	for i, r := range s {
		w := text.RuneWidth(r)
		if at+w <= head {
			to = i + len(string(r))
		}
		if total-at <= tail {
			from = i
			break
		}
		at += w
	}
	return s[:to] + gap + s[from:]
}

// columns is how wide text is on a screen.
func columns(s string) int { return text.StringWidthWithoutEscSequences(s) }

// added words a delay that the limiter made; none is worth no number.
func added(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return duration(ms)
}

// few names up to three servers.
func few(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most-1], ", "), numeral.Count(len(names)-most+1))
}

// pageNote is what a whole page takes at one server; "" where a limit cannot be computed, so that nothing can be said of
// the whole.
func pageNote(p Page) string {
	for _, l := range p.Locations {
		if zones, _ := undefinedZones(p, l); len(zones) > 0 {
			return ""
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the page takes %s without limits", duration(p.One.Stat.UnlimitedMs.P50))
	switch one := p.One; {
	case one.Stat.BrokenPages > 0:
		fmt.Fprintf(&b, "; with them it breaks even for one client (%s refused)", count(one.Rejected, "request"))
	case one.Stat.LimitedMs.P50 > one.Stat.UnlimitedMs.P50:
		fmt.Fprintf(&b, ", %s with them", duration(one.Stat.LimitedMs.P50))
	default:
		b.WriteString(", and no longer with them")
	}
	if p.Clients > 1 {
		fmt.Fprintf(&b, "; of %s behind one address, who open it within a minute, %s", count(p.Clients, "client"), officeNote(p.Office))
	}
	return b.String()
}

func officeNote(o simulate.PageRun) string {
	switch {
	case o.Stat.BrokenPages > 0:
		return numeral.Count(o.Stat.BrokenPages) + " see a broken page"
	case o.MaxAddedMs > 0:
		return fmt.Sprintf("the slowest waits up to %s for a request", rule.AtMost(o.MaxAddedMs))
	}
	return "nobody waits"
}

// undefinedZones are the zones that limits of a location name and nothing that was read defines; all says that none of
// its limits has a zone.
func undefinedZones(p Page, l simulate.PageLocation) (zones []string, all bool) {
	var level *config.Level
	switch {
	case l.Location != nil:
		level = &l.Location.Level
	case p.Server != nil:
		level = &p.Server.Level
	}
	if level == nil || level.Settings == nil {
		return nil, false
	}
	limits := 0
	if reqs := level.Settings.LimitReqs; reqs != nil {
		limits += len(reqs.Value)
		for _, r := range reqs.Value {
			if r.Zone == nil {
				zones = append(zones, r.ZoneName)
			}
		}
	}
	if conns := level.Settings.LimitConns; conns != nil {
		limits += len(conns.Value)
		for _, c := range conns.Value {
			if c.Zone == nil {
				zones = append(zones, c.ZoneName)
			}
		}
	}
	return zones, len(zones) == limits
}
