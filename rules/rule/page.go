package rule

import (
	"fmt"
	"strings"
)

// Suffered is what one page's requests suffer at a place: those of one visitor, and those of all who share an address.
// Without requests the page does not come by the place.
type Suffered struct {
	Clients     int  // of Office
	Estimated   bool // by arithmetic, not by a simulation
	One, Office Counts
	Unsent      int // of one client's page, that would come here and never do: what they hang on was refused, here or elsewhere

	// NeedMilli is the largest excess that a limit finds where one client's requests come as they would without limits; 0
	// where no single limit is meant.
	NeedMilli int64
}

// Counts are requests that a place judged.
type Counts struct {
	Requests, Delayed, Rejected int
	Lost                        int // never sent, because what they hang on was refused
	MaxAddedMs                  int64
}

// Harmed says whether any request waited or was refused.
func (c Counts) Harmed() bool { return c.Delayed+c.Rejected > 0 }

// WorseThan says whether the page suffers more than in the other case: what one visitor does not get counts first.
func (s Suffered) WorseThan(o Suffered) bool {
	for _, pair := range [][2]int{
		{s.One.Rejected + s.One.Lost, o.One.Rejected + o.One.Lost},
		{s.One.Delayed, o.One.Delayed},
		{s.Office.Rejected + s.Office.Lost, o.Office.Rejected + o.Office.Lost},
		{s.Office.Delayed, o.Office.Delayed},
		{s.One.Requests, o.One.Requests},
	} {
		if pair[0] != pair[1] {
			return pair[0] > pair[1]
		}
	}
	return false
}

// Words says what is suffered in a clause: "of a page's 23 requests here 15 wait and 7 are refused, with 29 clients behind
// one address 309 of 471 wait and 161 are refused".
func (s Suffered) Words() string {
	text := fmt.Sprintf("of a page's %s here %s%s", Plural(int64(s.One.All()), "request", "requests"), s.about(s.One), s.One.Words())
	if s.Clients > 1 {
		text += fmt.Sprintf(", with %d clients behind one address %s%s", s.Clients, s.about(s.Office), s.Office.words(" of "+Count(int64(s.Office.All()))))
	}
	return text
}

// about stands before numbers that are estimated.
func (s Suffered) about(c Counts) string {
	if s.Estimated && c.Harmed() {
		return "about "
	}
	return ""
}

// All is how many requests there would be if none were refused.
func (c Counts) All() int { return c.Requests + c.Lost }

// Words names what is suffered: "15 wait, 4 are refused and 3 are never sent".
func (c Counts) Words() string { return c.words("") }

// words is Words with of behind the first number.
func (c Counts) words(of string) string {
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{c.Delayed, "waits", "wait"},
		{c.Rejected, "is refused", "are refused"},
		{c.Lost, "is never sent", "are never sent"},
	} {
		if part.n > 0 {
			parts = append(parts, countThat(part.n, of, part.one, part.many))
			of = ""
		}
	}
	switch n := len(parts); n {
	case 0:
		return "none" + of + " waits"
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
}

// countThat says what a number of requests do.
func countThat(n int, of, one, many string) string {
	if n == 1 {
		many = one
	}
	return Count(int64(n)) + of + " " + many
}

// Tell writes the figures into a finding's evidence.
func (s Suffered) Tell(evidence map[string]any) {
	evidence["page_requests"] = int64(s.One.All())
	evidence["page_delayed"] = int64(s.One.Delayed)
	evidence["page_rejected"] = int64(s.One.Rejected)
	evidence["page_unsent"] = int64(s.One.Lost)
	evidence["clients_per_address"] = int64(s.Clients)
	evidence["office_requests"] = int64(s.Office.All())
	evidence["office_delayed"] = int64(s.Office.Delayed)
	evidence["office_rejected"] = int64(s.Office.Rejected)
	evidence["office_unsent"] = int64(s.Office.Lost)
}
