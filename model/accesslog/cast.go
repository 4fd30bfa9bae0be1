package accesslog

// cast returns the mould of a format's lines; nil where one value follows another at once.
func (p *template) cast() *mould {
	h := &mould{lead: stopOf(p.lead)}
	for n := range p.parts {
		q := &p.parts[n]
		m := mouldPart{field: q.field, listed: q.shape == listed, word: q.shape == word}
		switch {
		case q.literal != "":
			m.stop, m.end = stopOf(q.literal), q.literal[0]
			m.quoted = m.end == '"' && !m.word
			m.ends = &[256]bool{'"': true, '\\': true, ' ': m.word}
			m.ends[m.end] = true
			m.formed = formed(q.field) && !timely(m.end) && (m.word || m.end != ' ' || q.field != anyTime) // $time_local has a blank
		case n == len(p.parts)-1:
			m.last = true
		default:
			return nil
		}
		h.parts = append(h.parts, m)
	}
	return h
}

// timely says whether a byte may stand in a value of a usual form, so that it may not be its end.
func timely(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '+' || c == ':' || c == '/' || c == ','
}
