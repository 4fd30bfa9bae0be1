package value

import (
	"errors"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
)

// mapping is a map block.
type mapping struct {
	source        Template
	exact         hostname.Table[outcome]
	regexes       []mapRegex
	otherwise     outcome
	hasOtherwise  bool
	hostnames     bool
	isVolatile    bool
	singleOutcome bool     // all entries and the default lead to the same text
	yields        []string // the variables among the values, each once
	yielded       map[string]bool
}

type mapRegex struct {
	re    *pcre.Regex
	value outcome
}

// An outcome is what an entry of a map leads to.
type outcome struct {
	value Template
	entry int // its index in the block; -1 for the empty value of a map without default
}

// Map adds a map block: the block's two arguments, and its entries as words, includes expanded. What nginx would refuse
// is returned; the good entries are kept all the same.
func (d *Definitions) Map(args []string, entries [][]string) []Problem {
	var p problems
	if len(args) != 2 {
		p.refuse(-1, "invalid number of arguments in \"map\" directive")
		return p
	}
	m := &mapping{otherwise: outcome{entry: -1}}
	var err error
	if m.source, err = Parse(args[0]); err != nil {
		p.refuse(-1, "%s", err)
	}
	for i, words := range entries {
		m.add(d, &p, i, words)
	}
	m.findSingleOutcome(entries)
	m.yielded = nil
	d.define(&p, args[1], m)
	return p
}

func (m *mapping) add(d *Definitions, p *problems, i int, words []string) {
	if len(words) == 1 && words[0] == "hostnames" {
		m.hostnames = true
		return
	}
	if len(words) == 1 && words[0] == "volatile" {
		m.isVolatile = true
		return
	}
	if len(words) != 2 {
		p.refuse(i, "invalid number of the map parameters")
		return
	}
	template, err := Parse(words[1])
	if err != nil {
		p.refuse(i, "%s", err)
		return
	}
	v := outcome{template, i}
	switch key := words[0]; {
	case key == "default":
		if m.hasOtherwise {
			p.refuse(i, "duplicate default map parameter")
			return
		}
		m.otherwise, m.hasOtherwise = v, true
		m.note(template, nil)
	case key != "" && key[0] == '~':
		m.addRegex(d, p, i, key[1:], v)
	default:
		m.addKey(p, i, key, v)
	}
}

// note keeps the variables of an entry's value in mind. What its regex captured is text of the source.
func (m *mapping) note(t Template, captures []pcre.Name) {
	for _, part := range t.Parts {
		name := part.Variable
		if name == "" || name[0] >= '1' && name[0] <= '9' || m.yielded[name] ||
			slices.ContainsFunc(captures, func(g pcre.Name) bool { return hostname.Lower(g.Name) == name }) {
			continue
		}
		if m.yielded == nil {
			m.yielded = map[string]bool{}
		}
		m.yielded[name] = true
		m.yields = append(m.yields, name)
	}
}

func (m *mapping) addRegex(d *Definitions, p *problems, i int, pattern string, v outcome) {
	caseless := pattern != "" && pattern[0] == '*'
	if caseless {
		pattern = pattern[1:]
	}
	re := d.regexes.Get(pattern, caseless)
	if err := re.Refused(); err != nil {
		p.refuse(i, "%s", err)
		return
	}
	for _, g := range re.Names() {
		if err := d.Declare(g.Name, ""); err != nil {
			p.refuse(i, "%s", err)
		}
	}
	m.regexes = append(m.regexes, mapRegex{re, v})
	m.note(v.value, re.Names())
}

func (m *mapping) addKey(p *problems, i int, key string, v outcome) {
	if key != "" && key[0] == '\\' {
		key = key[1:]
	}
	var err error
	if m.hostnames {
		err = m.exact.Add(key, v)
	} else {
		err = m.exact.AddExact(key, v)
	}
	switch {
	case errors.Is(err, hostname.ErrInvalid):
		p.refuse(i, "invalid hostname or wildcard \"%s\"", key)
	case errors.Is(err, hostname.ErrConflict):
		p.refuse(i, "conflicting parameter \"%s\"", hostname.Lower(key))
	default:
		m.note(v.value, nil)
	}
}

// findSingleOutcome notes that every key leads to one text: it is known even where the source is not. A value with
// variables counts only if it has no captures, which depend on the key that matched.
func (m *mapping) findSingleOutcome(entries [][]string) {
	for _, words := range entries {
		if len(words) == 2 && words[1] != m.otherwise.value.Text {
			return
		}
	}
	_, m.singleOutcome = m.otherwise.value.Constant()
}

func (m *mapping) volatile() bool { return m.isVolatile }

func (m *mapping) sources() []string { return m.source.Variables() }

func (m *mapping) asks() []string { return slices.Concat(m.source.Variables(), m.yields) }

func (m *mapping) value(r *Request) Value {
	o, why := m.choose(r)
	if why.unknown != "" {
		return why
	}
	return o.value.Eval(r)
}

// choose finds the entry that a request leads to. Where that cannot be known the value says why; else it is empty.
func (m *mapping) choose(r *Request) (outcome, Value) {
	source := m.source.Eval(r)
	text, known := source.Known()
	if !known {
		if m.singleOutcome {
			return m.otherwise, Value{}
		}
		return outcome{}, source
	}
	if m.hostnames && text != "" && text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	if o, ok := m.exact.Find(hostname.Lower(text)); ok {
		return o, Value{}
	}
	if text != "" { // nginx tries no regex on an empty value
		for i := range m.regexes {
			matched, err := r.Match(m.regexes[i].re, text)
			if err != nil {
				return outcome{}, Unknown(err.Error())
			}
			if matched {
				return m.regexes[i].value, Value{}
			}
		}
	}
	return m.otherwise, Value{}
}

// Yields returns the names of the variables that stand among the values of a map, each once; nil for every other variable.
func (d *Definitions) Yields(name string) []string {
	if d == nil {
		return nil
	}
	if m, ok := d.vars[hostname.Lower(name)].(*mapping); ok {
		return m.yields
	}
	return nil
}

// Chosen returns which entry of a map block decides the variable of that name (without "$") for a request: its index among
// the entries that Map was given, or -1 where none does and the value is empty. It is not known where the map's source is
// not and the entries lead to different texts, nor for a variable that is not a map's.
func (d *Definitions) Chosen(name string, r *Request) (entry int, known bool) {
	if d == nil {
		return 0, false
	}
	m, ok := d.vars[hostname.Lower(name)].(*mapping)
	if !ok {
		return 0, false
	}
	o, why := m.choose(r)
	return o.entry, why.unknown == ""
}
