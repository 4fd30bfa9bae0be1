package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Read is a variable that a directive of the rewrite phase asks for, so that it has its value for the whole request by
// the time that the limits come.
type Read struct {
	Variable string // without "$", in lower case
	Item     config.Item
}

// RewriteReads returns the variables that rest on the client's address and are read in the rewrite phase of a request that
// ends up at a place: by the server's if, set, rewrite and return, and by those of the place itself.
func (f *Facts) RewriteReads(p Place) []Read {
	reads := f.levelReads(nil, &p.Server.Level)
	for _, l := range p.Server.Ifs {
		reads = f.levelReads(reads, l)
	}
	if p.Location == nil {
		return reads
	}
	reads = f.levelReads(reads, &p.Location.Level)
	for _, l := range p.Location.Ifs {
		reads = f.levelReads(reads, l)
	}
	return reads
}

// variable matches the name of a variable where a directive uses one.
var variable = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

func (f *Facts) levelReads(reads []Read, l *config.Level) []Read {
	for _, item := range l.Items {
		words := item.Args()
		switch item.Name().Value {
		case "if", "return":
		case "set", "rewrite":
			words = item.ArgsFrom(1)
		default:
			continue
		}
		for _, w := range words {
			for _, m := range variable.FindAllStringSubmatch(w.Value, -1) {
				for _, name := range f.evaluated(strings.ToLower(m[1])) {
					reads = append(reads, Read{name, item})
				}
			}
		}
	}
	return reads
}

// evaluated returns the variables that get their values when one is asked for, as far as these rest on the client's
// address.
func (f *Facts) evaluated(name string) []string {
	var found []string
	for _, n := range f.asked([]string{name}) {
		if slices.ContainsFunc(f.asked([]string{n}), f.ofClient) {
			found = append(found, n)
		}
	}
	return found
}

// ofClient says whether a variable is the client's address, or a geo by it.
func (f *Facts) ofClient(name string) bool {
	switch name {
	case "remote_addr", "binary_remote_addr":
		return true
	}
	return f.definitions().OfClient(name)
}

// asked returns variables and all that get their values with them, each once.
func (f *Facts) asked(names []string) []string {
	defs := f.definitions()
	all := slices.Clone(names)
	for i := 0; i < len(all); i++ {
		for _, n := range defs.Asks(all[i]) {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// RestsOn says whether a key asks for a variable, itself or through maps and the like.
func (f *Facts) RestsOn(key value.Template, name string) bool {
	return slices.Contains(f.asked(key.Variables()), name)
}
