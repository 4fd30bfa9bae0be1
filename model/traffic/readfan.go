package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of a fan file. The largest page measured makes a few hundred requests.
const (
	maxFanBytes    = 16 << 20
	maxFanRequests = 10_000
	maxFanPath     = 8 << 10
	maxOffsetMs    = 60 * 60 * 1000
)

var (
	fanFields = []string{
		"name", "description", "basis", "sources", "note", "requests", "client_queues",
	}
	fanRequestFields = []string{
		"path", "kind", "depends_on", "start_offset_ms", "method", "headers", "body", "group", "long_lived",
	}
	queueFields = []string{"group", "at_once", "protocols"}
	protocols   = []string{"h1", "h2"}
)

// ReadFan reads one fan, a JSON object. The name is the fan's where the file gives none. Reference times that a file
// carries for checks of a simulator ("reference", "schema") are passed over; any other field that is not known is
// refused, as a misspelt one would change the fan in silence.
func ReadFan(r io.Reader, name string) (*Fan, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFanBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read fan: %w", err)
	}
	if len(data) > maxFanBytes {
		return nil, fmt.Errorf("fan is longer than %d bytes", maxFanBytes)
	}
	f, err := parseFan([]byte(strings.TrimPrefix(string(data), "\ufeff")))
	if err != nil {
		return nil, err
	}
	if f.Name == "" {
		f.Name = name
	}
	return f, f.check()
}

func parseFan(data []byte) (*Fan, error) {
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil, errors.New("fan is empty")
	}
	ms, err := members(data)
	if err != nil {
		return nil, err
	}
	f := &Fan{}
	for _, m := range ms {
		if m.name == "reference" || m.name == "schema" || isNull(m.value) && slices.Contains(fanFields, m.name) {
			continue
		}
		if err := f.set(m); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Fan) set(m member) (err error) {
	switch m.name {
	case "name":
		f.Name, err = text(m.value)
	case "description":
		f.Description, err = text(m.value)
	case "basis":
		f.Basis, err = text(m.value)
	case "note":
		f.Note, err = text(m.value)
	case "sources":
		f.Sources, err = texts(m.value)
	case "requests":
		return f.setRequests(m.value)
	case "client_queues":
		return f.setQueues(m.value)
	case "fans":
		return errors.New("a collection of fans; a file has to hold one fan")
	default:
		return unknown(m.name, fanFields)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

func (f *Fan) setRequests(value json.RawMessage) error {
	list, err := elements(value)
	if err != nil {
		return fmt.Errorf("requests: %w", err)
	}
	if len(list) > maxFanRequests {
		return fmt.Errorf("requests: %d are more than %d", len(list), maxFanRequests)
	}
	f.Requests = make([]FanRequest, len(list))
	for i, v := range list {
		if err := f.Requests[i].read(v); err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
	}
	return nil
}

func (q *FanRequest) read(value json.RawMessage) error {
	ms, err := members(value)
	if err != nil {
		return err
	}
	q.Method = "GET"
	for _, m := range ms {
		if !slices.Contains(fanRequestFields, m.name) {
			return unknown(m.name, fanRequestFields)
		}
		if isNull(m.value) {
			continue
		}
		if err := q.set(m); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

func (q *FanRequest) set(m member) (err error) {
	switch m.name {
	case "path":
		q.Path, err = text(m.value)
	case "kind":
		q.Kind, err = text(m.value)
	case "method":
		q.Method, err = method(m.value)
	case "depends_on":
		var n int64
		n, err = whole(m.value, 0, maxFanRequests)
		q.DependsOn = new(int(n))
	case "start_offset_ms":
		q.StartOffsetMs, err = whole(m.value, 0, maxOffsetMs)
	case "headers":
		q.Headers, err = headerLines(m.value)
	case "body":
		q.Body, err = text(m.value)
	case "group":
		q.Group, err = text(m.value)
	case "long_lived":
		q.LongLived, err = boolean(m.value)
	}
	return err
}

func (f *Fan) setQueues(value json.RawMessage) error {
	list, err := elements(value)
	if err != nil {
		return fmt.Errorf("client_queues: %w", err)
	}
	for i, v := range list {
		var q ClientQueue
		if err := q.read(v); err != nil {
			return fmt.Errorf("client queue %d: %w", i, err)
		}
		f.ClientQueues = append(f.ClientQueues, q)
	}
	return nil
}

func (q *ClientQueue) read(value json.RawMessage) error {
	ms, err := members(value)
	if err != nil {
		return err
	}
	for _, m := range ms {
		switch m.name {
		case "group":
			q.Group, err = text(m.value)
		case "at_once":
			var n int64
			n, err = whole(m.value, 1, maxFanRequests)
			q.AtOnce = int(n)
		case "protocols":
			q.Protocols, err = texts(m.value)
		default:
			return unknown(m.name, queueFields)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}
