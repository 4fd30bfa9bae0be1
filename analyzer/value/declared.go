package value

import "github.com/ngxlimit/ngxlimit/analyzer/hostname"

// Declared says whether the variable of that name (without "$") gets its value while a request runs: by set, by a named
// capture, by a subrequest. Outside of such a request its value is not that of a visitor.
func (d *Definitions) Declared(name string) bool {
	if d == nil {
		return false
	}
	_, ok := d.vars[hostname.Lower(name)].(declared)
	return ok
}
