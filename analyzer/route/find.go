package route

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// finder is one search for a location.
type finder struct {
	v         *value.Request
	site      *Site
	at        int32 // the number of the best location so far
	undecided error // the regex at which the search had to stop
}

// result says how a search ended, in the terms of nginx's own one.
type result uint8

const (
	nothing    result = iota // no location, or only a prefix: regexes may still take the URI
	prefixed                 // a prefix, within which the search goes on
	decided                  // an exact location or a regex
	redirected               // the URI lacks the "/" at its end
)

// find searches one list of locations: names first, then within the longest prefix, then the regexes in order. A regex
// of this list is tried even where the prefix has locations within that fit, unless one of them decided.
func (f *finder) find(x *index) result {
	if x == nil {
		return nothing
	}
	outcome, n := x.name(f.v.URI)
	regexes := true
	switch outcome {
	case prefixed:
		f.at, regexes = n.prefix, !n.alone
		outcome = f.find(n.inner)
	case decided, redirected:
		if f.at = n.exact; f.at == 0 {
			f.at = n.prefix
		}
	case nothing:
	}
	if outcome == decided || outcome == redirected || !regexes {
		return outcome
	}
	for i := range x.regexes {
		c := &x.regexes[i]
		matched, err := f.v.Match(c.re, f.v.URI)
		if err != nil {
			f.undecided = fmt.Errorf("location %s: %w", f.site.router.Numbered(f.site.Number()+int(c.location)).Label(), err)
			return decided
		}
		if matched {
			f.at = c.location
			f.find(c.inner)
			return decided
		}
	}
	return outcome
}

// name searches the names of a list: the URI itself, else the longest prefix.
func (x *index) name(uri string) (result, *node) {
	low, high := 0, len(x.names) // the nodes before low are not behind the URI
	for low < high {
		mid := int(uint(low+high) >> 1)
		if x.names[mid].name <= uri {
			low = mid + 1
		} else {
			high = mid
		}
	}
	i := low - 1
	if i >= 0 && x.names[i].name == uri {
		if n := &x.names[i]; n.exact != 0 {
			return decided, n
		}
		return prefixed, &x.names[i]
	}
	if n := x.slash(low, uri); n != nil {
		return redirected, n
	}
	for i >= 0 && (x.names[i].prefix == 0 || !strings.HasPrefix(uri, x.names[i].name)) {
		i = x.names[i].outer
	}
	if i < 0 {
		return nothing, nil
	}
	return prefixed, &x.names[i]
}

// slash finds the node whose name is the URI and a "/", if nginx redirects to it. It lies behind the nodes before from.
func (x *index) slash(from int, uri string) *node {
	if from == len(x.names) || !strings.HasPrefix(x.names[from].name, uri) {
		return nil // names that begin with the URI come directly behind it
	}
	low, high := from, len(x.names)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if rest, ok := strings.CutPrefix(x.names[mid].name, uri); ok && rest < "/" {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(x.names) {
		return nil
	}
	n := &x.names[low]
	if rest, ok := strings.CutPrefix(n.name, uri); !ok || rest != "/" || !n.redirect {
		return nil
	}
	return n
}
