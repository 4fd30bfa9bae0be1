package traffic

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// The waits that the libraries' documents name.
func TestRetryWaits(t *testing.T) {
	ky := &Retry{Statuses: []int{429, 503}, AtMost: 2, BaseMs: 300, Factor: 2, RetryAfter: true}
	query := &Retry{Statuses: []int{429, 503}, AtMost: 3, BaseMs: 1000, Factor: 2, CapMs: 30_000}
	for _, tt := range []struct {
		r      *Retry
		tries  int
		draw   float64
		header int64
		want   float64
	}{
		{ky, 1, 0.9, -1, 300},
		{ky, 2, 0.9, -1, 600},
		{ky, 1, 0.9, 5000, 5000},
		{ky, 1, 0.9, 0, 0},
		{query, 1, 0, 7000, 1000},
		{query, 3, 0, -1, 4000},
		{query, 6, 0, -1, 30_000},
		{&Retry{BaseMs: 100, Factor: 1, Jitter: FullJitter}, 4, 0.25, -1, 25},
		{&Retry{BaseMs: 100, Factor: 1, Jitter: EqualJitter}, 4, 0.5, -1, 75},
		{&Retry{BaseMs: 1, Factor: 100}, 1000, 0, -1, longestWaitMs},
	} {
		if got := tt.r.WaitMs(tt.tries, tt.draw, tt.header); got != tt.want {
			t.Errorf("%+v, %d: %v ms, want %v", tt.r, tt.tries, got, tt.want)
		}
	}
}

func TestRetryAgain(t *testing.T) {
	ky := &Retry{Statuses: []int{429, 503}, AtMost: 2}
	for _, tt := range []struct {
		r             *Retry
		status, tries int
		want          bool
	}{
		{ky, 503, 1, true},
		{ky, 429, 2, true},
		{ky, 429, 3, false},
		{ky, 500, 1, false},
		{nil, 429, 1, false},
	} {
		if got := tt.r.Again(tt.status, tt.tries); got != tt.want {
			t.Errorf("%d after %d tries: %v", tt.status, tt.tries, got)
		}
	}
}

func TestExpand(t *testing.T) {
	q := &FanRequest{Path: "/items/{n}?by={client}", Headers: []request.Header{{Name: "X-Api-Key", Value: "key-{client}"}, {Name: "A", Value: "{other}"}}}
	path, headers := q.Expand(7, 12)
	want := []request.Header{{Name: "X-Api-Key", Value: "key-7"}, {Name: "A", Value: "{other}"}}
	if path != "/items/12?by=7" || !cmp.Equal(headers, want) {
		t.Error(path, headers)
	}
	if client, number := q.Varies(); !client || !number {
		t.Error(client, number)
	}
	if q.Headers[0].Value != "key-{client}" {
		t.Error("the fan itself was changed")
	}
	same := &FanRequest{Path: "/{x}"}
	if client, number := same.Varies(); client || number {
		t.Error(client, number)
	}
}

func TestStreamCount(t *testing.T) {
	for _, tt := range []struct {
		rate, duration float64
		want           int64
	}{{10, 60, 600}, {0.1, 600, 60}, {3, 0.1, 1}, {1, 0.01, 1}, {10, 0.1, 1}, {10, 0.11, 2}} {
		s := Stream{RatePerS: tt.rate, DurationS: tt.duration}
		if got := s.Count(); got != tt.want {
			t.Errorf("%v/s for %v s: %d, want %d", tt.rate, tt.duration, got, tt.want)
		}
	}
}
