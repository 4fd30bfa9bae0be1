package traffic

import (
	"bytes"
	"encoding/json"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// An object is JSON whose members stay in the order given. Members without a value are left out.
type object []pair

type pair struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, p := range o {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, err := plainJSON(p.name)
		if err != nil {
			return nil, err
		}
		value, err := plainJSON(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plainJSON is json.Marshal that leaves < > and & as they are: query strings are full of them.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// unless leaves out a member whose value is the one that is meant anyway.
func unless[T comparable](o object, name string, value, meant T) object {
	if value == meant {
		return o
	}
	return append(o, pair{name, value})
}

// listed leaves out a member without elements.
func listed[T any](o object, name string, all []T) object {
	if len(all) == 0 {
		return o
	}
	return append(o, pair{name, all})
}

func distributed(o object, name, unit string, d *Dist) object {
	if d == nil {
		return o
	}
	return append(o, pair{name + "_" + unit, d.json(unit)})
}

// MarshalJSON writes a fan as a file that ReadFan reads as the same fan.
func (f *Fan) MarshalJSON() ([]byte, error) {
	o := object{{"name", f.Name}, {"description", f.Description}, {"basis", f.Basis}, {"sources", append([]string{}, f.Sources...)}}
	o = unless(o, "note", f.Note, "")
	o = unless(o, "role", f.Role, People)
	o = unless(o, "protocol", f.Protocol, "")
	o = distributed(o, "rtt", "ms", f.RTTMs)
	requests := make([]object, len(f.Requests))
	for i := range f.Requests {
		requests[i] = f.Requests[i].json()
	}
	o = append(o, pair{"requests", requests})
	streams := make([]object, len(f.Streams))
	for i := range f.Streams {
		streams[i] = f.Streams[i].json()
	}
	o = listed(o, "streams", streams)
	queues := make([]object, len(f.ClientQueues))
	for i, q := range f.ClientQueues {
		queues[i] = listed(object{{"group", q.Group}, {"at_once", q.AtOnce}}, "protocols", q.Protocols)
	}
	o = listed(o, "client_queues", queues)
	retries := make([]object, len(f.Retries))
	for i := range f.Retries {
		retries[i] = f.Retries[i].json()
	}
	return listed(o, "retries", retries).MarshalJSON()
}

func (q *FanRequest) json() object {
	o := unless(nil, "id", q.ID, "")
	o = unless(o, "page", q.Page, "")
	o = append(o, pair{"method", q.Method}, pair{"path", q.Path}, pair{"kind", q.Kind}, pair{"depends_on", q.DependsOn},
		pair{"start_offset_ms", q.StartOffsetMs})
	o = distributed(o, "think", "ms", q.ThinkMs)
	o = unless(o, "group", q.Group, "")
	o = unless(o, "long_lived", q.LongLived, false)
	return q.common(o)
}

func (q *FanRequest) common(o object) object {
	o = distributed(o, "service", "ms", q.ServiceMs)
	o = distributed(o, "size", "bytes", q.SizeBytes)
	o = unless(o, "retry", q.Retry, "")
	o = unless(o, "body", q.Body, "")
	if len(q.Headers) > 0 {
		o = append(o, pair{"headers", headerObject(q.Headers)})
	}
	return o
}

func (s *Stream) json() object {
	o := object{{"rate_per_s", s.RatePerS}, {"duration_s", s.DurationS}}
	o = unless(o, "spacing", s.Spacing, Evenly)
	o = unless(o, "at_once", s.AtOnce, 0)
	if s.DependsOn != nil {
		o = append(o, pair{"depends_on", *s.DependsOn})
	}
	o = unless(o, "start_offset_ms", s.StartOffsetMs, 0)
	requests := make([]object, len(s.Requests))
	for i := range s.Requests {
		q := &s.Requests[i]
		requests[i] = q.common(object{{"method", q.Method}, {"path", q.Path}, {"kind", q.Kind}})
	}
	return append(o, pair{"requests", requests})
}

func (r *Retry) json() object {
	o := object{{"name", r.Name}, {"statuses", r.Statuses}, {"at_most", r.AtMost}, {"base_ms", r.BaseMs}, {"factor", r.Factor}}
	o = unless(o, "cap_ms", r.CapMs, 0)
	o = unless(o, "jitter", r.Jitter, NoJitter)
	return unless(o, "honour_retry_after", r.RetryAfter, false)
}

// headerObject writes the lines of one name as one member, at the place of the first.
func headerObject(lines []request.Header) object {
	var o object
	for _, h := range lines {
		at := -1
		for i := range o {
			if o[i].name == h.Name {
				at = i
			}
		}
		switch {
		case at < 0:
			o = append(o, pair{h.Name, h.Value})
		default:
			o[at].value = append(several(o[at].value), h.Value)
		}
	}
	return o
}

func several(value any) []string {
	if one, ok := value.(string); ok {
		return []string{one}
	}
	all, _ := value.([]string)
	return all
}
