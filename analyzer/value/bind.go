package value

// Settle is called after the last definition. The templates that definitions read are then bound, as Bind does.
func (d *Definitions) Settle() {
	for _, def := range d.vars {
		switch def := def.(type) {
		case *mapping:
			def.source = d.Bind(def.source)
		case *split:
			def.source = d.Bind(def.source)
		}
	}
}

// Bind returns a template that finds the variables of these definitions without looking for them by name. It yields what
// the template yields, for requests with other Definitions as well. It is not for use by several goroutines.
func (d *Definitions) Bind(t Template) Template {
	bound := t
	for i := range t.Parts {
		b := d.binding(t.Parts[i].Variable)
		if b == nil {
			continue
		}
		if &bound.Parts[0] == &t.Parts[0] {
			bound.Parts = append([]Part(nil), t.Parts...)
		}
		bound.Parts[i].fixed = b
	}
	return bound
}

// binding returns a variable that is defined here, the same for the same name; nil for any other.
func (d *Definitions) binding(name string) *builtin {
	def, ok := d.vars[name]
	if !ok {
		return nil
	}
	b := d.bound[name]
	if b == nil {
		b = &builtin{get: def.value, volatile: def.volatile(), changeable: true, of: d}
		if d.bound == nil {
			d.bound = map[string]*builtin{}
		}
		d.bound[name] = b
	}
	return b
}
