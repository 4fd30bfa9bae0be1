package traffic

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

var protocols = []string{"h1", "h2"}

// check refuses what cannot be run: requests without an end of waiting, paths that are none, queues that nobody fills.
func (f *Fan) check() error {
	if f.Name == "" {
		return under("name", errors.New("fan has no name"))
	}
	if len(f.Requests) == 0 && len(f.Streams) == 0 {
		return errors.New("fan has no requests")
	}
	if err := f.RTTMs.check(); err != nil {
		return under("rtt_ms", err)
	}
	queues, err := f.queues()
	if err != nil {
		return err
	}
	policies, err := f.policies()
	if err != nil {
		return err
	}
	for i := range f.Requests {
		q := &f.Requests[i]
		err := q.check(policies)
		if err == nil {
			err = dependence(q.DependsOn, len(f.Requests))
		}
		if err == nil && q.Group != "" && !queues[q.Group] {
			err = under("group", fmt.Errorf("%s has no client queue", quoted(q.Group)))
		}
		if err != nil {
			return under("requests", element(i, err))
		}
	}
	for i := range f.Streams {
		if err := f.Streams[i].check(len(f.Requests), policies); err != nil {
			return under("streams", element(i, err))
		}
	}
	return f.checkCycles()
}

func (f *Fan) queues() (map[string]bool, error) {
	queues := map[string]bool{}
	for i, q := range f.ClientQueues {
		if err := q.check(queues); err != nil {
			return nil, under("client_queues", element(i, err))
		}
		queues[q.Group] = true
	}
	return queues, nil
}

func (q *ClientQueue) check(others map[string]bool) error {
	switch {
	case q.Group == "":
		return errors.New("group is missing")
	case others[q.Group]:
		return under("group", fmt.Errorf("%s has a queue already", quoted(q.Group)))
	case q.AtOnce == 0:
		return errors.New("at_once is missing")
	}
	for i, p := range q.Protocols {
		if !slices.Contains(protocols, p) {
			return under("protocols", element(i, misspelt("unknown protocol", p, protocols)))
		}
	}
	return nil
}

func (f *Fan) policies() (map[string]bool, error) {
	policies := map[string]bool{}
	for i := range f.Retries {
		if err := f.Retries[i].check(policies); err != nil {
			return nil, under("retries", element(i, err))
		}
		policies[f.Retries[i].Name] = true
	}
	return policies, nil
}

func (r *Retry) check(others map[string]bool) error {
	switch {
	case r.Name == "":
		return errors.New("name is missing")
	case others[r.Name]:
		return under("name", fmt.Errorf("%s is the name of another policy already", quoted(r.Name)))
	case len(r.Statuses) == 0:
		return errors.New("statuses is missing: no answer would be followed by another request")
	case r.AtMost == 0:
		return errors.New("at_most is missing")
	}
	return nil
}

func (s *Stream) check(requests int, policies map[string]bool) error {
	switch {
	case len(s.Requests) == 0:
		return errors.New("requests is missing")
	case s.RatePerS == 0:
		return errors.New("rate_per_s is missing")
	case s.DurationS == 0:
		return errors.New("duration_s is missing")
	}
	for i := range s.Requests {
		if err := s.Requests[i].check(policies); err != nil {
			return under("requests", element(i, err))
		}
	}
	return dependence(s.DependsOn, requests)
}

func (q *FanRequest) check(policies map[string]bool) error {
	switch {
	case q.Path == "":
		return errors.New("path is missing")
	case q.Path[0] != '/' || strings.Contains(q.Path, "#"):
		return under("path", fmt.Errorf("%s is no path that begins with / and has no fragment", quoted(q.Path)))
	case len(q.Path) > maxFanPath:
		return under("path", fmt.Errorf("%d bytes are more than %d", len(q.Path), maxFanPath))
	case q.Kind == "":
		return fmt.Errorf("kind is missing; known are %s", strings.Join(Kinds, ", "))
	case !slices.Contains(Kinds, q.Kind):
		return under("kind", fmt.Errorf("unknown kind %s; known are %s", quoted(q.Kind), strings.Join(Kinds, ", ")))
	case q.Retry != "" && !policies[q.Retry]:
		return under("retry", misspelt("unknown policy", q.Retry, sortedKeys(policies)))
	}
	for _, h := range q.Headers {
		if sameName(h, request.Header{Name: "Host"}) {
			return under("headers", errors.New("a fan names no host"))
		}
	}
	for _, d := range []struct {
		name string
		dist *Dist
	}{{"think_ms", q.ThinkMs}, {"service_ms", q.ServiceMs}, {"size_bytes", q.SizeBytes}} {
		if err := d.dist.check(); err != nil {
			return under(d.name, err)
		}
	}
	return under("path", setTarget(&request.Request{}, q.Path))
}

func dependence(on *int, requests int) error {
	if on == nil || *on < requests {
		return nil
	}
	if requests == 0 {
		return under("depends_on", fmt.Errorf("%d, but there are no requests", *on))
	}
	return under("depends_on", fmt.Errorf("%d, but the last request is %d", *on, requests-1))
}

// checkCycles refuses requests that wait for each other. A request waits for one other at most, so each is walked once:
// the walk ends at a request that is known to start, or meets itself.
func (f *Fan) checkCycles() error {
	const (
		unseen = iota
		walked // in the walk at hand
		starts
	)
	state := make([]int, len(f.Requests))
	for i := range f.Requests {
		at := i
		for state[at] == unseen {
			state[at] = walked
			if f.Requests[at].DependsOn == nil {
				break
			}
			at = *f.Requests[at].DependsOn
			if state[at] == walked {
				return under("requests", element(at, under("depends_on", f.cycle(at))))
			}
		}
		for at = i; state[at] == walked; at = *f.Requests[at].DependsOn {
			state[at] = starts
			if f.Requests[at].DependsOn == nil {
				break
			}
		}
	}
	return nil
}

// cycle words a circle of requests that begins and ends with one.
func (f *Fan) cycle(start int) error {
	if *f.Requests[start].DependsOn == start {
		return errors.New("it depends on itself")
	}
	const shown = 8
	way := fmt.Sprint(start)
	for at, n := *f.Requests[start].DependsOn, 1; ; at, n = *f.Requests[at].DependsOn, n+1 {
		if n >= shown && at != start {
			return fmt.Errorf("it leads back to request %d: %s → …", start, way)
		}
		way += fmt.Sprintf(" → %d", at)
		if at == start {
			return fmt.Errorf("it leads back to request %d: %s", start, way)
		}
	}
}

func sameName(a, b request.Header) bool { return strings.EqualFold(a.Name, b.Name) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
