package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

func TestBadLines(t *testing.T) {
	log := logOf(treeOf(t, limited), crowd(2000), 0)
	bad := slices.Clone(log)
	bad = slices.Insert(bad, 100, `{"msec":1772438400.000,"ip":"203`, "\x00\x01\x02", "hello", `{"msec":17724.000,"ip":"1.2.3.4"}`, `{"msec":1672438400.000,"ip":"1.2.3.4"}`,
		`{"msec":`+log[100][8:18]+`.000,"request":"GET / HTTP/1.1"}`, strings.Repeat("x", 200_000))
	clean := run(t, limited, Options{}, sourceOf(t, "log", lines(log), accesslog.JSON))
	r := run(t, limited, Options{}, sourceOf(t, "log", lines(bad), accesslog.JSON))
	if r.Lines != 2007 || r.Skipped != 7 || r.Unusable() {
		t.Errorf("%d lines, %d skipped", r.Lines, r.Skipped)
	}
	var got []string
	for _, f := range r.Faults {
		got = append(got, fmt.Sprintf("%s %d %d", f.Kind, f.Lines, f.Line))
	}
	if want := []string{"cut 1 101", "binary 1 102", "foreign 1 103", "year 2 104", "long 1 107", "client 1 106"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if diff := cmp.Diff(clean.Locations, r.Locations); diff != "" {
		t.Error(diff)
	}
	half := run(t, limited, Options{}, sourceOf(t, "log", lines(log[:3])+"a\nb\nc\n", accesslog.JSON))
	if !half.Unusable() {
		t.Errorf("%d of %d lines skipped", half.Skipped, half.Lines)
	}
}

func TestBroken(t *testing.T) {
	log := logOf(treeOf(t, limited), crowd(100), 0)
	s := sourceOf(t, "log.gz", "", accesslog.JSON)
	s.Open = func() (io.Reader, func(), error) {
		return io.MultiReader(strings.NewReader(lines(log)), failing{}), func() {}, nil
	}
	r := run(t, limited, Options{}, s)
	if r.Requests != 100 || len(r.Faults) != 1 || r.Faults[0].Kind != "broken" || r.Faults[0].Line != 101 {
		t.Errorf("%d requests, %+v", r.Requests, r.Faults)
	}
	tree := treeOf(t, limited)
	if _, err := Run(tree, route.New(tree), []Source{sourceOf(t, "empty", "", accesslog.JSON)}, Options{}); err == nil {
		t.Error("no line is no error")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
