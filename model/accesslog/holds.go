package accesslog

// Holds says whether the lines of a log hold a variable of nginx. Of a format with a text that says the format; of JSON
// the first lines do.
func (r *Reader) Holds(variable string, first Block) bool {
	f, ok := r.table.variable(plainName(variable))
	if !ok {
		return false
	}
	if r.main != nil {
		for i := range r.main.parts {
			if r.main.parts[i].field == f {
				return true
			}
		}
		return false
	}
	p := r.Parser()
	var b Batch
	p.Parse(first, &b)
	for _, g := range p.json.order {
		if g.field == f {
			return true
		}
	}
	return false
}
