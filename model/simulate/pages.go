package simulate

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A Page is what one page load of a fan suffers at one server: once by a single client, and once by an office of
// clients behind one address, who open it evenly spread over OfficeSpan.
type Page struct {
	Fan       string
	Clients   int // of Office
	One       PageRun
	Office    PageRun
	Locations []PageLocation // in which a limit is in effect or which a request reached, in the order of the configuration
}

// A PageRun is a page's own time, and how many loads broke because a request was refused.
type PageRun struct {
	Stat       PageStat
	Requests   int
	Delayed    int
	Rejected   int
	MaxAddedMs int64
}

// A PageLocation is what the fan's requests suffered at one location.
type PageLocation struct {
	Location *config.Location // nil: the server itself
	One      LocationStat
	Office   LocationStat
}
