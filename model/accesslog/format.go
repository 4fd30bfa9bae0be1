package accesslog

import (
	"errors"
	"fmt"
	"strings"
)

// A Format is a log_format.
type Format struct {
	Name   string // for people
	Text   string // as in the configuration, its pieces joined
	Escape string // "default", "json" or "none"; "" is default
}

// JSON is the format of lines that are one JSON object each, with fields in any order.
var JSON = Format{Name: "json"}

// known are the formats that are looked for where nobody names one.
var known = []Format{
	{"combined", `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`, "default"},
	{"main", `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for"`, "default"},
	{"common", `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent`, "default"},
}

// Known returns a format that is known by name: combined, common, or main, which nginx's packages come with.
func Known(name string) (Format, bool) {
	for _, f := range known {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// A part of a format is a variable and the text behind it.
type part struct {
	field   field
	shape   shape
	literal string
}

// A shape is what a value may look like.
type shape uint8

const (
	text   shape = iota // anything
	word                // no blank: a number, an address, a method
	listed              // words with ", " and " : " between them
)

// template is a compiled format.
type template struct {
	lead    string
	parts   []part
	decode  func(string) string
	escaped bool // values hold no quotes
	reads   reads
	mould   *mould // of lines whose values are plain; nil where there is none
}

// reads says whether a format tells the least that is needed.
type reads struct{ time, client bool }

// maxParts bounds a format; nginx's own bound of a directive's arguments is far above any real one.
const maxParts = 500

// compile reads a log_format string. Without a time or a client no line of it could be used, and it is refused.
func compile(f Format, t *nameTable) (*template, error) {
	p := &template{escaped: f.Escape != "none"}
	switch f.Escape {
	case "", "default":
		p.decode = unescapeDefault
	case "json":
		p.decode = unescapeJSON
	case "none":
		p.decode = func(s string) string { return s }
	default:
		return nil, fmt.Errorf("compile log format: unknown escape %q", f.Escape)
	}
	for rest := f.Text; rest != ""; {
		at := strings.IndexByte(rest, '$')
		if at < 0 {
			at = len(rest)
		}
		p.literal(rest[:at])
		if rest = rest[at:]; rest == "" {
			break
		}
		name, after, err := variable(rest[1:])
		if err != nil {
			return nil, fmt.Errorf("compile log format: %w", err)
		}
		if len(p.parts) == maxParts {
			return nil, fmt.Errorf("compile log format: more than %d variables", maxParts)
		}
		fd, _ := t.variable(plainName(name))
		p.parts = append(p.parts, part{field: fd, shape: shapeOf(plainName(name), fd)})
		p.reads.note(fd)
		rest = after
	}
	switch {
	case len(p.parts) == 0:
		return nil, errors.New("compile log format: it has no variable")
	case !p.reads.time && !t.timeless:
		return nil, errors.New("compile log format: it has no time ($msec, $time_iso8601 or $time_local)")
	case !p.reads.client:
		return nil, errors.New("compile log format: it has no client address ($remote_addr)")
	}
	p.mould = p.cast()
	return p, nil
}

func (r *reads) note(f field) {
	r.time = r.time || f == anyTime || f == msecTime
	r.client = r.client || f == client
}

// literal adds text behind the last variable.
func (p *template) literal(s string) {
	if len(p.parts) == 0 {
		p.lead += s
		return
	}
	p.parts[len(p.parts)-1].literal += s
}

// variable reads a name behind "$".
func variable(s string) (name, after string, err error) {
	braced := strings.HasPrefix(s, "{")
	if braced {
		s = s[1:]
	}
	n := 0
	for n < len(s) && (s[n] == '_' || '0' <= s[n] && s[n] <= '9' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z') {
		n++
	}
	switch {
	case n == 0:
		return "", "", errors.New(`a "$" without a variable's name`)
	case braced && (n == len(s) || s[n] != '}'):
		return "", "", fmt.Errorf("the closing bracket of variable %q is missing", s[:n])
	case braced:
		return s[:n], s[n+1:], nil
	}
	return s[:n], s[n:], nil
}

// shapeOf tells values without blanks from others, so that a format with blanks between its variables is read right.
func shapeOf(name string, f field) shape {
	switch f {
	case status, requestTime, msecTime, client, peer, method, scheme, limitReq, limitConn, nginxHost:
		return word
	case upstreamTime, forwarded:
		return listed
	default:
	}
	switch name {
	case "time_iso8601", "body_bytes_sent", "bytes_sent", "request_length", "request_id", "connection", "connection_requests", "pipe", "remote_port",
		"server_port", "server_addr", "server_protocol", "pid", "ssl_protocol", "ssl_cipher", "gzip_ratio", "hostname", "host", "server_name",
		"request_completion", "upstream_cache_status", "http_host", "content_length":
		return word
	case "upstream_addr", "upstream_status", "upstream_connect_time", "upstream_header_time", "upstream_response_length", "upstream_bytes_received", "upstream_bytes_sent":
		return listed
	}
	return text
}
