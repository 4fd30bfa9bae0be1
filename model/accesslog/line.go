package accesslog

import "strings"

// A line is a record that is being read.
type line struct {
	*Record
	path, query string
	bestTime    bool // Time is of msecTime
	anyTime     bool
	clock       *clockText
	timeless    bool
	odd         Fault // what is wrong with a field without which the line counts all the same
}

// begin makes the record ready for a new line.
func (l *line) begin(r *Record) {
	*r = Record{RequestMs: Unknown, UpstreamMs: Unknown}
	*l = line{Record: r, clock: l.clock, timeless: l.timeless}
}

// set fills in a field. Of several that mean the same the first that says something counts.
func (l *line) set(f field, v string, headers int) {
	switch f {
	case skipped:
	case anyTime:
		if l.bestTime || l.anyTime {
			return
		}
		l.Time, l.Precision, l.anyTime = l.clock.read(v)
	case msecTime:
		if l.bestTime {
			return
		}
		if ms, precision, ok := number(v); ok {
			l.Time, l.Precision, l.bestTime = ms, precision, true
		}
	case requestTime:
		l.RequestMs = l.sure(took(v), v)
	case requestTimeMs:
		l.RequestMs = l.sure(tookMs(v), v)
	case upstreamTime:
		l.UpstreamMs = l.sure(upstream(v, took), v)
	case upstreamTimeMs:
		l.UpstreamMs = l.sure(upstream(v, tookMs), v)
	case status:
		if n, ok := digits(v); ok && n <= 999 {
			l.Status = int16(n)
		}
	case limitReq:
		l.LimitReq = l.decision(v)
	case limitConn:
		l.LimitConn = l.decision(v)
	case requestLine:
		l.request(v)
	default:
		l.setText(f, v, headers)
	}
}

// sure notes a text that should be a time that a request took, and is none.
func (l *line) sure(ms int32, v string) int32 {
	if ms == Unknown && v != "" && v != "-" {
		l.odd = Took
	}
	return ms
}

// decision reads what a limiter decided.
func (l *line) decision(v string) Outcome {
	o := outcomeOf(v)
	if o == NotLogged {
		l.odd = Decision
	}
	return o
}

// setText fills in a field that is text.
func (l *line) setText(f field, v string, headers int) {
	if v == "" || v == "-" {
		return
	}
	var at *string
	switch f {
	case client:
		at, v = &l.Client, withoutPort(v)
	case peer:
		at, v = &l.Peer, withoutPort(v)
	case forwarded:
		at = &l.Forwarded
	case method:
		at = &l.Method
	case target:
		at = &l.Target
	case path:
		at = &l.path
	case query:
		at = &l.query
	case host:
		at = &l.Host
	case scheme:
		at = &l.Scheme
	case serverName:
		at = &l.Server
	case agent:
		at = &l.Agent
	case referer:
		at = &l.Referer
	case user:
		at = &l.User
	case nginxHost:
		at = &l.Nginx
	default:
		n := int(f) - int(header)
		if n < 0 || n >= headers {
			return
		}
		if l.Headers == nil {
			l.Headers = make([]string, headers)
		}
		at = &l.Headers[n]
	}
	if *at == "" {
		*at = v
	}
}

// withoutPort takes the port off an address, with which some write it: 203.0.113.1:40001, [2001:db8::1]:40001. What looks
// otherwise is left alone.
func withoutPort(v string) string {
	at := strings.IndexByte(v, ':')
	if at < 0 {
		return v
	}
	addr := v[:at]
	if v[0] == '[' {
		end := strings.IndexByte(v, ']')
		if end < 0 {
			return v
		}
		if addr = v[1:end]; end == len(v)-1 {
			at = len(v) // no port follows
		} else {
			at = end + 1
		}
		if at < len(v) && v[at] != ':' || strings.IndexByte(addr, ':') < 0 {
			return v
		}
	} else if strings.IndexByte(addr, '.') < 0 {
		return v
	}
	if at < len(v) {
		if port, ok := digits(v[at+1:]); !ok || port > 65535 {
			return v
		}
	}
	return addr
}

// request takes a request line apart: GET /path HTTP/1.1. What a client sent that is no request line is a target.
func (l *line) request(v string) {
	if v == "" || v == "-" {
		return
	}
	end := 0
	for end < len(v) && v[end] != ' ' { // a method is short
		end++
	}
	if end == len(v) {
		l.setText(target, v, 0)
		return
	}
	m, rest := v[:end], v[end+1:]
	if i := len(rest) - len(" HTTP/1.1"); i >= 0 && strings.HasPrefix(rest[i:], " HTTP/") {
		rest = rest[:i]
	} else if i := strings.LastIndex(rest, " HTTP/"); i >= 0 {
		rest = rest[:i]
	}
	l.setText(method, m, 0)
	l.setText(target, rest, 0)
}

// absolute takes a target apart that names its host, as in GET http://example.com/path HTTP/1.1: nginx takes the host from
// there, whatever the header says, and what follows it as the target.
func (l *line) absolute() {
	scheme, rest, found := strings.Cut(l.Target, "://")
	if !found || !isScheme(scheme) {
		return
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexByte(host, ']') {
		if _, ok := digits(host[at+1:]); !ok && at != len(host)-1 {
			return
		}
		host = host[:at]
	}
	if host == "" || host[0] != '[' && !isHost(host) {
		return // nginx takes it for no request
	}
	l.Host = host
	switch {
	case end == len(rest):
		l.Target = "/"
	case rest[end] == '/':
		l.Target = rest[end:]
	default:
		l.Target = "/" + rest[end:]
	}
}

func isScheme(s string) bool {
	return s != "" && 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z' && isOf(s, "+-.")
}

// isHost is what nginx takes for a host in a request line.
func isHost(s string) bool { return isOf(s, ".-") }

// isOf says that a text is of letters, digits and some others.
func isOf(s, others string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; ('a' > c || c > 'z') && ('0' > s[i] || s[i] > '9') && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return true
}

// end completes a record, and says what is wrong with it.
func (l *line) end() Fault {
	if l.Target == "" && l.path != "" {
		l.Target = l.path
		if l.query != "" && strings.IndexByte(l.path, '?') < 0 {
			l.Target += "?" + l.query
		}
	}
	if l.Target != "" && l.Target[0] != '/' {
		l.absolute()
	}
	switch {
	case !l.bestTime && !l.anyTime && l.timeless:
		if l.Client == "" {
			return NoClient
		}
		return l.odd
	case !l.bestTime && !l.anyTime:
		return NoTime
	case l.Time < earliest || l.Time >= latest:
		return Year
	case l.Client == "":
		return NoClient
	}
	return l.odd
}
