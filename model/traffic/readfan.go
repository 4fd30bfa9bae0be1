package traffic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// Bounds of a fan file. The largest page measured makes a few hundred requests.
const (
	maxFanBytes    = 16 << 20
	maxFanRequests = 10_000
	maxFanPath     = 8 << 10
	maxOffsetMs    = 24 * 60 * 60 * 1000
	maxStreams     = 100
	maxRate        = 100_000
	maxDurationS   = 7 * 24 * 60 * 60
	maxTries       = 100
)

// ReadFan reads one fan, a JSON object. The name is the fan's where the file gives none. Reference times that a file
// carries for checks of a simulator ("reference", "schema") are passed over; any other field that is not known is
// refused, as a misspelt one would change the fan in silence. What is wrong with the file comes as a *FileError.
func ReadFan(r io.Reader, name string) (*Fan, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFanBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read fan: %w", err)
	}
	if len(data) > maxFanBytes {
		return nil, fmt.Errorf("fan is longer than %d bytes", maxFanBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(space(data)) == 0 {
		return nil, errors.New("fan is empty")
	}
	f, err := parseFan(data)
	if err != nil {
		return nil, locate(data, err)
	}
	if f.Name == "" {
		f.Name = name
	}
	return f, locate(data, f.check())
}

// A fanFile is what a file says before its parts are brought together.
type fanFile struct {
	Fan
	headers  []request.Header // of every request that has no such header itself
	requests []requestFile
	streams  []streamFile
}

// A requestFile is a request that may name the one that it waits for.
type requestFile struct {
	FanRequest
	waitsFor string
}

type streamFile struct {
	Stream
	requests []requestFile
	waitsFor string
}

var fanFields = []field[fanFile]{
	{"$schema", nil},
	{"schema", nil},
	{"reference", nil},
	{"name", set(func(f *fanFile) *string { return &f.Name }, text)},
	{"description", set(func(f *fanFile) *string { return &f.Description }, text)},
	{"basis", set(func(f *fanFile) *string { return &f.Basis }, text)},
	{"sources", set(func(f *fanFile) *[]string { return &f.Sources }, texts)},
	{"note", set(func(f *fanFile) *string { return &f.Note }, text)},
	{"role", set(func(f *fanFile) *Role { return &f.Role }, oneOf[Role]("people", "attack"))},
	{"protocol", set(func(f *fanFile) *Protocol { return &f.Protocol }, oneOf[Protocol]("any", "h1", "h2"))},
	{"rtt_ms", set(func(f *fanFile) **Dist { return &f.RTTMs }, distOf("ms"))},
	{"headers", set(func(f *fanFile) *[]request.Header { return &f.headers }, headerLines)},
	{"requests", set(func(f *fanFile) *[]requestFile { return &f.requests }, readRequests)},
	{"streams", set(func(f *fanFile) *[]streamFile { return &f.streams }, readStreams)},
	{"client_queues", set(func(f *fanFile) *[]ClientQueue { return &f.ClientQueues }, queues)},
	{"retries", set(func(f *fanFile) *[]Retry { return &f.Retries }, retries)},
	{"log", func(*fanFile, json.RawMessage) error {
		return errors.New("a recording; the name of its file has to end in .har")
	}},
	{"fans", func(*fanFile, json.RawMessage) error {
		return errors.New("a collection of fans; a file has to hold one fan")
	}},
}

// What a request may say about itself; one of a stream may say nothing else.
var commonFields = []field[requestFile]{
	{"path", set(func(q *requestFile) *string { return &q.Path }, text)},
	{"kind", set(func(q *requestFile) *string { return &q.Kind }, text)},
	{"method", set(func(q *requestFile) *string { return &q.Method }, method)},
	{"headers", set(func(q *requestFile) *[]request.Header { return &q.Headers }, headerLines)},
	{"body", set(func(q *requestFile) *string { return &q.Body }, text)},
	{"retry", set(func(q *requestFile) *string { return &q.Retry }, text)},
	{"service_ms", set(func(q *requestFile) **Dist { return &q.ServiceMs }, distOf("ms"))},
	{"size_bytes", set(func(q *requestFile) **Dist { return &q.SizeBytes }, distOf("bytes"))},
}

var requestFields = append([]field[requestFile]{
	{"id", set(func(q *requestFile) *string { return &q.ID }, text)},
	{"page", set(func(q *requestFile) *string { return &q.Page }, text)},
	{"depends_on", func(q *requestFile, v json.RawMessage) error { return dependsOn(&q.DependsOn, &q.waitsFor, v) }},
	{"start_offset_ms", set(func(q *requestFile) *int64 { return &q.StartOffsetMs }, between[int64](0, maxOffsetMs))},
	{"think_ms", set(func(q *requestFile) **Dist { return &q.ThinkMs }, distOf("ms"))},
	{"group", set(func(q *requestFile) *string { return &q.Group }, text)},
	{"long_lived", set(func(q *requestFile) *bool { return &q.LongLived }, boolean)},
}, commonFields...)

var streamFields = []field[streamFile]{
	{"requests", set(func(s *streamFile) *[]requestFile { return &s.requests }, readStreamRequests)},
	{"rate_per_s", set(func(s *streamFile) *float64 { return &s.RatePerS }, positive(maxRate))},
	{"duration_s", set(func(s *streamFile) *float64 { return &s.DurationS }, positive(maxDurationS))},
	{"spacing", set(func(s *streamFile) *Spacing { return &s.Spacing }, oneOf[Spacing]("even", "poisson"))},
	{"at_once", set(func(s *streamFile) *int { return &s.AtOnce }, between(1, maxFanRequests))},
	{"depends_on", func(s *streamFile, v json.RawMessage) error { return dependsOn(&s.DependsOn, &s.waitsFor, v) }},
	{"start_offset_ms", set(func(s *streamFile) *int64 { return &s.StartOffsetMs }, between[int64](0, maxOffsetMs))},
}

var queueFields = []field[ClientQueue]{
	{"group", set(func(q *ClientQueue) *string { return &q.Group }, text)},
	{"at_once", set(func(q *ClientQueue) *int { return &q.AtOnce }, between(1, maxFanRequests))},
	{"protocols", set(func(q *ClientQueue) *[]string { return &q.Protocols }, texts)},
}

var retryFields = []field[Retry]{
	{"name", set(func(r *Retry) *string { return &r.Name }, text)},
	{"statuses", set(func(r *Retry) *[]int { return &r.Statuses }, statuses)},
	{"at_most", set(func(r *Retry) *int { return &r.AtMost }, between(1, maxTries))},
	{"base_ms", set(func(r *Retry) *int64 { return &r.BaseMs }, between[int64](0, longestWaitMs))},
	{"factor", set(func(r *Retry) *float64 { return &r.Factor }, factor)},
	{"cap_ms", set(func(r *Retry) *int64 { return &r.CapMs }, between[int64](1, longestWaitMs))},
	{"jitter", set(func(r *Retry) *Jitter { return &r.Jitter }, oneOf[Jitter]("none", "full", "equal"))},
	{"honour_retry_after", set(func(r *Retry) *bool { return &r.RetryAfter }, boolean)},
}

func parseFan(data []byte) (*Fan, error) {
	f := &fanFile{}
	if err := readObject(data, fanFields, f); err != nil {
		return nil, err
	}
	return f.join()
}

func readRequests(value json.RawMessage) ([]requestFile, error) {
	return bounded(value, maxFanRequests, func(v json.RawMessage) (requestFile, error) { return readRequest(v, requestFields) })
}

func readStreamRequests(value json.RawMessage) ([]requestFile, error) {
	return bounded(value, maxFanRequests, func(v json.RawMessage) (requestFile, error) { return readRequest(v, commonFields) })
}

func readRequest(value json.RawMessage, fields []field[requestFile]) (requestFile, error) {
	q := requestFile{FanRequest: FanRequest{Method: "GET"}}
	return q, readObject(value, fields, &q)
}

func readStreams(value json.RawMessage) ([]streamFile, error) {
	return bounded(value, maxStreams, func(v json.RawMessage) (s streamFile, err error) {
		return s, readObject(v, streamFields, &s)
	})
}

func queues(value json.RawMessage) ([]ClientQueue, error) {
	return bounded(value, maxFanRequests, func(v json.RawMessage) (q ClientQueue, err error) {
		return q, readObject(v, queueFields, &q)
	})
}

func retries(value json.RawMessage) ([]Retry, error) {
	return bounded(value, maxFanRequests, func(v json.RawMessage) (Retry, error) {
		r := Retry{Factor: 1}
		return r, readObject(v, retryFields, &r)
	})
}

func statuses(value json.RawMessage) ([]int, error) { return list(value, between(400, 599)) }

// bounded is list for a list that may be long.
func bounded[T any](value json.RawMessage, most int, read func(json.RawMessage) (T, error)) ([]T, error) {
	if all, err := elements(value); err == nil && len(all) > most {
		return nil, fmt.Errorf("%d are more than %d", len(all), most)
	}
	return list(value, read)
}

// dependsOn reads the request that another waits for, by its number or its id.
func dependsOn(number **int, id *string, value json.RawMessage) (err error) {
	if value[0] == '"' {
		if *id, err = text(value); err == nil && *id == "" {
			err = errors.New("an empty id")
		}
		return err
	}
	n, err := between(0, maxFanRequests)(value)
	*number = &n
	return err
}

// join brings together what several fields of a file say.
func (f *fanFile) join() (*Fan, error) {
	ids := map[string]int{}
	for i, q := range f.requests {
		if q.ID == "" {
			continue
		}
		if first, ok := ids[q.ID]; ok {
			return nil, under("requests", element(i, under("id", fmt.Errorf("%s is the id of request %d already", quoted(q.ID), first))))
		}
		ids[q.ID] = i
	}
	for i := range f.requests {
		q := &f.requests[i]
		if err := q.join(ids, f.headers); err != nil {
			return nil, under("requests", element(i, err))
		}
		f.Requests = append(f.Requests, q.FanRequest)
	}
	for i := range f.streams {
		s := &f.streams[i]
		if err := resolve(&s.DependsOn, s.waitsFor, ids); err != nil {
			return nil, under("streams", element(i, err))
		}
		for j := range s.requests {
			if err := s.requests[j].join(ids, f.headers); err != nil {
				return nil, under("streams", element(i, under("requests", element(j, err))))
			}
			s.Requests = append(s.Requests, s.requests[j].FanRequest)
		}
		f.Streams = append(f.Streams, s.Stream)
	}
	return &f.Fan, nil
}

func (q *requestFile) join(ids map[string]int, headers []request.Header) error {
	own := q.Headers
	for _, h := range headers {
		if !slices.ContainsFunc(own, func(o request.Header) bool { return sameName(o, h) }) {
			q.Headers = append(q.Headers, h)
		}
	}
	return resolve(&q.DependsOn, q.waitsFor, ids)
}

func resolve(number **int, id string, ids map[string]int) error {
	if id == "" {
		return nil
	}
	n, ok := ids[id]
	if !ok {
		return under("depends_on", misspelt("unknown id", id, sortedKeys(ids)))
	}
	*number = &n
	return nil
}
