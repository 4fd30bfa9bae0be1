package traffic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// longestLine bounds one line of a stream; a request with all its headers is far below.
const longestLine = 1 << 20

// loopback is the client of a request that names none.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// ReadRequests reads a stream of requests, one JSON object a line, and yields them in the order written. Blank lines are
// passed over. The host is for URLs that are a path only and have no Host header; where it is "" such a line is refused.
//
// An error names its line, and ends the stream. One line is held at a time.
func ReadRequests(r io.Reader, host string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, longestLine)
		n := 0
		for lines.Scan() {
			n++
			line := bytes.TrimSpace(lines.Bytes())
			if n == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if len(line) == 0 {
				continue
			}
			e, err := readEvent(line, host)
			if err != nil {
				yield(Event{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Event{}, fmt.Errorf("line %d: longer than %d bytes", n+1, longestLine))
		case err != nil:
			yield(Event{}, fmt.Errorf("read line %d: %w", n+1, err))
		}
	}
}

var eventFields = []field[Event]{
	{"t_ms", func(e *Event, v json.RawMessage) error {
		n, err := whole(v, 0, 1<<53)
		e.At = clock.Msec(n)
		return err
	}},
	{"client_ip", set(func(e *Event) *netip.Addr { return &e.Client }, address)},
	{"peer_ip", set(func(e *Event) *netip.Addr { return &e.Request.Peer }, address)},
	{"method", set(func(e *Event) *string { return &e.Request.Method }, method)},
	{"url", set(func(e *Event) *string { return &e.URL }, text)},
	{"headers", set(func(e *Event) *[]request.Header { return &e.Request.Headers }, headerLines)},
	{"response", set(func(e *Event) **Response { return &e.Response }, response)},
	{"colo", set(func(e *Event) *string { return &e.Colo }, text)},
	{"cached", set(func(e *Event) *bool { return &e.Cached }, flag)},
	{"challenge_passed", set(func(e *Event) *bool { return &e.ChallengePassed }, flag)},
}

var responseFields = []field[Response]{
	{"status", set(func(r *Response) *int { return &r.Status }, between(100, 599))},
	{"headers", set(func(r *Response) *[]request.Header { return &r.Headers }, headerLines)},
}

// readEvent reads one line. All fields but t_ms and url may be left out, or be null.
func readEvent(line []byte, host string) (Event, error) {
	e := Event{At: math.MinInt64}
	if err := readObject(line, eventFields, &e); err != nil {
		return Event{}, err
	}
	if e.At == math.MinInt64 {
		return Event{}, errors.New("t_ms is missing")
	}
	if e.URL == "" {
		return Event{}, errors.New("url is missing")
	}
	return e, e.finish(host)
}

// finish brings together what several fields say: who connects, and which host is asked.
func (e *Event) finish(host string) error {
	switch {
	case !e.Request.Peer.IsValid() && !e.Client.IsValid():
		e.Client, e.Request.Peer = loopback, loopback
	case !e.Request.Peer.IsValid():
		e.Request.Peer = e.Client
	case !e.Client.IsValid():
		e.Client = e.Request.Peer
	}
	if err := SetURL(&e.Request, e.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	takeHost(&e.Request)
	if e.Request.Host == "" {
		e.Request.Host = host
	}
	if e.Request.Host == "" {
		return errors.New("url: it has no host, and there is no Host header")
	}
	return nil
}

// takeHost moves the Host header out of the lines; it counts before the URL's host, as what is really sent.
func takeHost(r *request.Request) {
	r.Headers = slices.DeleteFunc(r.Headers, func(h request.Header) bool {
		if !strings.EqualFold(h.Name, "Host") {
			return false
		}
		r.Host = h.Value
		return true
	})
}

func address(value json.RawMessage) (netip.Addr, error) {
	s, err := text(value)
	if err != nil {
		return netip.Addr{}, err
	}
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%s is no IP address", quoted(s))
	}
	return a, nil
}

func method(value json.RawMessage) (string, error) {
	s, err := text(value)
	if err == nil && !Method(s) {
		err = fmt.Errorf("%s is no method", quoted(s))
	}
	return s, err
}

func response(value json.RawMessage) (*Response, error) {
	r := &Response{}
	return r, readObject(value, responseFields, r)
}
