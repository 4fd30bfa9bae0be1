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
	exact         hostname.Table[Template]
	regexes       []mapRegex
	otherwise     Template
	hasOtherwise  bool
	hostnames     bool
	isVolatile    bool
	outcome       Template // of all entries and the default, where they are one and the same
	singleOutcome bool
	outcomes      []string // the variables of all values
}

type mapRegex struct {
	re    *pcre.Regex
	value Template
}

// Map adds a map block: the block's two arguments, and its entries as words, includes expanded. What nginx would refuse
// is returned; the good entries are kept all the same.
func (d *Definitions) Map(args []string, entries [][]string) []Problem {
	var p problems
	if len(args) != 2 {
		p.refuse(-1, "invalid number of arguments in \"map\" directive")
		return p
	}
	m := &mapping{}
	var err error
	if m.source, err = Parse(args[0]); err != nil {
		p.refuse(-1, "%s", err)
	}
	for i, words := range entries {
		m.add(d, &p, i, words)
	}
	m.findSingleOutcome(entries)
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
	v, err := Parse(words[1])
	if err != nil {
		p.refuse(i, "%s", err)
		return
	}
	for _, name := range v.Variables() {
		if !slices.Contains(m.outcomes, name) {
			m.outcomes = append(m.outcomes, name)
		}
	}
	switch key := words[0]; {
	case key == "default":
		if m.hasOtherwise {
			p.refuse(i, "duplicate default map parameter")
			return
		}
		m.otherwise, m.hasOtherwise = v, true
	case key != "" && key[0] == '~':
		m.addRegex(d, p, i, key[1:], v)
	default:
		m.addKey(p, i, key, v)
	}
}

func (m *mapping) addRegex(d *Definitions, p *problems, i int, pattern string, v Template) {
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
}

func (m *mapping) addKey(p *problems, i int, key string, v Template) {
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
	}
}

// findSingleOutcome notes a value that every key leads to: it is known even where the source is not. A value with
// variables counts only if it has no captures, which depend on the key that matched.
func (m *mapping) findSingleOutcome(entries [][]string) {
	m.outcome, m.singleOutcome = m.otherwise, true
	for _, words := range entries {
		if len(words) == 2 && words[1] != m.otherwise.Text {
			m.singleOutcome = false
			return
		}
	}
	if _, constant := m.outcome.Constant(); !constant {
		m.singleOutcome = false
	}
}

func (m *mapping) volatile() bool { return m.isVolatile }

func (m *mapping) sources() []string { return m.source.Variables() }

func (m *mapping) asks() []string { return slices.Concat(m.source.Variables(), m.outcomes) }

func (m *mapping) value(r *Request) Value {
	source := m.source.Eval(r)
	text, known := source.Known()
	if !known {
		if m.singleOutcome {
			return m.outcome.Eval(r)
		}
		return source
	}
	if m.hostnames && text != "" && text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	if v, ok := m.exact.Find(hostname.Lower(text)); ok {
		return v.Eval(r)
	}
	if text != "" { // nginx tries no regex on an empty value
		for i := range m.regexes {
			matched, err := r.Match(m.regexes[i].re, text)
			if err != nil {
				return Unknown(err.Error())
			}
			if matched {
				return m.regexes[i].value.Eval(r)
			}
		}
	}
	return m.otherwise.Eval(r)
}
