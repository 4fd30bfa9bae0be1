package report

import (
	"fmt"
	"slices"
)

// pageRows puts together what the pages of several machines have in common: the same location with the same figures is one
// row, however many machines it is on. Pages that are of no machine stay apart.
type pageRows struct {
	rows []pageRow
	at   map[string]int             // row of a location, its figures, and which of those that one input has it is
	nth  map[string]int             // by input, location and figures
	all  map[string]map[string]bool // machines that have a location
}

func newPageRows() *pageRows {
	return &pageRows{at: map[string]int{}, nth: map[string]int{}, all: map[string]map[string]bool{}}
}

// place is the location by its names, which may be on several machines.
func (r *pageRow) place() string { return fmt.Sprintf("%q %q", r.page.label(), r.loc.One.Location) }

func (m *pageRows) add(row pageRow) {
	if len(row.hosts) == 0 {
		m.rows = append(m.rows, row)
		return
	}
	place := row.place()
	if m.all[place] == nil {
		m.all[place] = map[string]bool{}
	}
	for _, h := range row.hosts {
		m.all[place][h] = true
	}
	key := fmt.Sprint(place, figures(row.loc.One), figures(row.loc.Office))
	of := row.page.Input + "\n" + key
	m.nth[of]++
	key = fmt.Sprint(m.nth[of], key)
	if i, known := m.at[key]; known {
		m.rows[i].hosts = append(slices.Clone(m.rows[i].hosts), row.hosts...)
		return
	}
	m.at[key] = len(m.rows)
	m.rows = append(m.rows, row)
}

// told are the rows, with machines only where others that have the location differ.
func (m *pageRows) told() []pageRow {
	for i := range m.rows {
		row := &m.rows[i]
		if len(row.hosts) == 0 {
			continue
		}
		if slices.Sort(row.hosts); len(row.hosts) == len(m.all[row.place()]) {
			row.hosts = nil
		}
	}
	return m.rows
}

// pageNotes says in words what whole pages take, once for all servers of which the same can be said, and of which machines
// where that differs.
func pageNotes(pages []Page) []string {
	type said struct{ note, label string }
	var order []said
	on := map[said][]string{}           // machines
	all := map[string]map[string]bool{} // by server
	for _, p := range pages {
		s := said{pageNote(p), p.label()}
		if _, known := on[s]; !known || len(p.Hosts) == 0 {
			order = append(order, s)
		}
		if all[s.label] == nil {
			all[s.label] = map[string]bool{}
		}
		for _, h := range p.Hosts {
			all[s.label][h] = true
			if !slices.Contains(on[s], h) {
				on[s] = append(on[s], h)
			}
		}
	}
	servers := map[string][]string{}
	var notes []string
	for _, s := range order {
		if s.note == "" {
			continue
		}
		if servers[s.note] == nil {
			notes = append(notes, s.note)
		}
		name := s.label
		if hosts := on[s]; len(hosts) < len(all[s.label]) {
			slices.Sort(hosts)
			name += " on " + clean(hostNames(hosts))
		}
		servers[s.note] = append(servers[s.note], name)
	}
	if len(notes) == 1 && len(pages) == 1 {
		return notes
	}
	const most = 8
	for i, note := range notes {
		if i == most {
			return append(notes[:most], fmt.Sprintf("and %s of other servers", count(len(notes)-most, "other outcome")))
		}
		notes[i] = few(servers[note]) + ": " + note
	}
	return notes
}
