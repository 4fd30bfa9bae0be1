package value

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A Request holds one request on its way through nginx's phases, and has its variables. As in nginx a
// variable is computed when it is first used and then stands until the request's end, even if what it was made from
// changes (the client's address by a realip that runs late); the exceptions are those that nginx marks as not to be
// cached ($uri, $args, $arg_..., volatile maps). Whoever drives the request sets the fields. It is for one goroutine.
type Request struct {
	HTTP        *request.Request
	Definitions *Definitions // nil: the configuration defines none
	Version     string       // the nginx that is judged for; "" is the newest

	Client     netip.AddrPort // the address as real_ip left it; at first that of the connection
	Server     netip.AddrPort // where the request arrived; the address may be unknown while the port is known
	ServerName Value          // the first name of the server that was chosen
	Host       string         // the host as nginx took it from the request line or the Host header; "" where there was none
	URI, Args  string         // as they stand now: normalised, and changed by rewrite
	Method     string         // as an error page has changed it; "" while it is that of the request

	DocumentRoot   Value // of the location that the request is in; set it to Unknown where it is not followed
	Filename       Value // $request_filename, likewise
	LimitReqStatus string
	LimitConn      string // $limit_conn_status
	Status         int    // of the answer, where it is being sent; 0 before

	Underscores    bool // underscores_in_headers on
	InvalidHeaders bool // ignore_invalid_headers off

	cache    []cached
	volatile bool // some of the cache is
	version  [3]int
	parsed   string // the Version that version was read from
	depth    int
	work     int    // what its values have cost so far
	subject  string // of the last successful match with a regex
	captures []int
	lost     string // why the captures are not known; "" where they are
}

type cached struct {
	name     string
	value    Value
	volatile bool // not to be kept for the next use
}

// maxDepth is nginx's bound on variables that are made from each other.
const maxDepth = 100

// Reset makes it an empty Request, which keeps its memory.
func (r *Request) Reset() {
	*r = Request{cache: r.cache[:0], parsed: r.parsed, version: r.version}
}

// Variable returns the value of a variable, given by its name without "$" in lower case; "1" to "9" are the captures of
// the last regex that matched.
func (r *Request) Variable(name string) Value { return r.variable(name, nil, true) }

// variable computes a variable unless it was; fixed is what it is known to be, or nil. With fresh, what is
// not to be kept is computed again.
func (r *Request) variable(name string, fixed *builtin, fresh bool) Value {
	if len(name) == 1 && '1' <= name[0] && name[0] <= '9' {
		return r.capture(int(name[0] - '0'))
	}
	for i := range r.cache {
		if c := &r.cache[i]; c.name == name && (!fresh || !c.volatile) {
			return c.value
		}
	}
	if r.depth >= maxDepth {
		return Value{} // a cycle: nginx logs it and takes the empty value
	}
	if !r.spend(stepWork) {
		return Unknown(tooMuch)
	}
	r.depth++
	var v Value
	var keep bool
	if fixed != nil && (fixed.of == nil || fixed.of == r.Definitions) {
		v, keep = fixed.value(r, name)
	} else {
		v, keep = r.compute(name)
	}
	r.depth--
	v = v.of(name)
	r.put(name, v, !keep)
	return v
}

// flush forgets those variables of a template that are not to be kept from one use to the next. Within one use nginx
// computes each of them once, which matters where a map's regex leaves captures.
func (r *Request) flush(parts []Part) {
	if !r.volatile {
		return
	}
	for i := 0; i < len(r.cache); i++ {
		if c := &r.cache[i]; c.volatile && uses(parts, c.name) {
			r.cache = slices.Delete(r.cache, i, i+1)
			i--
		}
	}
}

func (r *Request) compute(name string) (v Value, keep bool) {
	if r.Definitions != nil {
		if def, ok := r.Definitions.vars[name]; ok {
			return def.value(r), !def.volatile()
		}
	}
	if b, ok := builtins[name]; ok {
		return b.value(r, name)
	}
	for i := range prefixes {
		if p := &prefixes[i]; strings.HasPrefix(name, p.prefix) {
			if p.get == nil {
				return Unknown("$" + name + " " + p.reason), true
			}
			return p.get(r, name[len(p.prefix):]), !p.volatile
		}
	}
	return Unknown("$" + name + " is set by nothing that was read"), true
}

// Set gives a variable its value, as set and the like do. It stands until the next Set. Setting "args" changes Args.
func (r *Request) Set(name string, v Value) {
	if name == "args" {
		if text, known := v.Known(); known {
			r.Args = text
			return
		}
	}
	r.put(name, v.of(name), false)
}

func (r *Request) put(name string, v Value, volatile bool) {
	r.volatile = r.volatile || volatile
	for i := range r.cache {
		if r.cache[i].name == name {
			r.cache[i].value, r.cache[i].volatile = v, volatile
			return
		}
	}
	r.cache = append(r.cache, cached{name, v, volatile})
}

var errTooMuch = errors.New(tooMuch)

// Match matches a regex of the configuration. As in nginx a match replaces all captures, the numbered ones and those
// with names, and a failure leaves them. The error says why it cannot be decided; the captures are then not known either.
func (r *Request) Match(re *pcre.Regex, subject string) (bool, error) {
	if !r.spend(matchWork + len(subject)) {
		r.lose(re, tooMuch)
		return false, errTooMuch
	}
	m, err := re.Find(subject)
	if err != nil {
		err = fmt.Errorf("regex %q: %w", re.Pattern(), err)
		r.lose(re, err.Error())
		return false, err
	}
	if m == nil {
		return false, nil
	}
	r.subject, r.captures, r.lost = subject, m, ""
	for _, g := range re.Names() {
		r.Set(hostname.Lower(g.Name), r.capture(g.Group))
	}
	return true, nil
}

// lose makes everything unknown that a match with the regex might have set.
func (r *Request) lose(re *pcre.Regex, why string) {
	r.subject, r.captures, r.lost = "", nil, why
	for _, g := range re.Names() {
		r.Set(hostname.Lower(g.Name), Unknown(why))
	}
}

// capture returns group n of the last match; empty where it did not take part.
func (r *Request) capture(n int) Value {
	if r.lost != "" {
		return Unknown(r.lost)
	}
	if 2*n+1 >= len(r.captures) || r.captures[2*n] < 0 {
		return Value{}
	}
	return Of(r.subject[r.captures[2*n]:r.captures[2*n+1]])
}

// since says whether the nginx that is judged for is at least 1.minor.patch.
func (r *Request) since(minor, patch int) bool {
	if r.Version == "" {
		return true
	}
	if r.parsed != r.Version {
		r.parsed, r.version = r.Version, [3]int{}
		for i, part := range strings.SplitN(r.Version, ".", 3) {
			r.version[i], _ = strconv.Atoi(part) // what is no number counts as 0: the oldest
		}
	}
	v := r.version
	switch {
	case v[0] != 1:
		return v[0] > 1
	case v[1] != minor:
		return v[1] > minor
	}
	return v[2] >= patch
}
