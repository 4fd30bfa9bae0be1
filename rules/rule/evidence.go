package rule

import (
	"slices"
	"strconv"
)

// A pool lets findings that rest on the same numbers share one map of them: of ten thousand servers most are made by one
// template, and evidence is the larger part of a finding.
type pool struct {
	known map[string]map[string]any
	names []string
	key   []byte
}

// share returns evidence that says the same. Nothing may change it from then on.
func (p *pool) share(evidence map[string]any) map[string]any {
	if len(evidence) == 0 || !p.write(evidence) {
		return evidence
	}
	if same, ok := p.known[string(p.key)]; ok {
		return same
	}
	if p.known == nil {
		p.known = make(map[string]map[string]any)
	}
	p.known[string(p.key)] = evidence
	return evidence
}

// write sets the key under which evidence is known; false for lists, of which hardly two are the same.
func (p *pool) write(evidence map[string]any) bool {
	p.names, p.key = p.names[:0], p.key[:0]
	for name := range evidence {
		p.names = append(p.names, name)
	}
	slices.Sort(p.names)
	for _, name := range p.names {
		p.key = append(append(p.key, name...), 0)
		switch v := evidence[name].(type) {
		case int64:
			p.key = strconv.AppendInt(p.key, v, 10)
		case string:
			p.key = strconv.AppendQuote(p.key, v)
		default:
			return false
		}
		p.key = append(p.key, 0)
	}
	return true
}
