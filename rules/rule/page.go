package rule

import (
	"fmt"
)

// Suffered is what one page's requests suffer at a place: those of one visitor, and those of all who share an address.
// Without requests the page does not come by the place.
type Suffered struct {
	Clients     int // of Office
	One, Office Counts
}

// Counts are requests that a place judged.
type Counts struct {
	Requests, Delayed, Rejected int
	MaxAddedMs                  int64
}

// Harmed says whether any request waited or was refused.
func (c Counts) Harmed() bool { return c.Delayed+c.Rejected > 0 }

// WorseThan says whether the page suffers more than in the other case: refusals of one visitor first.
func (s Suffered) WorseThan(o Suffered) bool {
	for _, pair := range [][2]int{
		{s.One.Rejected, o.One.Rejected}, {s.One.Delayed, o.One.Delayed}, {s.Office.Rejected, o.Office.Rejected},
		{s.Office.Delayed, o.Office.Delayed}, {s.One.Requests, o.One.Requests},
	} {
		if pair[0] != pair[1] {
			return pair[0] > pair[1]
		}
	}
	return false
}

// Words says what is suffered in a clause: "of a page's 23 requests here 10 wait and 12 are refused, ...".
func (s Suffered) Words() string {
	text := fmt.Sprintf("of a page's %d requests here %s", s.One.Requests, s.One.words())
	if s.Clients > 1 {
		text += fmt.Sprintf(", of %s behind one address %s of %s", Plural(int64(s.Clients), "client", "clients"), s.Office.words(), Count(int64(s.Office.Requests)))
	}
	return text
}

func (c Counts) words() string {
	switch {
	case c.Delayed > 0 && c.Rejected > 0:
		return fmt.Sprintf("%s wait and %s are refused", Count(int64(c.Delayed)), Count(int64(c.Rejected)))
	case c.Delayed > 0:
		return fmt.Sprintf("%s wait", Count(int64(c.Delayed)))
	case c.Rejected > 0:
		return fmt.Sprintf("%s are refused", Count(int64(c.Rejected)))
	}
	return "none waits"
}

// Tell writes the figures into a finding's evidence.
func (s Suffered) Tell(evidence map[string]any) {
	evidence["page_requests"] = int64(s.One.Requests)
	evidence["page_delayed"] = int64(s.One.Delayed)
	evidence["page_rejected"] = int64(s.One.Rejected)
	evidence["clients_per_address"] = int64(s.Clients)
	evidence["office_requests"] = int64(s.Office.Requests)
	evidence["office_delayed"] = int64(s.Office.Delayed)
	evidence["office_rejected"] = int64(s.Office.Rejected)
}

// Suffered is filled in when pages can be simulated.
func (f *Facts) Suffered(p Place) Suffered {
	return Suffered{}
}
