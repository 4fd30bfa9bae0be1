package traffic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// check refuses what cannot be run: requests without an end of waiting, paths that are none, queues that nobody fills.
func (f *Fan) check() error {
	if f.Name == "" {
		return errors.New("fan has no name")
	}
	if len(f.Requests) == 0 {
		return errors.New("fan has no requests")
	}
	queues, err := f.queues()
	if err != nil {
		return err
	}
	for i := range f.Requests {
		q := &f.Requests[i]
		if err := q.check(len(f.Requests), i); err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
		if q.Group != "" && !queues[q.Group] {
			return fmt.Errorf("request %d: group %s has no client queue", i, quoted(q.Group))
		}
	}
	return f.checkCycles()
}

func (f *Fan) queues() (map[string]bool, error) {
	queues := map[string]bool{}
	for i, q := range f.ClientQueues {
		switch {
		case q.Group == "":
			return nil, fmt.Errorf("client queue %d: group is missing", i)
		case queues[q.Group]:
			return nil, fmt.Errorf("client queue %d: group %s has a queue already", i, quoted(q.Group))
		case q.AtOnce == 0:
			return nil, fmt.Errorf("client queue %d: at_once is missing", i)
		}
		for _, p := range q.Protocols {
			if !slices.Contains(protocols, p) {
				return nil, fmt.Errorf("client queue %d: unknown protocol %s; known are %s", i, quoted(p), strings.Join(protocols, ", "))
			}
		}
		queues[q.Group] = true
	}
	return queues, nil
}

func (q *FanRequest) check(requests, self int) error {
	switch {
	case q.Path == "":
		return errors.New("path is missing")
	case q.Path[0] != '/' || strings.Contains(q.Path, "#"):
		return fmt.Errorf("path %s is no path that begins with / and has no fragment", quoted(q.Path))
	case len(q.Path) > maxFanPath:
		return fmt.Errorf("path of %d bytes is longer than %d", len(q.Path), maxFanPath)
	case q.Kind == "":
		return fmt.Errorf("kind is missing; known are %s", strings.Join(Kinds, ", "))
	case !slices.Contains(Kinds, q.Kind):
		return fmt.Errorf("unknown kind %s; known are %s", quoted(q.Kind), strings.Join(Kinds, ", "))
	}
	if d := q.DependsOn; d != nil {
		switch {
		case *d >= requests:
			return fmt.Errorf("depends_on %d, but the last request is %d", *d, requests-1)
		case *d == self:
			return errors.New("depends_on itself")
		}
	}
	return setTarget(&request.Request{}, q.Path)
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
				return fmt.Errorf("request %d: depends_on leads back to it", at)
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
