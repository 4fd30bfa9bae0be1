package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// What several machines have in common is one row; where they differ each row names its machines.
func TestPageRowsOfHosts(t *testing.T) {
	page := func(host, server string, refused int) Page {
		p := Page{Input: host + ".dump", Hosts: []string{host + ".dump"}, Server: &config.Server{Names: []*config.Name{{Text: server}}}}
		p.Fan = "portal"
		stat := simulate.LocationStat{Server: server, Location: "/api/", Limited: true, Requests: 14, Rejected: refused}
		p.Locations = []simulate.PageLocation{{One: stat, Office: stat}}
		return p
	}
	tests := map[string]struct {
		pages []Page
		want  []string
	}{
		"equal":                {[]Page{page("web01", "a.test", 3), page("web02", "a.test", 3)}, []string{"a.test /api/"}},
		"different":            {[]Page{page("web02", "a.test", 3), page("web01", "a.test", 0), page("web03", "a.test", 0)}, []string{"a.test /api/ on web02", "a.test /api/ on web01, web03"}},
		"other servers":        {[]Page{page("web01", "a.test", 3), page("web02", "b.test", 0)}, []string{"a.test /api/", "b.test /api/"}},
		"two of a name":        {[]Page{page("web01", "a.test", 3), page("web01", "a.test", 3), page("web02", "a.test", 3)}, []string{"a.test /api/", "a.test /api/ on web01"}},
		"alike on all":         {[]Page{page("web01", "a.test", 3), page("web02", "a.test", 3), page("web01", "b.test", 3), page("web02", "b.test", 3)}, []string{"a.test /api/ and 1 alike"}},
		"alike but not on all": {[]Page{page("web01", "a.test", 3), page("web02", "a.test", 0), page("web01", "b.test", 3), page("web02", "b.test", 3)}, []string{"a.test /api/ on web01", "a.test /api/ on web02", "b.test /api/"}},
	}
	for name, tt := range tests {
		tab := newPageTable(tt.pages, true)
		var got []string
		for _, r := range tab.rows {
			got = append(got, r.name(60))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if said := strings.Join(tab.notes, ";"); strings.Contains(said, " on web") {
			t.Errorf("%s: the sentences are the same on all: %q", name, said)
		}
	}
}
