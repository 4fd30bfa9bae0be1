package traffic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A PathMap says where paths of a fan are on the user's own site. From with a slash at its end stands for all paths that
// begin with it; without, for the path itself and for all below it.
type PathMap struct{ From, To string }

// ParsePathMap reads FROM=TO, as in /api/=/v2/api/.
func ParsePathMap(text string) (PathMap, error) {
	from, to, ok := strings.Cut(text, "=/")
	m := PathMap{from, "/" + to}
	switch {
	case !ok || !strings.HasPrefix(from, "/"):
		return m, fmt.Errorf("%s is no FROM=TO of two paths, as in /api/=/v2/api/", quoted(text))
	case strings.ContainsAny(text, "?#"):
		return m, fmt.Errorf("%s holds a query or a fragment; only paths are mapped", quoted(text))
	case strings.HasSuffix(m.From, "/") && !strings.HasSuffix(m.To, "/"):
		return m, fmt.Errorf("%s: what begins with %s would be joined to %s; both want a slash at the end, or neither", quoted(text), quoted(m.From), quoted(m.To))
	}
	return m, setTarget(&request.Request{}, m.From+m.To)
}

func (m PathMap) String() string { return m.From + "=" + m.To }

// apply maps a path without its query.
func (m PathMap) apply(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, m.From)
	switch {
	case !ok:
		return path, false
	case strings.HasSuffix(m.From, "/"):
		return m.To + rest, true
	case rest == "":
		return m.To, true
	case rest[0] == '/':
		return strings.TrimSuffix(m.To, "/") + rest, true
	}
	return path, false
}

// Mapped returns the fan with its paths mapped, each by the longest From that it fits; one that fits none gets the prefix
// in front, which is "" or begins with a slash. used is of the same length as the maps and says which of them some path
// was mapped by. The fan itself stays as it is.
func (f *Fan) Mapped(maps []PathMap, prefix string) (mapped *Fan, used []bool, err error) {
	out := *f
	used = make([]bool, len(maps))
	place := func(all []FanRequest) []FanRequest {
		all = append([]FanRequest(nil), all...)
		for i := range all {
			all[i].Path = mapPath(all[i].Path, maps, prefix, used)
		}
		return all
	}
	out.Requests = place(f.Requests)
	out.Streams = append([]Stream(nil), f.Streams...)
	for i := range out.Streams {
		out.Streams[i].Requests = place(f.Streams[i].Requests)
	}
	return &out, used, out.check()
}

func mapPath(target string, maps []PathMap, prefix string, used []bool) string {
	path, query, asks := strings.Cut(target, "?")
	best, to := -1, ""
	for i, m := range maps {
		if p, ok := m.apply(path); ok && (best < 0 || len(m.From) > len(maps[best].From)) {
			best, to = i, p
		}
	}
	if best >= 0 {
		used[best] = true
	} else {
		to = strings.TrimSuffix(prefix, "/") + path
	}
	if asks {
		to += "?" + query
	}
	return to
}

// A Base is where a site is: what a URL says before the paths of its pages.
type Base struct {
	Scheme string // "http" or "https"
	Host   string // with its port where that is not the scheme's own
	Port   uint16
	Prefix string // of all paths; "" or one that begins with a slash
}

// ParseBase reads the URL of a site, as in https://portal.example.com/app/.
func ParseBase(url string) (Base, error) {
	if strings.ContainsAny(url, "?#") {
		return Base{}, fmt.Errorf("URL %s holds a query or a fragment", quoted(url))
	}
	if strings.HasPrefix(url, "/") {
		return Base{}, errors.New("a path without a scheme and a host; want a URL, as in https://portal.example.com/app/")
	}
	var r request.Request
	if err := SetURL(&r, url); err != nil {
		return Base{}, err
	}
	return Base{r.Scheme, hostOf(r.Scheme, r.Host), r.Server.Port(), strings.TrimSuffix(r.Target, "/")}, nil
}
