package load

import (
	"cmp"
	"slices"
	"strings"
)

// A mapping replaces whole components of a path.
type mapping struct {
	from, to []string
	absolute bool // from counts at the start of an absolute path only
}

// sortedMappings puts the longer ones first, so that the closer one is taken, and equal ones in a fixed order.
func sortedMappings(paths map[string]string) []mapping {
	var maps []mapping
	for from, to := range paths {
		parts := strings.Split(strings.Trim(from, "/"), "/")
		if from = strings.TrimSuffix(from, "/"); from != "" {
			maps = append(maps, mapping{parts, strings.Split(strings.TrimSuffix(to, "/"), "/"), strings.HasPrefix(from, "/")})
		}
	}
	slices.SortFunc(maps, func(a, b mapping) int {
		return cmp.Or(cmp.Compare(len(b.from), len(a.from)), slices.Compare(a.from, b.from))
	})
	return maps
}

// mapPath returns the path to read in place of a name. Each component is replaced at most once.
func mapPath(maps []mapping, name string) string {
	if len(maps) == 0 {
		return name
	}
	var mapped []string
	parts := strings.Split(name, "/")
	for i := 0; i < len(parts); {
		m := mappingAt(maps, parts, i)
		if m == nil {
			mapped = append(mapped, parts[i])
			i++
			continue
		}
		if m.absolute {
			mapped = mapped[:0] // the empty component in front of the first slash
		}
		mapped = append(mapped, m.to...)
		i += len(m.from)
	}
	return strings.Join(mapped, "/")
}

func mappingAt(maps []mapping, parts []string, i int) *mapping {
	for k := range maps {
		m := &maps[k]
		if m.absolute && (i != 1 || parts[0] != "") {
			continue
		}
		if len(parts)-i >= len(m.from) && slices.Equal(parts[i:i+len(m.from)], m.from) {
			return m
		}
	}
	return nil
}
