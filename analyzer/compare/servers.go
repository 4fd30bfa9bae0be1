package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// Pairs are the servers, or the locations, of two configurations that are each other's: what stands on one side only is
// gone or has come.
type Pairs[T any] struct {
	Both       [][2]T
	Gone, Come []T
}

// Servers pairs the servers of two configurations: by all their names and addresses, then by one name and port that they
// share, by a name, and those without any name by an address.
func Servers(old, renewed *config.Tree) Pairs[*config.Server] {
	p := Pairs[*config.Server]{Gone: serversOf(old), Come: serversOf(renewed)}
	for _, tokens := range []func(*config.Server) []string{whole, nameAndPort, plainNames, nameless} {
		p.by(tokens)
	}
	at := map[*config.Server]int{}
	for i, s := range serversOf(renewed) {
		at[s] = i
	}
	slices.SortStableFunc(p.Both, func(a, b [2]*config.Server) int { return at[a[1]] - at[b[1]] })
	return p
}

func serversOf(t *config.Tree) []*config.Server {
	if t == nil || t.HTTP == nil {
		return nil
	}
	return slices.Clone(t.HTTP.Servers)
}

// by pairs what shares a token, the first that does.
func (p *Pairs[T]) by(tokens func(T) []string) {
	at := map[string][]int{}
	for i, t := range p.Come {
		for _, token := range tokens(t) {
			at[token] = append(at[token], i)
		}
	}
	took := make([]bool, len(p.Come))
	left := p.Gone[:0:0]
	for _, o := range p.Gone {
		found := -1
		for _, token := range tokens(o) {
			for len(at[token]) > 0 && took[at[token][0]] {
				at[token] = at[token][1:]
			}
			if list := at[token]; len(list) > 0 {
				found = list[0]
				break
			}
		}
		if found < 0 {
			left = append(left, o)
			continue
		}
		took[found] = true
		p.Both = append(p.Both, [2]T{o, p.Come[found]})
	}
	come := p.Come[:0:0]
	for i, n := range p.Come {
		if !took[i] {
			come = append(come, n)
		}
	}
	p.Gone, p.Come = left, come
}

// whole is all that a server goes by.
func whole(s *config.Server) []string {
	return []string{strings.Join(sorted(names(s)), " ") + "|" + strings.Join(sorted(addresses(s)), " ")}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func names(s *config.Server) []string {
	list := make([]string, len(s.Names))
	for i, n := range s.Names {
		list[i] = strings.ToLower(n.Text)
	}
	return list
}

// plainNames are a server's names but the empty one, which all have that have no other.
func plainNames(s *config.Server) []string {
	return slices.DeleteFunc(names(s), func(n string) bool { return n == "" || n == "_" })
}

func nameAndPort(s *config.Server) []string {
	names := plainNames(s)
	list := make([]string, 0, len(names)*len(s.Listens))
	for _, name := range names {
		for _, l := range s.Listens {
			list = append(list, fmt.Sprintf("%s:%d", name, l.Port))
		}
	}
	return list
}

// nameless is what a server without a name goes by.
func nameless(s *config.Server) []string {
	if len(plainNames(s)) > 0 {
		return nil
	}
	return addresses(s)
}

// addresses are where a server listens.
func addresses(s *config.Server) []string {
	list := make([]string, len(s.Listens))
	for i, l := range s.Listens {
		list[i] = fmt.Sprintf("%s:%d", l.Address, l.Port)
	}
	return list
}

// Locations pairs the locations of two servers by their labels and those of the locations around them.
func Locations(old, renewed *config.Server) Pairs[*config.Location] {
	var p Pairs[*config.Location]
	for l := range old.AllLocations {
		p.Gone = append(p.Gone, l)
	}
	for l := range renewed.AllLocations {
		p.Come = append(p.Come, l)
	}
	p.by(func(l *config.Location) []string { return []string{path(l)} })
	return p
}

// maxDepth bounds how many of the locations around one are part of its name.
const maxDepth = 64

// path is the labels from the outermost location on.
func path(l *config.Location) string {
	var labels []string
	for at := l; at != nil && len(labels) < maxDepth; at = at.Outer {
		labels = append(labels, at.Label())
	}
	slices.Reverse(labels)
	return strings.Join(labels, "\x00")
}
