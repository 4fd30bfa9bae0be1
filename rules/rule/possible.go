package rule

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// maxTurns is after how many maps within each other nginx takes a cycle for granted.
const maxTurns = 100

// maxPossible bounds the values that are followed of one variable.
const maxPossible = 10_000

// Possible lists the values that a template can have, where it is one variable and they are few: the flags of a geo, of
// split_clients or of a map that yields text only, "http" and "https". Finite is false where it may have any value.
func (f *Facts) Possible(t value.Template) (values []string, finite bool) {
	f.keys.Lock()
	defer f.keys.Unlock()
	return f.possible(t, 0)
}

func (f *Facts) possible(t value.Template, turns int) ([]string, bool) {
	if text, constant := t.Constant(); constant {
		return []string{text}, true
	}
	if len(t.Parts) != 1 || turns > maxTurns {
		return nil, false
	}
	name := t.Parts[0].Variable
	b := f.block(name)
	switch {
	case name == "scheme":
		return []string{"http", "https"}, true
	case name == "https":
		return []string{"", "on"}, true
	case b == nil || len(b.Entries) > maxPossible || len(f.assigned(name)) > 0:
		return nil, false
	}
	seen := make(map[string]bool, len(b.Entries))
	var values []string
	add := func(v string) {
		if !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	otherwise := false
	for i := range b.Entries {
		e := &b.Entries[i]
		otherwise = otherwise || e.Default
		text, constant := e.Value.Constant()
		if b.IsMap() && !constant {
			return nil, false
		}
		if !b.IsMap() {
			text = e.Value.Text
		}
		add(text)
	}
	if !otherwise && !f.listsAll(b, turns) {
		add("")
	}
	return values, true
}

// listsAll says whether a map without default has an entry for each value of its source.
func (f *Facts) listsAll(b *Block, turns int) bool {
	if !b.IsMap() {
		return false
	}
	values, finite := f.possible(b.Source, turns+1)
	return finite && !slices.ContainsFunc(values, func(v string) bool {
		index, known := f.EntryFor(b, v)
		return known && index < 0
	})
}

// EntryFor returns the index of the entry that a map takes for a value of its source, which is one variable; -1 where it has
// none and yields an empty value.
func (f *Facts) EntryFor(b *Block, source string) (index int, known bool) {
	if len(b.Source.Parts) > 1 {
		return 0, false
	}
	r := outsider(value.Template{}, f.definitions(), visitors[0], "GET")
	for _, part := range b.Source.Parts {
		if part.Variable != "" {
			r.Set(part.Variable, value.Of(source))
		}
	}
	return f.definitions().Chosen(b.Name, r)
}
