package report

import "github.com/ngxlimit/ngxlimit/model/simulate"

// A trustingView compares whom nginx takes for the clients that come through proxies: as it is, and with the proxies trusted.
type trustingView struct {
	Rows    []numbersRow
	Busiest []string // addresses that stand for several clients
	Title   string   // of the change; "" where none is missing or helps
	Hunks   []hunkView
	Note    string
}

// trustingOf shows the comparison; nil where clients connect themselves.
func trustingOf(s *simulate.Trusting) *trustingView {
	if s == nil {
		return nil
	}
	v := &trustingView{Note: trustingNote(s)}
	v.add("as it is", &s.Before)
	if s.After == nil {
		return v
	}
	v.add("with the proxies trusted", s.After)
	if s.Change != nil {
		v.Title, v.Hunks = "To "+clean(s.Change.Title), hunksOf(s.Change.Spans)
	}
	return v
}

func (v *trustingView) add(name string, s *simulate.Seen) {
	v.Rows = append(v.Rows, numbersRow{name, cells(s.Addresses, s.OfProxies, s.Clients, s.Mistaken, s.Rejected)})
	for _, line := range busiest(s) {
		v.Busiest = append(v.Busiest, name+": "+line)
	}
}
